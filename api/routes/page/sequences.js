/* JSON as the server reads it, and the sequences that a request describes. */

/* A number keeps its text, and NaN and Infinity are numbers. */
class Num {
  constructor(text) { this.text = text; }
  toString() { return this.text; }
  toJSON() { return Number(this.text); }
}
function parse(text) {
  const token = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity|\d[-+.\deE]*)/g;
  const marked = text.replace(token, (t) => t[0] === '"' ? t : `{"#":"${t}"}`);
  return JSON.parse(marked, (key, value) =>
    value && typeof value === "object" && typeof value["#"] === "string"
      ? new Num(value["#"]) : value);
}

function tensor(object) {
  const shape = object.shape.map(Number);
  let cells = [object.data].flat(Infinity).map(String);
  if (object.datatype.startsWith("COMPLEX"))
    cells = cells.filter((_, i) => i % 2 === 0)
      .map((re, i) => `${re}, ${cells[2 * i + 1]}`);
  return { name: object.name, datatype: object.datatype, shape, cells };
}

const input_of = (doc, meta, i) => doc.inputs.find((input) => input.name === meta.inputs[i].name);

/* What a backward context says: api/infer/backward_context.c writes it. */
function read_context(text) {
  const bytes = [...atob(text.replaceAll("-", "+").replaceAll("_", "/"))].map((c) => c.charCodeAt(0));
  const numbers = [];
  let value = 0, unit = 1;
  for (const byte of bytes.slice(1, -8)) {
    value += (byte & 127) * unit;
    unit *= 128;
    if (byte < 128) {
      numbers.push(value);
      value = 0;
      unit = 1;
    }
  }
  const [batch, time, , steps, ...lens] = numbers;
  return { batch, time, steps, lens };
}

const from_front = (axis, rank) => axis < 0 ? axis + rank : axis;

/* The axes and lengths of the request's sequences; null for a model without them. No
 * lengths where the request has none as JSON. */
function sequences_of(doc, meta, rank) {
  const parameters = doc.parameters || {};
  const control = input_of(doc, meta, 1);
  const axis = (...names) => {
    const name = names.find((n) => meta.properties[`attribute ${n}`]);
    return from_front(Number(parameters[name] ?? attribute(meta, name).value), rank);
  };

  if (!meta.properties["attribute batch_axis"]) return null;
  if (parameters.backward_context) return read_context(String(parameters.backward_context));
  return { batch: axis("batch_axis"), time: axis("time_axis", "seq_axis"),
    lens: control && control.data && [control.data].flat(Infinity).map(Number) };
}

/* What each axis is to the request: batch, time, reversed, or nothing. */
function roles_of(doc, meta, rank) {
  const roles = [];
  const sequences = sequences_of(doc, meta, rank);
  const axes = [input_of(doc, meta, 1)?.data ?? []].flat(Infinity);
  const mode = doc.parameters?.mode ?? attribute(meta, "mode").value;

  if (sequences) {
    roles[sequences.batch] = "batch";
    roles[sequences.time] = meta.properties["attribute seq_axis"] ? "sequence" : "time";
  } else if (mode === "mask") {
    axes.forEach((is_reversed, axis) => { if (is_reversed) roles[axis] = "reversed"; });
  } else if (meta.properties["attribute mode"]) {
    for (const axis of axes) roles[from_front(Number(axis), rank)] = "reversed";
  }
  return roles;
}

const coordinates = (i, shape) => shape.map((d, axis) =>
  Math.floor(i / product(shape.slice(axis + 1))) % d);
const index_of = (i, shape) => `[${coordinates(i, shape).join(", ")}]`;

/* Axes lie across and down in turn, the last across. */
const lies_across = (axis, rank) => (rank - axis) % 2 === 1;

/* Of an element: whether it is behind its sequence's end, and at which edge of
 * it the end is drawn. */
function place_in_sequence(i, shape, s) {
  const at = coordinates(i, shape);
  const len = s.lens[at[s.batch]], step = at[s.time];
  const across = lies_across(s.time, shape.length);
  /* Of the axes inside the time axis that lie as it does, the outermost entry. */
  const on_edge = (last) => at.every((c, a) => a <= s.time ||
    lies_across(a, shape.length) !== across || c === (last ? shape[a] - 1 : 0));
  if (len > 0 && step === len - 1 && on_edge(true)) return { end: across ? "right" : "bottom" };
  if (len === 0 && step === 0 && on_edge(false)) return { behind: true, end: across ? "left" : "top" };
  return { behind: step >= len };
}
