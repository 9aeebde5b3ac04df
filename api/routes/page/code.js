/* The request in the form, as other clients write it. Each ends a refused request with
 * the server's own sentence. */

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const string = (text) => JSON.stringify(text);

/* JSON text in another language: the words in `names` are replaced, all else of
 * it stands there as well. */
function translate(text, names) {
  return text.trim().replace(/"(?:[^"\\]|\\.)*"|-?\b(?:true|false|null|NaN|Infinity)\b/g, (token) =>
    token[0] === '"' ? string(JSON.parse(token)) : names[token] || token);
}
const PYTHON = { true: "True", false: "False", null: "None", NaN: 'float("nan")', Infinity: 'float("inf")', "-Infinity": '-float("inf")' };
const indented = (text, by) => text.replaceAll("\n", `\n${" ".repeat(by)}`);
const has_nan = (text) => /NaN|Infinity/.test(text.replace(/"(?:[^"\\]|\\.)*"/g, ""));
/* Whether a JavaScript number says all that the text says. */
const is_exact = (text) => !has_nan(text) && !/\d{16}/.test(text);

const NPY_HEADER = { "Content-Type": "application/x-npy" };
const python_headers = (headers) => Object.keys(headers).length
  ? `, headers=${translate(spaced(headers), PYTHON)}` : "";

function curl(request) {
  const headers = Object.entries({ ...request.headers, ...secrets })
    .map(([name, value]) => ` \\\n  -H ${quoted(`${name}: ${value}`)}`).join("");
  return file
    ? `curl -sS --fail-with-body ${quoted(request.url)}${headers} \\\n  --data-binary ${quoted(`@${file.name}`)} -o ${quoted(`reversed-${file.name}`)} ||\n` +
      `  (grep -s error ${quoted(`reversed-${file.name}`)} && false)`
    : `curl -sS --fail-with-body ${quoted(request.url)}${headers} \\\n  -d ${quoted(request.text.trim())}`;
}

function python(request) {
  const headers = { ...request.headers, ...secrets };
  const url = `answer = requests.post(\n    ${string(request.url)},\n    `;
  const refused = "if not answer.ok:\n    sys.exit(answer.text)\n";
  if (file)
    return `import io\nimport sys\nimport numpy as np\nimport requests\n\n${url}data=open(${string(file.name)}, "rb")${python_headers(headers)})\n` +
      `${refused}print(np.load(io.BytesIO(answer.content)))`;
  const body = indented(translate(request.text, PYTHON), 4);
  const nan = has_nan(request.text);
  return `${nan ? "import json\n" : ""}import sys\nimport requests\n\n${url}${nan ? `data=json.dumps(${body})` : `json=${body}`}${python_headers(headers)})\n` +
    `${refused}print(answer.json()["outputs"][0]["data"])`;
}

const NUMPY = { BOOL: "bool", FP16: "float16", FP32: "float32", FP64: "float64", BYTES: "object", BF16: "float32" };
/* As NumPy writes it; undefined where tritonclient does not send this type. */
const numpy_of = (datatype) => NUMPY[datatype] || (/^U?INT(8|16|32|64)$/.test(datatype) ? datatype.toLowerCase() : undefined);
/* Arguments of infer(), not parameters; the client chooses the form itself. */
const ARGUMENTS = { timeout: "timeout", priority: "priority", binary_data_output: "" };

function triton_parameters(doc, headers) {
  const rest = {};
  let text = doc.id ? `, request_id=${string(doc.id)}` : "";
  for (const [name, value] of Object.entries(doc.parameters || {})) {
    if (!(name in ARGUMENTS)) rest[name] = value;
    else if (ARGUMENTS[name]) text += `, ${ARGUMENTS[name]}=${value}`;
  }
  if (Object.keys(rest).length) text += `,\n    parameters=${translate(spaced(rest), PYTHON)}`;
  return text + (Object.keys(headers).length ? `,\n    headers=${translate(spaced(headers), PYTHON)}` : "");
}

/* Whether the data is nested as its shape, or is a file's. */
const has_shape = ({ data, shape }) => data === undefined ||
  shape.every((d, axis) => range(axis).reduce((part) => part?.[0], data)?.length === Number(d));

