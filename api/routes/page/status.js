/* The figures of GET metrics, once a second. */

/* The metrics that are read, as the server names them. */
const NAMES = {
  requests: "flipd_http_requests_total", // route, code
  seconds: "flipd_http_request_duration_seconds", // route; a histogram
  bytes: "flipd_bytes_total",            // direction
  refused: "flipd_rejected_total",       // reason
  connections: "flipd_connections",
  lanes: "flipd_queue_lane_depth",       // lane
  busy: "flipd_workers_busy",            // kind
  limits: "flipd_limit",                 // option
  budget: "flipd_budget_bytes",          // use
  memory: "flipd_memory_bytes",          // term
  resident: "process_resident_memory_bytes",
  started: "process_start_time_seconds",
  answered: "nv_inference_request_success",   // model
  failed: "nv_inference_request_failure",     // model, reason
  spent: "nv_inference_request_duration_us",  // model
  pending: "nv_inference_pending_request_count", // model
};
const INFER = "/v2/models/{model}/infer";
const KEPT = 121;  // samples: two minutes
const WINDOW = 10; // seconds that quantiles and means look back

const samples = [];
const points = []; // for each sample what is drawn
let paused = false;
let timer = 0;

/* Metric name to its rows: labels and value. */
function read_metrics(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    const [, name, labels, value] = /^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)/.exec(line) || [];
    if (!name) continue;
    const row = { value: Number(value) };
    for (const [, key, text] of (labels || "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) row[key] = text;
    found.set(name, [...found.get(name) || [], row]);
  }
  return found;
}

/* The sum of a metric's rows with these labels. */
function sum(sample, name, labels = {}) {
  return (sample.metrics.get(name) || [])
    .filter((row) => Object.entries(labels).every(([key, value]) => row[key] === value))
    .reduce((total, row) => total + row.value, 0);
}

/* The growth of a counter in a second; a daemon that was started anew counts from 0. */
function rate(now, before, name, labels) {
  if (!before || now.at === before.at) return 0;
  return Math.max(0, sum(now, name, labels) - sum(before, name, labels)) / (now.at - before.at) * 1000;
}

/* Quantiles of the requests between two samples, in seconds; within a bucket they
 * are taken to lie evenly. */
function quantiles(now, before, wanted) {
  const at = (row) => row.le === "+Inf" ? Infinity : Number(row.le);
  const before_rows = before.metrics.get(`${NAMES.seconds}_bucket`) || [];
  const counts = (now.metrics.get(`${NAMES.seconds}_bucket`) || []).filter((row) => row.route === INFER)
    .map((row) => [at(row), row.value - (before_rows.find((old) => old.route === INFER && old.le === row.le) || { value: 0 }).value]);
  const total = counts.length ? counts.at(-1)[1] : 0;
  return wanted.map((q) => {
    const i = counts.findIndex(([, count]) => total > 0 && count >= q * total);
    if (i < 0) return NaN;
    const [low, below] = i ? counts[i - 1] : [0, 0];
    const [high, count] = counts[i];
    return high === Infinity ? low : low + (high - low) * (q * total - below) / (count - below || 1);
  });
}

const number = (x) => !Number.isFinite(x) ? "–" : x >= 100 || x === 0 || Number.isInteger(x)
  ? Math.round(x).toLocaleString("en") : x.toPrecision(2);
const seconds = (s) => !Number.isFinite(s) ? "–" : s < 1e-3 ? `${(s * 1e6).toPrecision(3)} µs`
  : s < 1 ? `${(s * 1e3).toPrecision(3)} ms` : `${s.toPrecision(3)} s`;
function bytes(n) {
  const i = n < 1 ? 0 : Math.min(4, Math.floor(Math.log2(n) / 10));
  return `${i ? (n / 1024 ** i).toPrecision(3) : Math.round(n)} ${["B", "KiB", "MiB", "GiB", "TiB"][i]}`;
}

/* The tiles, each with its curves, and with what is used of a bound. */
const TILES = [
  { title: "Inference requests per second", unit: number, curves: { answered: "infer", "4xx": "wrong", "5xx": "failing" } },
  { title: `Time of a request, the last ${WINDOW} s`, unit: seconds, curves: { "p50": "p50", "p90": "p90", "p99": "p99", "p99.9": "p999" } },
  { title: "Bytes of bodies per second", unit: bytes, curves: { received: "received", sent: "sent" } },
  { title: "Waiting for a worker, by length", unit: number, curves: { short: "short", medium: "medium", long: "long", working: "busy" }, used: "waiting", bound: "queue_limit" },
  { title: "Memory", unit: bytes, curves: { resident: "resident", "leased by requests": "leased" }, used: "resident", bound: "memory_limit" },
  { title: "Connections", unit: number, curves: { open: "connections", "refused per second": "refused" }, used: "connections", bound: "connection_limit" },
];

function point_of(now, before, early) {
  const [p50, p90, p99, p999] = quantiles(now, early || now, [.5, .9, .99, .999]);
  const code = (of) => (now.metrics.get(NAMES.requests) || [])
    .filter((row) => row.route === INFER && row.code[0] === of)
    .reduce((total, { code }) => total + rate(now, before, NAMES.requests, { route: INFER, code }), 0);
  const lane = (name) => sum(now, NAMES.lanes, { lane: name });
  return { infer: code("2"), wrong: code("4"), failing: code("5"), p50, p90, p99, p999,
    received: rate(now, before, NAMES.bytes, { direction: "received" }),
    sent: rate(now, before, NAMES.bytes, { direction: "sent" }),
    short: lane("short"), medium: lane("medium"), long: lane("long"), waiting: sum(now, NAMES.lanes),
    busy: sum(now, NAMES.busy), queue_limit: sum(now, NAMES.limits, { option: "max-queue-size" }),
    resident: sum(now, NAMES.resident), leased: sum(now, NAMES.budget, { use: "leased" }),
    memory_limit: sum(now, NAMES.memory, { term: "limit" }),
    connections: sum(now, NAMES.connections), connection_limit: sum(now, NAMES.limits, { option: "max-connections" }), refused: rate(now, before, NAMES.refused) };
}

