/* The cards of the models, the page's start, and what its parts answer to. */

function card(meta) {
  const list = el("dl");
  const entry = (title, ...lines) => list.append(el("dt", { textContent: title }),
    ...lines.map((line) => el("dd", {}, ...line)));
  const describe = (t) => [el("code", { textContent: t.name }), ` ${t.datatype} [${t.shape.join(", ")}]`];
  const attributes = Object.entries(meta.properties)
    .filter(([key]) => key.startsWith("attribute "))
    .map(([key, value]) => [el("code", { textContent: key.slice(10) }), ` ${value}`]);
  const button = el("button", { type: "button", className: "quiet", textContent: "Try it" });

  button.setAttribute("aria-label", `Try it: ${meta.name}`);
  button.addEventListener("click", async () => {
    await choose(meta.name);
    $("form").scrollIntoView();
    $("model").focus({ preventScroll: true });
  });
  entry("Inputs", ...meta.inputs.map(describe));
  entry("Output", ...meta.outputs.map(describe));
  const types = meta.properties.datatypes.split(", ");
  entry("Datatypes", [types.length < 8 ? types.join(", ")
    : el("details", {}, el("summary", { textContent: `${types.length} datatypes` }), types.join(", "))]);
  if (attributes.length) entry("Attributes", ...attributes);
  return el("article", {}, el("h3", {}, meta.name, el("small", { textContent: `version ${meta.versions.join(", ")}` })),
    el("p", { textContent: `${meta.properties.summary}.` }), list, button);
}

async function begin() {
  const { models } = await (await get("v2/models")).json();
  $("model").replaceChildren(...models.map((name) => el("option", { textContent: name })));
  await load_model();
  await submit();
  const all = await Promise.all(models.slice(0, MOST.cards).map(meta_of));
  const more = models.length - all.length;
  $("cards").replaceChildren(...all.map(card));
  $("models-note").textContent = "Shapes and datatypes are those of the metadata; −1 stands for any size. An operator of its own name takes any rank." +
    (more > 0 ? ` The form has ${more} more models.` : "");
}

function start() {
  begin().catch((error) => {
    if (!unlock(error, start)) fail(`The models could not be read: ${error.message}.`);
    for (const side of ["in", "out"]) say(side, "Nothing to show yet.");
  });
}

function headers_dropped() {
  show_code();
  $("send").focus();
}

$("model").addEventListener("change", load_model);
$("example").addEventListener("change", load_model_example);
$("reset").addEventListener("click", load_model_example);
$("request").addEventListener("input", preview);
$("query").addEventListener("input", preview);
$("again").addEventListener("click", () => { unpoint(); travel(); });
$("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  await submit();
  if (document.activeElement === document.body) $("send").focus();
});
$("form").addEventListener("keydown", (event) => {
  if (event.target.matches("textarea") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    $("form").requestSubmit();
  }
});
$("forget").addEventListener("click", () => {
  file = null;
  load_model();
});
$("file").addEventListener("change", () => {
  if ($("file").files[0]) open_file($("file").files[0]);
  $("file").value = "";
});
for (const type of ["dragover", "dragleave", "drop"])
  document.addEventListener(type, (event) => {
    const has_file = [...event.dataTransfer.items].some((item) => item.kind === "file");
    if (!has_file) return;
    event.preventDefault();
    $("form").classList.toggle("dropping", type === "dragover");
    if (type === "drop") open_file(event.dataTransfer.files[0]);
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
choose_code("curl");
start();