function triton_input(input, at) {
  const type = numpy_of(input.datatype);
  const dtype = type === "object" || type === "bool" ? type : `np.${type}`;
  const values = input.data === undefined ? `np.load(${string(file.name)}).astype(${dtype})`
    : `np.array(${translate(numbers(input.data), PYTHON)}, dtype=${dtype})`;
  const shape = `[${input.shape.map(String).join(", ")}]`;
  return `${at} = http.InferInput(${string(input.name)}, ${shape}, ${string(input.datatype)})\n` +
    `${at}.set_data_from_numpy(${values}${has_shape(input) ? "" : `.reshape(${shape})`})\n`;
}

/* Data as JSON, each number with the text that it had. */
function numbers(value) {
  return Array.isArray(value) ? `[${value.map(numbers).join(", ")}]`
    : value instanceof Num ? value.text : JSON.stringify(value);
}

function tritonclient(request) {
  const url = new URL(location.href);
  const doc = file ? file_document(request.meta) : parse(request.text);
  const odd = doc.inputs.find((input) => !numpy_of(input.datatype));
  if (odd) return `# tritonclient has no ${odd.datatype}: take one of the others.`;
  const names = doc.inputs.map((_, i) => i ? "control" : "data");
  return "import numpy as np\nimport tritonclient.http as http\n\n" +
    `client = http.InferenceServerClient(${string(url.host)}${url.protocol === "https:" ? ", ssl=True" : ""})\n` +
    doc.inputs.map((input, i) => triton_input(input, names[i])).join("") +
    `answer = client.infer(${string(request.model)}, [${names.join(", ")}]${triton_parameters(doc, secrets)})\n` +
    'print(answer.as_numpy(answer.get_response()["outputs"][0]["name"]))';
}

function javascript(request) {
  const headers = { ...request.headers, ...secrets };
  const exact = !file && is_exact(request.text);
  const body = file ? `await readFile(${string(file.name)})`
    : exact ? `JSON.stringify(${indented(request.text.trim(), 2)})`
    : `\`${indented(request.text.trim().replace(/[\\`$]/g, "\\$&"), 2)}\``;
  return (file ? 'import { readFile, writeFile } from "node:fs/promises";\n\n' : "") +
    `const answer = await fetch(${string(request.url)}, {\n  method: "POST",\n` +
    (Object.keys(headers).length ? `  headers: ${spaced(headers)},\n` : "") + `  body: ${body},\n});\n` +
    "if (!answer.ok) throw new Error(await answer.text());\n" +
    (file ? `await writeFile(${string(`reversed-${file.name}`)}, new Uint8Array(await answer.arrayBuffer()));`
      : exact ? "const { outputs } = await answer.json();\nconsole.log(outputs[0].data);" : "console.log(await answer.text());");
}

const CODES = { curl, "Python": python, tritonclient, JavaScript: javascript };
let code_shown = "curl";

function show_code() {
  const request = request_now();
  try {
    $("code").textContent = CODES[code_shown](request);
  } catch {
    $("code").textContent = "The request is not one yet.";
  }
}

function choose_code(name) {
  code_shown = name;
  for (const tab of $("tabs").children) {
    const on = tab.textContent === name;
    tab.setAttribute("aria-selected", on);
    tab.tabIndex = on ? 0 : -1;
    if (on) $("code").setAttribute("aria-labelledby", tab.id);
  }
  show_code();
}

for (const name of Object.keys(CODES)) {
  const tab = el("button", { type: "button", id: `tab-${name}`, textContent: name });
  tab.setAttribute("role", "tab");
  tab.setAttribute("aria-controls", "code");
  tab.addEventListener("click", () => choose_code(name));
  $("tabs").append(tab);
}
$("tabs").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const tabs = [...$("tabs").children];
  if (!step) return;
  const next = tabs.at((tabs.findIndex((tab) => tab.textContent === code_shown) + step) % tabs.length);
  choose_code(next.textContent);
  next.focus();
});
$("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($("code").textContent);
    $("copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren($("code")); // http on another host: no clipboard
    $("copy").textContent = "Selected: Ctrl+C";
  }
  setTimeout(() => { $("copy").textContent = "Copy"; }, 2000);
});
