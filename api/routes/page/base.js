/* What the other files need. cmake/embed.cmake puts all of them into one
 * function, so that nothing of theirs is the window's. */

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
