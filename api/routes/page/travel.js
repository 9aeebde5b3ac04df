/* Ways: the arrow from an element to its new position, and the move itself. */

const cell_at = (side, i) => $(side).querySelector(`td[data-i="${i}"]`);

/* A cell's box in the panes, unless its view has scrolled it out of sight. */
function box_of(cell) {
  const box = cell.getBoundingClientRect();
  const view = cell.closest(".view").getBoundingClientRect();
  const origin = $("panes").getBoundingClientRect();
  const x = box.left + box.width / 2;
  if (x < view.left || x > view.right) return null;
  return { x: x - origin.left, bottom: box.bottom - origin.top, pane: cell.closest(".pane").getBoundingClientRect() };
}

/* A line through these points, its corners rounded. */
function rounded(points) {
  const toward = ([x, y], [tx, ty], most) => {
    const far = Math.hypot(tx - x, ty - y);
    const part = far ? Math.min(most, far / 2) / far : 0;
    return `${x + (tx - x) * part} ${y + (ty - y) * part}`;
  };
  return points.map((p, i) => i === 0 ? `M${p[0]} ${p[1]}`
    : i === points.length - 1 ? `L${p[0]} ${p[1]}`
    : `L${toward(p, points[i - 1], 5)}Q${p[0]} ${p[1]} ${toward(p, points[i + 1], 5)}`).join("");
}

/* To the right of all that is drawn. */
function beside_tables() {
  const tables = [...document.querySelectorAll("#panes table, #panes .axes")];
  return Math.max(...tables.map((table) => table.getBoundingClientRect().right)) + 10;
}

/* An arrow in the gaps between the cells and between the panes, so that it
 * crosses no number. */
function join(source, target) {
  const a = source && box_of(source), b = target && box_of(target);
  $("wire").style.visibility = a && b ? "visible" : "hidden";
  if (!a || !b) return;
  const gap = 3; // half of the space between two cells
  const left = $("panes").getBoundingClientRect().left;
  const lane = (b.pane.left > a.pane.right ? (a.pane.right + b.pane.left) / 2
    : Math.min(a.pane.right - 8, beside_tables())) - left;
  const line = rounded([[a.x, a.bottom], [a.x, a.bottom + gap], [lane, a.bottom + gap],
    [lane, b.bottom + gap], [b.x, b.bottom + gap], [b.x, b.bottom - 3]]);
  for (const path of document.querySelectorAll("#wire > path")) path.setAttribute("d", line);
}

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/* Half of a turn from (dx, dy) to the own position: two that change places pass
 * each other on either side. */
function way(dx, dy) {
  const far = Math.hypot(dx, dy);
  const bend = Math.min(far / 4, 30) / far;
  return range(13).map((k) => {
    const left = (1 + Math.cos(Math.PI * k / 12)) / 2, out = bend * Math.sin(Math.PI * k / 12);
    return { transform: `translate(${dx * left - dy * out}px, ${dy * left + dx * out}px)` };
  });
}

/* Every element of the output starts where it was and goes where it is. */
function travel() {
  const boxes = new Map();
  if (!from || calm.matches || !$("out").animate) return;
  for (const cell of $("out").querySelectorAll("td"))
    boxes.set(Number(cell.dataset.i), [cell, cell.getBoundingClientRect()]);
  for (const [i, [cell, box]] of boxes) {
    const [, source] = boxes.get(from[i]) || [];
    if (from[i] === i || !source) continue;
    cell.style.zIndex = 1;
    cell.firstChild.animate(way(source.left - box.left, source.top - box.top),
      { duration: 1100, delay: 350, fill: "backwards", easing: "linear" })
      .finished.then(() => { cell.style.zIndex = ""; }, () => {});
  }
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

/* The cell that an arrow key leads to: across and down also over the edges of
 * the tables. */
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
