/* The request in the form: read, sent, and its answer shown. */

const url_of = (model) => new URL(`v2/models/${encodeURIComponent(model)}/infer`, location.href).href;
const meta_now = () => metas[$("model").value];
const HOW = matchMedia("(hover: none)").matches ? "Tap an element to see its way."
  : "Point at an element, or walk there with Tab and the arrow keys, to see its way.";

/* What is asked now, for the snippets and for sending. */
function request_now() {
  const model = $("model").value;
  const url = url_of(model) + (file ? `?${$("query").value.trim()}` : "");
  return { model, meta: meta_now(), url, text: $("request").value,
    headers: file ? NPY_HEADER : {}, body: file ? file.bytes : $("request").value };
}

const document_now = () => file ? file_document(meta_now()) : parse($("request").value);

function fail(text) {
  $("error").textContent = text;
  $("error").hidden = !text;
}

const note = (text) => el("p", { className: "control", textContent: text });

/* The request's lengths or axes, or its context, as a line below the input. */
function control_note(doc) {
  const control = input_of(doc, meta_now(), 1);
  const context = doc.parameters && doc.parameters.backward_context;
  const some = (values) => values.slice(0, 32).join(", ") + (values.length > 32 ? ", …" : "");
  if (context) {
    const { batch, time, lens } = read_context(String(context));
    return [note(`backward_context = ${context}`),
      note(`says: batch_axis ${batch}, time_axis ${time}, lengths ${some(lens)}`)];
  }
  return control && control.data ? [note(`${control.name} = ${some([control.data].flat(Infinity).map(String))}`)] : [];
}

function read_input(doc) {
  const t = file ? file_tensor(file.bytes, meta_now().inputs[0].name) : tensor(input_of(doc, meta_now(), 0));
  if (!file && t.cells.length !== product(t.shape))
    throw new Error(`shape [${t.shape.join(", ")}] holds ${product(t.shape)} elements, but data has ${t.cells.length}`);
  const sequences = sequences_of(doc, meta_now(), t.shape.length);
  t.sequences = sequences?.lens && sequences;
  t.roles = roles_of(doc, meta_now(), t.shape.length);
  t.notes = control_note(doc);
  return t;
}

/* The input as it stands in the text; what was answered is no longer true. */
function preview() {
  from = to = null;
  fail("");
  unpoint();
  for (const id of ["timing", "raw", "raw-is"]) $(id).textContent = "";
  $("where").textContent = HOW;
  $("again").disabled = true;
  say("out", "Send the request to see the output.");
  show_code();
  try {
    sides.in = read_input(document_now());
    draw("in");
  } catch (error) {
    say("in", error instanceof SyntaxError ? "The request is not JSON yet."
      : !meta_now() ? "Nothing to draw: the model is not known."
      : error instanceof TypeError ? `There is no input "${meta_now().inputs[0].name}" with shape and data to draw.`
      : `Nothing to draw: ${error.message}.`);
  }
}

/* What cannot even be sent: the answer that stands there is not its answer. */
function refuse(text) {
  preview();
  say("out", "No output: nothing was sent.");
  fail(text);
}

/* The same permutation once more, with the elements' numbers as data: the result
 * says where each was. The operator itself is asked, because a configured
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
  const data = input_of(doc, meta, 0);
  const inputs = doc.inputs.map((input) => input !== data ? input
    : { name: input.name, datatype: "FP64", shape: input.shape, data: range(count) });
  const answer = await ask(url_of(operator(meta)), { method: "POST", body: JSON.stringify({ parameters, inputs }) });
  if (!answer.ok) throw new Error((await answer.json()).error);
  from = (await answer.json()).outputs[0].data;
  to = [];
  from.forEach((i, o) => { to[i] = o; });
}

/* A forward answer's context, and the way back with it. */
function context_notes(answer) {
  const context = answer.parameters && answer.parameters.backward_context;
  if (!context) return [];
  const back = el("button", { type: "button", className: "quiet", textContent: "Use it for the backward pass" });
  back.addEventListener("click", () => choose("graiphic.ReverseSequenceGrad"));
  return [note(`backward_context = ${context}`), back];
}

function summary(count) {
  const moved = from.filter((i, o) => i !== o).length;
  const ends = sides.in.sequences ? " A line marks each sequence's end; what is behind it is pale and stays." : "";
  return `${moved} of ${count} elements moved.${ends} ${HOW}`;
}

async function show(doc, meta, out) {
  const count = product(out.shape);
  sides.out = { ...out, sequences: sides.in?.sequences, roles: sides.in?.roles };
  if (!sides.in) throw new Error("the input could not be drawn, so where its elements went cannot either");
  if (count > 0 && count <= MOST.moved && !out.picture) await trace(doc, meta, count);
  draw("in");
  draw("out");
  $("again").disabled = !from;
  $("where").textContent = from ? summary(count)
    : out.picture ? "The tensor of a picture: axis 0 is its rows, axis 1 its columns, axis 2 red, green, blue and alpha."
    : count > MOST.moved && !out.picture ? `${count} elements are more than are followed here (${MOST.moved}).` : "";
  travel();
}

const milliseconds = (ms) => ms < 1 ? `${(ms * 1000).toFixed(0)} µs` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

