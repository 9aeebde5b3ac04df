/* The cards of the models, and the page's start. */

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
