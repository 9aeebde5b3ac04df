
"use strict";
(() => {
const $ = (id) => document.getElementById(id);
const MOST = { rows: 16, columns: 12, slices: 8, moved: 100000, answer: 20000 };
const metas = {};   // what GET v2/models/{model} says, by name
const sides = { in: null, out: null }; // the tensors that are drawn
let from = null;    // from[o]: which input element output element o was
let to = null;      // the other way round

const range = (n) => Array.from({ length: n }, (_, i) => i);
const product = (list) => list.reduce((a, b) => a * b, 1);

function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/* JSON as the server reads it: a number keeps its text, and NaN and Infinity
 * are numbers. */
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

/* ---- examples ---- */

const square = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
const words = ["bit", "matter", "for", "does", "bit", "order", "reversed", "!"];
const columns = { label: "Four sequences in columns", shape: [4, 4], data: square, control: [4, 3, 2, 1] };
const rows = { label: "Four sequences in rows", shape: [4, 4], control: [1, 2, 3, 4] };
const axes = { batch_axis: 0, time_axis: 1 };
const examples = {
  "onnx.ReverseSequence": [
    columns,
    { ...rows, parameters: axes },
    { label: "Three axes: pairs of numbers move together", datatype: "INT32", shape: [4, 3, 2], control: [4, 3, 2] },
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
    { ...columns, label: "Training: the answer has a backward context" },
    { ...rows, label: "Inference, with names", parameters: { ...axes, training: false, name: "flip", specified_outputs_name: "flipped" } },
  ],
  "graiphic.ReverseSequenceGrad": [
    { label: "Half of a gradient", shape: [4, 4], data: square.map((x) => x / 2), control: [4, 3, 2, 1], parameters: { lda_coeff: 0.5 } },
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

function write(meta, example) {
  const [data, control] = meta.inputs;
  const type = example.datatype || "FP32";
  const values = example.data || range(product(example.shape));
  const spaced = (list) => JSON.stringify(list).replaceAll(",", ", ");
  const parameters = JSON.stringify(example.parameters || {})
    .replaceAll(":", ": ").replaceAll(",", ", ");
  const flat = type.startsWith("COMPLEX") ? [values.length] : example.shape;
  return `{\n${parameters === "{}" ? "" : `  "parameters": ${parameters},\n`}` +
    `  "inputs": [\n    {"name": ${JSON.stringify(data.name)}, "datatype": "${type}",` +
    ` "shape": ${spaced(example.shape)},\n     "data": ${nested(values, flat, 13)}},\n` +
    `    {"name": ${JSON.stringify(control.name)}, "datatype": "${example.control_datatype || control.datatype}",` +
    ` "shape": [${example.control.length}],\n     "data": ${spaced(example.control)}}\n  ]\n}\n`;
}

/* ---- grids ---- */

const index_of = (i, shape) => `[${shape.map((d, axis) =>
  Math.floor(i / product(shape.slice(axis + 1))) % d).join(", ")}]`;

/* The last two axes are a table, those before them choose which. */
function table_of(side, t, slice, height, width) {
  const shown = { rows: Math.min(height, MOST.rows), columns: Math.min(width, MOST.columns) };
  const table = el("table");
  const head = table.createTHead().insertRow();
  const title = t.shape.length > 2
    ? index_of(slice * height * width, t.shape).replace(/\d+, \d+\]$/, ":, :]") : "";

  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", `${side === "in" ? "Input" : "Output"} ${t.name} ${title}`);
  table.style.setProperty("--columns", shown.columns);
  table.classList.toggle("dense", shown.columns > 8);
  if (title) table.createCaption().textContent = `${t.name}${title}`;
  head.append(el("th"), ...range(shown.columns).map((c) => el("th", { scope: "col", textContent: c })));
  for (const r of range(shown.rows)) {
    const row = table.insertRow();
    row.append(el("th", { scope: "row", textContent: t.shape.length < 2 ? "" : r }));
    row.append(...range(shown.columns).map((c) =>
      cell_of(side, t, (slice * height + r) * width + c, width < 2 ? 0 : c / (width - 1))));
  }
  return table;
}

function cell_of(side, t, i, x) {
  const cell = el("td", { tabIndex: i === 0 ? 0 : -1, textContent: t.cells[i] });
  const origin = side === "in" ? i : from ? from[i] : i;
  const shape = t.shape;
  const other = side === "in" ? to : from;

  cell.dataset.i = i;
  if (side === "out" && from) {
    const width = shape.length ? shape[shape.length - 1] : 1;
    x = width < 2 ? 0 : (origin % width) / (width - 1);
  }
  cell.style.setProperty("--h", 25 + 320 * origin / t.cells.length);
  cell.style.setProperty("--x", x);
  cell.setAttribute("role", "gridcell");
  cell.classList.toggle("kept", !!other && other[i] === i);
  cell.setAttribute("aria-label", `${t.cells[i]} at ${index_of(i, shape)}` + (!other ? ""
    : other[i] === i ? ", in its place"
    : `, ${side === "in" ? "went to" : "came from"} ${index_of(other[i], shape)}`));
  return cell;
}

function draw(side) {
  const t = sides[side];
  const [height, width] = t.shape.length < 2 ? [1, t.shape.length ? t.shape[0] : 1] : t.shape.slice(-2);
  const slices = product(t.shape.slice(0, -2));
  const view = $(side);
  const cut = [[height, MOST.rows, "rows"], [width, MOST.columns, "columns"], [slices, MOST.slices, "slices"]]
    .filter(([is, most]) => is > most).map(([is, most, what]) => `${most} of ${is} ${what}`);

  view.replaceChildren(el("p", { className: "mono", textContent: `${t.name}  ${t.datatype} [${t.shape.join(", ")}]` }));
  if (product(t.shape) === 0) {
    view.append(el("p", { className: "empty", textContent: "An empty tensor: it has no elements." }));
    return;
  }
  view.append(el("div", { className: slices > 1 ? "slices" : "" },
    ...range(Math.min(slices, MOST.slices)).map((slice) => table_of(side, t, slice, height, width))));
  if (side === "in" && t.control) view.append(el("p", { className: "control", textContent: t.control }));
  if (cut.length) view.append(el("p", { textContent: `Only ${cut.join(", ")} are drawn.` }));
}

function say(side, text) {
  sides[side] = null;
  $(side).replaceChildren(el("p", { className: "empty", textContent: text }));
}

const cell_at = (side, i) => $(side).querySelector(`td[data-i="${i}"]`);

/* Where a cell is, unless its pane has scrolled it out of sight. */
function place(cell) {
  const box = cell.getBoundingClientRect();
  const view = cell.closest(".view").getBoundingClientRect();
  const origin = $("panes").getBoundingClientRect();
  const x = box.left + box.width / 2;
  if (x < view.left || x > view.right) return null;
  return { x: x - origin.left, y: box.top + box.height / 2 - origin.top,
    w: box.width / 2 + 5, h: box.height / 2 + 5 };
}

/* An arrow from edge to edge, so that both values can be read. */
function join(source, target) {
  const a = source && place(source), b = target && place(target);
  $("wire").style.visibility = a && b ? "visible" : "hidden";
  if (!a || !b) return;
  const across = b.x - a.x > Math.abs(b.y - a.y) / 2;
  const [ax, ay] = across ? [a.x + a.w, a.y] : [a.x, a.y + a.h];
  const [bx, by] = across ? [b.x - b.w, b.y] : [b.x, b.y - b.h];
  const [dx, dy] = across ? [(bx - ax) / 2, 0] : [0, (by - ay) / 2];
  for (const path of document.querySelectorAll("#wire > path"))
    path.setAttribute("d", `M${ax} ${ay}C${ax + dx} ${ay + dy} ${bx - dx} ${by - dy} ${bx} ${by}`);
}

function unpoint() {
  document.querySelectorAll("td.on").forEach((cell) => cell.classList.remove("on"));
  join(null, null);
}

function point(cell) {
  const side = cell.closest(".view").id;
  const i = Number(cell.dataset.i);
  const known = side === "in" ? to : from;
  const a = side === "in" ? i : known && known[i];
  const b = side === "out" ? i : known && known[i];
  const at = (name, j) => `${sides[name].name}${index_of(j, sides[name].shape)}`;

  unpoint();
  cell.classList.add("on");
  if (!known) {
    $("where").textContent = `${at(side, i)} is ${sides[side].cells[i]}` +
      (side === "in" && !sides.out ? ": send the request to see where it goes" : "");
    return;
  }
  const ends = [cell_at("in", a), cell_at("out", b)];
  ends.forEach((end) => end && end.classList.add("on"));
  join(...ends);
  $("where").textContent = `${at("in", a)} = ${sides.in.cells[a]}  →  ${at("out", b)} = ${sides.out.cells[b]}` +
    (a === b ? "  (in its place)" : "");
}

function walk(event) {
  const cell = event.target.closest("td");
  if (!cell) return;
  const side = cell.closest(".view").id;
  const shape = sides[side].shape;
  const width = shape.length ? shape[shape.length - 1] : 1;
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -width, ArrowDown: width };
  const i = event.key === "Home" ? 0 : Number(cell.dataset.i) + steps[event.key];
  const next = cell_at(side, i);
  if (!(event.key in steps) && event.key !== "Home") return;
  event.preventDefault();
  if (!next) return;
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

/* ---- the request ---- */

const url_of = (model) => new URL(`v2/models/${encodeURIComponent(model)}/infer`, location.href).href;
const data_input = (doc, meta) => doc.inputs.find((input) => input.name === meta.inputs[0].name);
const meta_now = () => metas[$("model").value];

function fail(text) {
  $("error").textContent = text;
  $("error").hidden = !text;
}

/* The input as it stands in the text; what was answered is no longer true. */
function preview() {
  from = to = null;
  fail("");
  unpoint();
  $("timing").textContent = "";
  $("where").textContent = "Point at an element, or walk there with Tab and the arrow keys, to see where it goes.";
  say("out", "Send the request to see the output.");
  $("curl").textContent = `curl -s '${url_of($("model").value)}' -d '${$("request").value.trim().replaceAll("'", "'\\''")}'`;
  try {
    const doc = parse($("request").value);
    const t = tensor(data_input(doc, meta_now()));
    const control = doc.inputs.find((input) => input.name === meta_now().inputs[1].name);
    if (control && control.data) {
      const values = tensor(control).cells;
      t.control = `${control.name} = ${values.slice(0, 32).join(", ")}${values.length > 32 ? ", …" : ""}`;
    }
    if (t.cells.length !== product(t.shape))
      throw new Error(`shape [${t.shape.join(", ")}] holds ${product(t.shape)} elements, but data has ${t.cells.length}`);
    sides.in = t;
    draw("in");
  } catch (error) {
    say("in", error instanceof SyntaxError ? "The request is not JSON yet."
      : error instanceof TypeError ? `There is no input "${meta_now().inputs[0].name}" with shape and data to draw.`
      : `Nothing to draw: ${error.message}.`);
  }
}

/* The same movement once more, with the elements' numbers as data: what comes
 * back says where each was. The operator itself is asked, because a configured
 * model may take one datatype only. */
async function trace(doc, meta, count) {
  const parameters = {};
  for (const key of Object.keys(meta.properties)) {
    const name = key.replace("attribute ", "");
    const { fixed, value } = attribute(meta, name);
    if (fixed) parameters[name] = value;
  }
  Object.assign(parameters, doc.parameters);
  for (const key of ["lda_coeff", "lda coeff", "timeout", "binary_data_output"]) delete parameters[key];
  const inputs = doc.inputs.map((input) => input !== data_input(doc, meta) ? input
    : { name: input.name, datatype: "FP64", shape: input.shape, data: range(count) });
  const answer = await fetch(url_of(operator(meta)), { method: "POST", body: JSON.stringify({ parameters, inputs }) });
  if (!answer.ok) throw new Error((await answer.json()).error);
  from = (await answer.json()).outputs[0].data;
  to = [];
  from.forEach((i, o) => { to[i] = o; });
}

async function show(doc, meta, answer) {
  sides.out = tensor(answer.outputs[0]);
  const count = sides.out.cells.length;
  if (!sides.in) throw new Error("the input could not be drawn, so where its elements went cannot either");
  if (count > 0 && count <= MOST.moved) await trace(doc, meta, count);
  draw("in");
  draw("out");
  if ($("panes").getBoundingClientRect().top > innerHeight / 2) $("timing").scrollIntoView();
  if (from) {
    const moved = from.filter((i, o) => i !== o).length;
    $("where").textContent = `${moved} of ${count} elements moved; ${moved < count ? "the pale ones stayed" : "none stayed"}. Point at one, or walk there with Tab and the arrow keys, to see its way.`;
  } else if (count > 0) {
    $("where").textContent = `${count} elements are more than are followed here (${MOST.moved}).`;
  }
}

const milliseconds = (ms) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

async function ask(body) {
  const started = performance.now();
  const answer = await fetch(url_of($("model").value), { method: "POST", body });
  const first = performance.now() - started;
  const bytes = await answer.arrayBuffer();
  const all = performance.now() - started;
  const sent = new TextEncoder().encode(body).length;

  $("timing").replaceChildren(el("b", { textContent: `${answer.status} ${answer.statusText}` }),
    ` · headers after ${milliseconds(first)}, all after ${milliseconds(all)}` +
    ` · ${sent.toLocaleString("en")} bytes sent, ${bytes.byteLength.toLocaleString("en")} received`);
  return { ok: answer.ok, status: answer.status, text: new TextDecoder().decode(bytes),
    binary: !(answer.headers.get("Content-Type") || "").startsWith("application/json") };
}

async function send() {
  const body = $("request").value;
  const meta = meta_now();
  const answer = await ask(body);

  $("answer").textContent = answer.binary ? "(binary)" : answer.text.length <= MOST.answer ? answer.text
    : `${answer.text.slice(0, MOST.answer)}\n… and ${answer.text.length - MOST.answer} characters more`;
  if (answer.binary) {
    say("out", "The answer is binary. Take binary_data and binary_data_output out of the request to see it here.");
  } else if (!answer.ok) {
    fail(`The server refused this with status ${answer.status}: ${JSON.parse(answer.text).error}`);
    say("out", "No output: the request was refused.");
  } else {
    await show(parse(body), meta, parse(answer.text));
  }
}

async function submit(event) {
  event.preventDefault();
  preview();
  $("send").disabled = true;
  try {
    await send();
  } catch (error) {
    fail(error instanceof TypeError && !sides.out ? "The server could not be reached. Is it still running?" : `This cannot be shown: ${error.message}.`);
    if (sides.out) draw("out");
  }
  $("send").disabled = false;
  if (document.activeElement === document.body) $("send").focus();
}

function load_example() {
  const example = of_model(meta_now())[$("example").value];
  $("request").scrollTop = 0;
  $("request").value = example.note ? `(${example.note})` : write(meta_now(), example);
  $("request").rows = Math.min(16, $("request").value.split("\n").length);
  preview();
}

function load_model() {
  $("example").replaceChildren(...of_model(meta_now()).map((example, i) =>
    el("option", { value: i, textContent: example.label })));
  load_example();
}

/* ---- the models ---- */

function card(meta) {
  const list = el("dl");
  const entry = (title, ...lines) => list.append(el("dt", { textContent: title }),
    ...lines.map((line) => el("dd", {}, ...line)));
  const describe = (t) => [el("code", { textContent: t.name }), ` ${t.datatype} [${t.shape.join(", ")}]`];
  const attributes = Object.entries(meta.properties)
    .filter(([key]) => key.startsWith("attribute "))
    .map(([key, value]) => [el("code", { textContent: key.slice(10) }), ` ${value}`]);
  const button = el("button", { type: "button", className: "quiet", textContent: "Try it" });

  button.setAttribute("aria-label", `Try ${meta.name}`);
  button.addEventListener("click", () => {
    $("model").value = meta.name;
    load_model();
    $("try").scrollIntoView();
    $("model").focus({ preventScroll: true });
  });
  entry("Inputs", ...meta.inputs.map(describe));
  entry("Output", ...meta.outputs.map(describe));
  const types = meta.properties.datatypes.split(", ");
  entry("Datatypes", [types.length < 8 ? types.join(", ")
    : el("details", {}, el("summary", { textContent: `${types.length} of them` }), types.join(", "))]);
  if (attributes.length) entry("Attributes", ...attributes);
  return el("article", {}, el("h3", {}, meta.name, el("small", { textContent: `version ${meta.versions.join(", ")}` })),
    el("p", { textContent: `${meta.properties.summary}.` }), list, button);
}

async function get(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}

async function begin() {
  const { models } = await get("v2/models");
  const all = await Promise.all(models.map((name) => get(`v2/models/${encodeURIComponent(name)}`)));
  for (const meta of all) metas[meta.name] = meta;
  $("cards").replaceChildren(...all.map(card));
  $("models-note").textContent = "Shapes and datatypes are what a client is told first; −1 is any extent, and under “Datatypes” stands all that is taken.";
  $("model").replaceChildren(...all.map(({ name }) => el("option", { textContent: name })));
  load_model();
  $("form").hidden = false;
  const server = await get("v2");
  $("version").textContent = server.version;
}

$("model").addEventListener("change", load_model);
$("example").addEventListener("change", load_example);
$("reset").addEventListener("click", load_example);
$("request").addEventListener("input", preview);
$("form").addEventListener("submit", submit);
$("request").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});
for (const side of ["in", "out"]) {
  for (const type of ["focusin", "pointerover"])
    $(side).addEventListener(type, (event) => {
      const cell = event.target.closest("td");
      if (cell) point(cell);
    });
  $(side).addEventListener("pointerleave", unpoint);
  $(side).addEventListener("focusout", unpoint);
  $(side).addEventListener("scroll", unpoint);
  $(side).addEventListener("keydown", walk);
}
begin().catch((error) => {
  $("models-note").textContent = `The models could not be read: ${error.message}.`;
});
})();
