/* What the pages share. cmake/embed.py puts all scripts of a page into one
 * function, so that nothing of theirs is the window's. */

const $ = (id) => document.getElementById(id);
const range = (n) => Array.from({ length: n }, (_, i) => i);
const product = (list) => list.reduce((a, b) => a * b, 1);

function el(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

/* Headers that open restricted routes, by name. A browser that keeps nothing for
 * this site throws at the name of its storage. */
function storage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
const secrets = JSON.parse(storage()?.getItem("headers") || "{}");

function show_kept() {
  $("kept").hidden = !Object.keys(secrets).length;
  $("kept-names").textContent = Object.keys(secrets).join(", ");
}

function ask(path, options = {}) {
  return fetch(path, { ...options, headers: { ...secrets, ...options.headers } });
}

class Refusal extends Error {
  constructor(path, status, text) {
    super(text || `${path} answered ${status}`);
    this.status = status;
  }
}

async function get(path) {
  const answer = await ask(path);
  if (answer.ok) return answer;
  throw new Refusal(path, answer.status, (await answer.json().catch(() => ({}))).error);
}

/* Where a refusal says that a route is restricted: shows the fields for its
 * header, and does `again` once they are filled in. */
function unlock(error, again) {
  const [, name] = /is restricted: the header (\S+) is/.exec(error.message) || [];
  if (!name) return false;
  $("restricted-why").textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
  $("header-name").value = name;
  $("header-value").value = "";
  $("restricted").hidden = false;
  $("restricted").onsubmit = (event) => {
    event.preventDefault();
    const name = $("header-name").value.trim(), value = $("header-value").value.trim();
    const is_token = name.toLowerCase() === "authorization" && !value.includes(" ") &&
      (error.status === 401 || (secrets[name] || "").startsWith("Bearer "));
    const header = is_token ? `Bearer ${value}` : value;
    try {
      new Headers({ [name]: header });
    } catch {
      $("restricted-why").textContent = "No header can have this name or this value.";
      return;
    }
    secrets[name] = header;
    storage()?.setItem("headers", JSON.stringify(secrets));
    $("restricted").hidden = true;
    show_kept();
    again();
  };
  $("header-value").focus();
  return true;
}

/* What a page does without its headers is its own: headers_dropped(). */
$("drop-headers").addEventListener("click", () => {
  for (const name of Object.keys(secrets)) delete secrets[name];
  storage()?.removeItem("headers");
  show_kept();
  headers_dropped();
});
show_kept();
