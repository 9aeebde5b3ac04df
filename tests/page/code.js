// The snippets of the tabs: each is run as it stands, and its output compared.
"use strict";
const assert = require("node:assert/strict");
const { execFileSync, spawnSync } = require("node:child_process");
const { check, cells, open, send, choose } = require("./browser.js");

const TABS = ["curl", "Python", "tritonclient", "JavaScript"];

async function snippet(page, tab) {
  await page.click(`#tabs >> text="${tab}"`);
  return page.locator("#code").textContent();
}

const command = (tab, text, python) => [...({ curl: ["bash", "-c"],
  JavaScript: [process.execPath, "--input-type=module", "-e"] }[tab] || [python, "-c"]), text];

function run(tab, text, folder, python) {
  const [program, ...words] = command(tab, text, python);
  const output = execFileSync(program, words, { cwd: folder, encoding: "utf8", timeout: 60000 });
  return output.slice(Math.max(0, output.lastIndexOf('"data":')));
}

// Each snippet of a request that is refused fails, and says why in the server's words.
async function every_tab_refused(page, folder, python, why) {
  for (const tab of TABS) {
    const [program, ...words] = command(tab, await snippet(page, tab), python);
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, encoding: "utf8", timeout: 60000 });
    assert.ok(status > 0, `${tab}: exit code ${status}`);
    assert.match(stdout + stderr, why, tab);
  }
}

const numbers = (text) => (text.match(/-?\b(?:nan|inf(?:inity)?|true|false|[\d.]+(?:e[-+]?\d+)?)/gi) || []).map((word) =>
  ({ nan: NaN, inf: Infinity, infinity: Infinity, "-inf": -Infinity, "-infinity": -Infinity, true: 1, false: 0 })[word.toLowerCase()] ?? Number(word));

function same_words(words, text, what) {
  let at = 0;
  for (const word of words) {
    at = text.indexOf(word, at);
    assert.ok(at >= 0, `${what}: ${word} is not in ${text}`);
  }
}

async function every_tab(page, folder, python, what) {
  await send(page);
  const want = await cells(page, "out");
  assert.ok(want.length > 0, what);
  for (const tab of TABS) {
    const output = run(tab, await snippet(page, tab), folder, python);
    if (what === "words") same_words(want, output, tab);
    else assert.deepEqual(numbers(output).slice(0, want.length), want.map((cell) => numbers(cell)[0]), `${tab}: ${output}`);
  }
}

const REQUESTS = {
  "NaN and texts": `{"id": "a", "inputs": [
    {"name": "input", "datatype": "FP64", "shape": [2, 2], "data": [NaN, -Infinity, 0.5, 1e-3]},
    {"name": "sequence_lens", "datatype": "INT64", "shape": [2], "data": [2, 2]}]}`,
  "large integers": `{"parameters": {"time_axis": 0, "batch_axis": 1}, "inputs": [
    {"name": "input", "datatype": "INT64", "shape": [2, 1], "data": [[9007199254740993], [-1]]},
    {"name": "sequence_lens", "datatype": "INT64", "shape": [1], "data": [2]}]}`,
};

async function tests(page, url, folder, python) {
  await open(page, url);
  const examples = { "the first example": ["onnx.ReverseSequence", 0], words: ["onnx.ReverseSequence", 4],
    parameters: ["openvino.Reverse", 0], "a mask": ["openvino.Reverse", 1],
    "a backward context": ["graiphic.ReverseSequenceGrad", 0], "a configured model": ["halves", 0] };
  for (const [what, [model, example]] of Object.entries(examples))
    await check(`snippets of ${what}`, async () => {
      await choose(page, model, example);
      await every_tab(page, folder, python, what);
    });
  for (const [what, text] of Object.entries(REQUESTS))
    await check(`snippets of ${what}`, async () => {
      await choose(page, "onnx.ReverseSequence", 0);
      await page.fill("#request", text);
      await every_tab(page, folder, python, what);
    });
  await check("snippets of a refused request say why", async () => {
    await choose(page, "onnx.ReverseSequence", 0);
    await page.fill("#request", (await page.inputValue("#request")).replace("[4, 3, 2, 1]}", "[4, 3, 2, 5]}"));
    await every_tab_refused(page, folder, python, /sequence_lens\[3\] is 5, but axis 0 has 4 entries/);
  });
  await check("a snippet is copied", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const text = await snippet(page, "curl");
    await page.click("#copy");
    await page.waitForFunction(() => document.getElementById("copy").textContent === "Copied");
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
  });
}

module.exports = { tests, run, snippet, every_tab_refused, TABS };