function build_tiles() {
  for (const tile of TILES) {
    tile.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    tile.svg.setAttribute("viewBox", `0 0 ${KEPT - 1} 100`);
    tile.svg.setAttribute("preserveAspectRatio", "none");
    tile.svg.setAttribute("role", "img");
    tile.list = el("dl");
    tile.list.style.setProperty("--n", Object.keys(tile.curves).length);
    tile.most = el("span", { className: "most", textContent: "\u00a0" });
    tile.parts = Object.entries(tile.curves).map(([label, key], i) => {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
      const value = el("dd", { textContent: "–" });
      line.setAttribute("class", `s${i}`);
      tile.svg.append(line);
      tile.list.append(el("div", { className: `s${i}` }, el("dt", { textContent: label }), value));
      return { label, key, line, value };
    });
    $("tiles").append(el("section", { className: "tile" }, el("h2", { textContent: tile.title }), tile.list, tile.svg, tile.most));
  }
}

function draw_tile(tile) {
  const all = tile.parts.flatMap(({ key }) => points.map((point) => point[key])).filter(Number.isFinite);
  const most = Math.max(...all, 0);
  for (const { key, line, value } of tile.parts) {
    line.setAttribute("points", points.map((point, i) => [KEPT - points.length + i, point[key]])
      .filter(([, y]) => Number.isFinite(y)).map(([x, y]) => `${x},${most ? 100 - 96 * y / most : 100}`).join(" "));
    value.textContent = tile.unit(points.at(-1)[key]);
  }
  const now = points.at(-1);
  const bound = now[tile.bound] > 0 && Number.isFinite(now[tile.bound])
    ? `${number(100 * now[tile.used] / now[tile.bound])} % of the bound, ${tile.unit(now[tile.bound])}` : "";
  tile.most.textContent = [most ? `scale to ${tile.unit(most)}` : "nothing yet", bound].filter(Boolean).join("; ");
  tile.svg.setAttribute("aria-label", `${tile.title}: ${tile.parts.map(({ label, value }) => `${label} ${value.textContent}`).join(", ")}`);
}

function draw_models(now, before, early) {
  const heads = document.querySelectorAll("thead th");
  const models = [...new Set((now.metrics.get(NAMES.answered) || []).map(({ model }) => model))];
  $("models").replaceChildren(...models.map((model) => {
    const of = { model };
    const done = rate(now, early, NAMES.answered, of);
    const cells = [number(rate(now, before, NAMES.answered, of)), number(rate(now, before, NAMES.failed, of)),
      seconds(done ? rate(now, early, NAMES.spent, of) / done / 1e6 : NaN), number(sum(now, NAMES.pending, of)),
      number(sum(now, NAMES.answered, of)), number(sum(now, NAMES.failed, of))];
    const row = el("tr", {}, el("th", { scope: "row", textContent: model }), ...cells.map((textContent) => el("td", { textContent })));
    [...row.cells].forEach((cell, i) => {
      cell.dataset.of = heads[i].textContent; // for a phone, which has no heads
      cell.role = i ? "cell" : "rowheader";   // what a grid would not be said to have
    });
    row.role = "row";
    return row;
  }));
  const refused = (now.metrics.get(NAMES.refused) || []).filter((row) => row.value > 0);
  $("refused").textContent = refused.length
    ? refused.map((row) => `${row.reason.replaceAll("_", " ")} ${number(row.value)}`).join(" · ") : "Nothing since the start.";
}

function state(text, bad) {
  $("state").textContent = text;
  $("state").classList.toggle("bad", !!bad);
  $("tiles").classList.toggle("stale", !!bad);
}

function take(text) {
  const now = { at: performance.now(), metrics: read_metrics(text) };
  if (samples.length && sum(now, NAMES.started) !== sum(samples.at(-1), NAMES.started)) samples.length = 0;
  const before = samples.at(-1), early = samples.at(-WINDOW) || samples[0];
  samples.push(now);
  points.push(point_of(now, before, early));
  if (samples.length > KEPT) samples.shift();
  if (points.length > KEPT) points.shift();
  TILES.forEach(draw_tile);
  draw_models(now, before, early);
  const up = Date.now() / 1000 - sum(now, NAMES.started);
  state(`Started ${up < 120 ? `${Math.round(up)} seconds` : up < 7200 ? `${Math.round(up / 60)} minutes` : `${Math.round(up / 3600)} hours`} ago.`);
}

/* One reading goes on at a time, also where a second one has begun meanwhile. */
function look_again() {
  clearTimeout(timer);
  timer = setTimeout(look, 1000);
}

async function look() {
  clearTimeout(timer);
  if (paused) return;
  try {
    if (!document.hidden) take(await (await get("metrics")).text());
    look_again();
  } catch (error) {
    if (error instanceof Refusal && unlock(error, look)) {
      state("The metrics are restricted here; the admin port, where there is one, may have them.", true);
    } else {
      state(error instanceof Refusal ? `${error.message}; trying again.` : "The server could not be reached; trying again.", true);
      look_again();
    }
  }
}

function headers_dropped() {
  $("pause").focus();
  look();
}

$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").textContent = paused ? "Go on" : "Pause";
  look();
});
build_tiles();
look();
