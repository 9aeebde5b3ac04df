/* The requests that the form begins with, and what the form knows. */

const MOST = { rows: 16, columns: 12, tables: 8, moved: 100000, answer: 20000, cards: 12,
  text: 4000, binary: 256 };
const metas = {};   // what GET v2/models/{model} says, by name
const sides = { in: null, out: null }; // the tensors that are drawn
let from = null;    // from[o]: which input element output element o was
let to = null;      // the other way round

const square = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
const words = ["bit", "matter", "for", "does", "bit", "order", "reversed", "!"];
const columns = { label: "Four sequences in columns", shape: [4, 4], data: square, control: [4, 3, 2, 1] };
const rows = { label: "Four sequences in rows", shape: [4, 4], control: [1, 2, 3, 4] };
const axes = { batch_axis: 0, time_axis: 1 };
const examples = {
  "onnx.ReverseSequence": [
    columns,
    { ...rows, parameters: axes },
    { label: "Odd lengths: the middle stays", shape: [5, 4], datatype: "INT32", control: [5, 3, 1, 0] },
    { label: "Three axes: pairs move together", datatype: "INT32", shape: [4, 3, 2], control: [4, 3, 2] },
    { label: "Words", datatype: "BYTES", shape: [4, 2], data: words, control: [4, 3] },
  ],
  "openvino.ReverseSequence": [
    rows,
    { label: "Four axes, reversed along the last", datatype: "UINT8", shape: [2, 2, 3, 4], control: [4, 2], parameters: { seq_axis: -1 } },
    { label: "Lengths as floating-point numbers", shape: [3, 5], control: [5, 4, 2], control_datatype: "FP32" },
  ],
  "openvino.Reverse": [
    { label: "The columns, by index", shape: [4, 6], datatype: "INT32", control: [1], parameters: { mode: "index" } },
    { label: "Rows and columns, by mask", shape: [4, 6], datatype: "INT32", control: [true, true], control_datatype: "BOOL", parameters: { mode: "mask" } },
    { label: "Three axes, the first and the last", shape: [2, 3, 4], datatype: "INT8", control: [0, -1], parameters: { mode: "index" } },
    { label: "64 × 64, more than is drawn", shape: [64, 64], datatype: "INT32", control: [0], parameters: { mode: "index" } },
  ],
  "graiphic.ReverseSequence": [
    { ...columns, label: "Training: with a backward context" },
    { ...rows, label: "Inference, with names", parameters: { ...axes, training: false, name: "flip", specified_outputs_name: "flipped" } },
  ],
  "graiphic.ReverseSequenceGrad": [
    { label: "With the context of a forward pass", shape: [4, 4], data: square.map((x) => x / 2), forward: "graiphic.ReverseSequence" },
    { label: "With lengths: half of a gradient", shape: [4, 4], data: square.map((x) => x / 2), control: [4, 3, 2, 1], parameters: { lda_coeff: 0.5 } },
    { label: "Along rows", shape: [3, 4], control: [4, 3, 2], parameters: axes },
  ],
};

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
  const bits = { BOOL: 1, UINT1: 1, UINT2: 2, INT4: 3, UINT4: 4, INT8: 7, UINT8: 8 }[data.datatype] || 20;
  const element = { BOOL: (i) => i % 2 === 1, BYTES: (i) => `item ${i}` }[data.datatype];
  const complex = data.datatype.startsWith("COMPLEX") ? 2 : 1;

  if (product(shape) > MOST.answer)
    return { label: example.label, note: "a request of this model's shape is too large for the form" };
  example.data = range(product(shape) * complex).map(element || ((i) => i % 2 ** bits));
  if (operator(meta) === "openvino.Reverse") {
    const mode = attribute(meta, "mode");
    const mask = mode.value === "mask";
    if (!mode.fixed) example.parameters.mode = "index";
    example.control = mask ? shape.map(() => true) : [0];
    example.control_datatype = mask ? "BOOL" : "INT64";
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
