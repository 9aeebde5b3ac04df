/* Tensors as grids: the last two axes are a table, the axes before them lie
 * across and down in turn. */

function cell_of(side, t, i) {
  const shape = t.shape;
  const origin = side === "out" && from ? from[i] : i;
  const other = side === "in" ? to : from;
  const width = shape.length ? shape[shape.length - 1] : 1;
  const { behind, end } = t.sequences ? place_in_sequence(i, shape, t.sequences) : {};
  const cell = el("td", { tabIndex: i === 0 ? 0 : -1 }, el("span", { textContent: t.cells[i] }));

  cell.dataset.i = i;
  if (end) cell.dataset.end = end;
  cell.classList.toggle("behind", !!behind);
  /* The colour stays with the element. */
  cell.style.setProperty("--h", 25 + 320 * origin / t.cells.length);
  cell.style.setProperty("--x", width < 2 ? 0 : (origin % width) / (width - 1));
  cell.setAttribute("role", "gridcell");
  cell.setAttribute("aria-label", `${t.cells[i]} at ${index_of(i, shape)}` +
    (behind ? ", behind its sequence" : "") + (!other ? ""
    : other[i] === i ? ", in its place"
    : `, ${side === "in" ? "went to" : "came from"} ${index_of(other[i], shape)}`));
  return cell;
}

const unseen = (textContent) => el("span", { className: "unseen", textContent });

/* The table of the elements from `first` on. */
function table_of(side, t, first, height, width) {
  const [rows, columns] = [Math.min(height, MOST.rows), Math.min(width, MOST.columns)];
  const table = el("table");
  const head = table.createTHead().insertRow();
  const title = t.shape.length > 2
    ? index_of(first, t.shape).replace(/\d+, \d+\]$/, ":, :]") : "";

  table.setAttribute("role", "grid");
  table.setAttribute("aria-label", `${side === "in" ? "Input" : "Output"} ${t.name} ${title}`);
  table.className = columns > 6 || t.shape.length > 2 ? "dense" : columns > 4 ? "middle" : "";
  if (title) table.createCaption().textContent = title;
  head.append(el("th", {}, unseen("row")), ...range(columns).map((c) => el("th", { scope: "col", textContent: c })));
  for (const r of range(rows)) {
    const row = table.insertRow();
    row.append(el("th", { scope: "row" }, t.shape.length < 2 ? unseen("0") : r),
      ...range(columns).map((c) => cell_of(side, t, first + r * width + c)));
  }
  return table;
}

/* Where each axis of the tensor leads, and what it is to the request. A picture has rows,
 * columns and colours. */
function axes_of(t) {
  const rank = t.shape.length;
  return el("p", { className: "axes" }, ...range(rank).map((axis) => {
    const arrow = t.picture ? ["↓ ", "→ ", ""][axis] : lies_across(axis, rank) ? "→ " : "↓ ";
    const tables = !t.picture && axis < rank - 2 ? " (tables)" : "";
    const role = t.roles?.[axis];
    return el("span", {}, `${arrow}axis ${axis}${tables}`, ...role ? [": ", el("b", { textContent: role })] : []);
  }));
}

/* What is drawn of each axis before the last two: few tables in all, of the
 * inner axes most. */
function drawn_of(shape) {
  let left = MOST.tables;
  const counts = [];
  for (const d of shape.slice(0, -2).reverse()) {
    counts.unshift(Math.min(d, left));
    left = Math.max(1, Math.floor(left / d));
  }
  return counts;
}

function blocks_of(side, t, axis, first, counts) {
  const shape = t.shape;
  const [height, width] = shape.length < 2 ? [1, product(shape)] : shape.slice(-2);
  if (axis >= counts.length) return table_of(side, t, first, height, width);
  const step = product(shape.slice(axis + 1));
  return el("div", { className: lies_across(axis, shape.length) ? "across" : "down" },
    ...range(counts[axis]).map((k) => blocks_of(side, t, axis + 1, first + k * step, counts)));
}

/* The colours are close enough to tell rows and columns of a whole picture. */
function draw_picture(side, t) {
  const [height, width] = t.shape;
  const canvas = el("canvas", { width, height });
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `${side === "in" ? "The picture" : "The picture, reversed"}, ${width} by ${height}`);
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(t.picture), width, height), 0, 0);
  $(side).append(canvas);
}

function draw(side) {
  const t = sides[side];
  const shape = t.shape;
  const counts = drawn_of(shape);
  const [height, width] = shape.length < 2 ? [1, product(shape)] : shape.slice(-2);
  const cut = [[height, MOST.rows, "rows"], [width, MOST.columns, "columns"],
    [product(shape.slice(0, -2)), product(counts), "tables"]]
    .filter(([is, most]) => is > most).map(([is, most, what]) => `${most} of ${is} ${what}`);

  $(side).replaceChildren(el("p", { className: "mono", textContent: `${t.name}  ${t.datatype} [${shape.join(", ")}]` }), axes_of(t));
  if (t.picture) draw_picture(side, t);
  else if (product(shape) === 0)
    $(side).append(el("p", { className: "empty", textContent: "An empty tensor: it has no elements." }));
  else if (t.cells.length === 0)
    $(side).append(el("p", { className: "empty", textContent: "Too large to be drawn." }));
  else {
    $(side).append(blocks_of(side, t, 0, 0, counts));
    if (cut.length) $(side).append(el("p", { textContent: `Only ${cut.join(", ")} are drawn.` }));
  }
  for (const note of t.notes || []) $(side).append(note);
  arrange(!t.picture && width * Math.max(1, counts.at(-1) || 1) > 6);
}

/* Side by side where that cuts no cell off, else one below the other. Behind the last
 * cell are 10 pixels of nothing: the table's spacing, the view's padding. */
function arrange(wide) {
  $("panes").classList.toggle("wide", wide);
  const is_cut = ["in", "out"].some((side) => $(side).scrollWidth > $(side).clientWidth + 10);
  $("panes").classList.toggle("wide", wide || is_cut);
}

function say(side, text) {
  sides[side] = null;
  $(side).replaceChildren(el("p", { className: "empty", textContent: text }));
}