/* What the server says that it took: "queue;dur=0.01, read;dur=0.02, …". */
function server_time(headers) {
  const parts = [...(headers.get("Server-Timing") || "").matchAll(/([\w-]+);dur=([\d.]+)/g)]
    .map(([, name, ms]) => [name, Number(ms)]);
  const total = parts.find(([name]) => name === "total");
  const all = total ? total[1] : parts.reduce((sum, [, ms]) => sum + ms, 0);
  return parts.length ? [el("br"), `In the server ${milliseconds(all)}: ${parts.filter((part) => part !== total)
    .map(([name, ms]) => `${name} ${milliseconds(ms)}`).join(" · ")}`] : [];
}

/* The answer as it came: its text, then the bytes of binary tensors, both cut where they
 * are long. A .npy begins with bytes that are no text. */
function show_raw(bytes, headers) {
  const type = headers.get("Content-Type") || "no type";
  const is_npy = type === NPY_HEADER["Content-Type"];
  const end = is_npy ? npy_data(bytes) : Number(headers.get("Inference-Header-Content-Length")) || bytes.length;
  const text = bytes.slice(0, Math.min(end, MOST.text)), binary = bytes.slice(end, end + MOST.binary);
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  const left_out = bytes.length - text.length - binary.length;
  const count = (n) => n.toLocaleString("en");

  $("raw").textContent = (is_npy
    ? [...text].map((b) => b === 10 || (b > 31 && b < 127) ? String.fromCharCode(b) : `\\x${hex(b)}`).join("")
    : new TextDecoder().decode(text, { stream: true })) + (binary.length ? `\n${[...binary].map(hex).join(" ")}` : "");
  $("raw-is").textContent = `${type}, ${count(bytes.length)} bytes` +
    (end < bytes.length ? `, ${count(bytes.length - end)} of them binary` : "") +
    (left_out ? `; ${count(left_out)} are left out here` : "");
}

async function send_now() {
  const request = request_now();
  const started = performance.now();
  const answer = await ask(request.url, { method: "POST", body: request.body, headers: request.headers });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const took = performance.now() - started;
  const sent = file ? file.bytes.length : new TextEncoder().encode(request.body).length;

  $("timing").replaceChildren(el("b", { textContent: `${answer.status} ${answer.statusText}` }),
    ` in ${milliseconds(took)} · ${sent.toLocaleString("en")} bytes out, ${bytes.length.toLocaleString("en")} in`,
    ...server_time(answer.headers));
  show_raw(bytes, answer.headers);
  return { ok: answer.ok, status: answer.status, bytes, type: answer.headers.get("Content-Type") || "" };
}

function refused(answer, text) {
  say("out", "No output: the request was refused.");
  if (!unlock(new Refusal("", answer.status, text), submit))
    fail(`The server refused this with status ${answer.status}: ${text}`);
}

async function send() {
  const meta = meta_now();
  const answer = await send_now();
  const text = () => new TextDecoder().decode(answer.bytes);

  if (!answer.ok) {
    refused(answer, JSON.parse(text()).error);
  } else if (answer.type.startsWith("application/json")) {
    const body = parse(text());
    await show(document_now(), meta, { ...tensor(body.outputs[0]), notes: context_notes(body) });
  } else if (file) {
    const t = file_tensor(answer.bytes, meta.outputs[0].name);
    await show(document_now(), meta, t);
    saving(answer.bytes, t);
  } else {
    say("out", "The answer is binary. Take binary_data and binary_data_output out of the request to see it here.");
  }
}

async function submit() {
  preview();
  $("send").disabled = true;
  try {
    await send();
  } catch (error) {
    fail(error instanceof TypeError && !sides.out ? "The server could not be reached. Is it still running?" : `This cannot be shown: ${error.message}.`);
    if (sides.out) draw("out");
  }
  $("send").disabled = false;
}

async function load_example() {
  const meta = meta_now();
  const list = file ? file_examples(meta) : of_model(meta);
  let example = list[$("example").value];

  $("json").hidden = !!file;
  $("loaded").hidden = !file;
  if (file) {
    $("file-name").textContent = file.name;
    $("file-is").textContent = `${file.array.datatype} [${file.array.shape.join(", ")}], ${file.bytes.length.toLocaleString("en")} bytes`;
    $("query").value = example.query;
  } else {
    if (example.forward) example = await with_context(example);
    $("request").scrollTop = 0;
    $("request").value = example.note ? `(${example.note})` : write(meta, example);
  }
  preview();
}

async function meta_of(name) {
  metas[name] ||= await (await get(`v2/models/${encodeURIComponent(name)}`)).json();
  return metas[name];
}

async function load_model() {
  try {
    const meta = await meta_of($("model").value);
    const list = file ? file_examples(meta) : of_model(meta);
    $("example").replaceChildren(...list.map((example, i) => el("option", { value: i, textContent: example.label })));
    await load_example();
  } catch (error) {
    if (!unlock(error, load_model)) refuse(`${$("model").value}: ${error.message}.`);
  }
}

async function load_model_example() {
  try {
    await load_example();
  } catch (error) {
    refuse(`This example cannot be made: ${error.message}.`);
  }
}

/* A model's first example, answered. */
async function choose(name) {
  $("model").value = name;
  await load_model();
  await submit();
}
