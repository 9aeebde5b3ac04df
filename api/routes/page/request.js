/* The request in the form: read, sent, and its answer shown. */

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
