/* Tensors as grids, and which element of one is which of the other. */

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
