/* The requests that the form begins with, and what the form knows. The build makes
 * `examples` and `BITS` of the operators' vectors and of the table of datatypes. */

const MOST = { rows: 16, columns: 12, tables: 8, moved: 100000, answer: 20000, cards: 12,
  text: 4000, binary: 256 };
const metas = {};   // what GET v2/models/{model} says, by name
const sides = { in: null, out: null }; // the tensors that are drawn
let from = null;    // from[o]: which input element output element o was
let to = null;      // the other way round

const operator = (meta) => meta.properties.op || meta.name;

/* What the model fixes or what is taken without being asked for. */
function attribute(meta, name) {
  const text = meta.properties[`attribute ${name}`] || "";
  const [, kind, how, value] = /^(\w+), (fixed to|default) (.*)$/.exec(text) || [];
  const plain = { integer: Number, number: Number, boolean: (v) => v === "true" };
  return { fixed: how === "fixed to", value: kind && (plain[kind] || String)(value) };
}

/* A small request for a model of the operator's own names, types and shapes. */
function configured(meta) {
  const [data] = meta.inputs;
  const shape = data.shape.map((d) => d < 0 ? 4 : d);
  const example = { label: "As the model is configured", shape, datatype: data.datatype, parameters: {} };
  const bits = BITS[data.datatype] || 20;
  const element = { BOOL: (i) => i % 2 === 1, BYTES: (i) => `item ${i}` }[data.datatype];
  const complex = data.datatype.startsWith("COMPLEX") ? 2 : 1;

  if (product(shape) > MOST.answer)
    return { label: example.label, note: "a request of this model's shape is too large for the form" };
  example.data = range(product(shape) * complex).map(element || ((i) => i % 2 ** bits));
  if (meta.properties["attribute mode"]) {
    const mode = attribute(meta, "mode");
    const mask = mode.value === "mask";
    if (!mode.fixed) example.parameters.mode = "index";
    example.control = mask ? shape.map(() => true) : [0];
    example.control_datatype = mask ? "BOOL" : "INT64";
  } else if (!meta.properties["attribute batch_axis"]) {
    const [first] = examples[operator(meta)];
    Object.assign(example, { control: first.control, control_datatype: first.control_datatype });
    for (const [name, value] of Object.entries(first.parameters || {}))
      if (!attribute(meta, name).fixed) example.parameters[name] = value;
  } else {
    const axis = (...names) => names.map((n) => attribute(meta, n).value)
      .find((v) => v !== undefined);
    const at = (a) => shape[a < 0 ? a + shape.length : a];
    const time = at(axis("time_axis", "seq_axis"));
    example.control = range(at(axis("batch_axis"))).map((i) => Math.max(Math.min(time, 1), time - i));
  }
  return example;
}

const of_model = (meta) => examples[meta.name] || [configured(meta)];

/* Rows of the data each on a line of its own, below each other. */
function nested(data, shape, indent) {
  const one = shape.length < 2;
  if (shape.length === 0) return JSON.stringify(data);
  const step = data.length / shape[0];
  const parts = range(shape[0]).map((i) => one
    ? JSON.stringify(data[i])
    : nested(data.slice(i * step, (i + 1) * step), shape.slice(1), indent + 1));
  return `[${parts.join(one ? ", " : `,\n${" ".repeat(indent + 1)}`)}]`;
}

const spaced = (value) => JSON.stringify(value).replaceAll(":", ": ").replaceAll(",", ", ");

function write(meta, example) {
  const [data, control] = meta.inputs;
  const type = example.datatype || "FP32";
  const values = example.data || range(product(example.shape));
  const flat = type.startsWith("COMPLEX") ? [values.length] : example.shape;
  const input = (name, datatype, shape, text) => `    {"name": ${JSON.stringify(name)}, "datatype": "${datatype}",\n` +
    `     "shape": ${spaced(shape)},\n     "data": ${text}}`;
  const inputs = [input(data.name, type, example.shape, nested(values, flat, 13))];
  if (example.control)
    inputs.push(input(control.name, example.control_datatype || control.datatype,
      [example.control.length], spaced(example.control)));
  const parameters = Object.entries(example.parameters || {}).map(([name, value]) => `"${name}": ${spaced(value)}`);
  const long = parameters.join().length > 34;
  return `{\n${parameters.length ? `  "parameters": {${long ? "\n    " : ""}${parameters.join(long ? ",\n    " : ", ")}},\n` : ""}` +
    `  "inputs": [\n${inputs.join(",\n")}\n  ]\n}\n`;
}

/* The backward pass needs what a forward pass answered: asks for one. */
async function with_context(example) {
  const meta = await meta_of(example.forward);
  const forward = await ask(url_of(example.forward), { method: "POST", body: write(meta, examples[example.forward][0]) });
  const answer = await forward.json();
  if (!forward.ok) throw new Refusal(example.forward, forward.status, answer.error);
  return { ...example, parameters: { backward_context: answer.parameters.backward_context } };
}
