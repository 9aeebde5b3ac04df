// A .npy file and a picture: opened, reversed, drawn and saved.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { check, expect_cells, open, answered } = require("./browser.js");
const { run, snippet, every_tab_refused, TABS } = require("./code.js");

function npy(type, shape, bytes) {
  const head = `{'descr': '${type}', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`.padEnd(117) + "\n";
  return Buffer.concat([Buffer.from([0x93]), Buffer.from("NUMPY\x01\x00"), Buffer.from([head.length, 0]), Buffer.from(head), bytes]);
}

async function result_of(page, link) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text="${link}"`)]);
  return fs.readFileSync(await download.path());
}

// Two rows and three columns of big-endian numbers; by the button.
async function array(page, folder) {
  const values = Buffer.alloc(24);
  [1, 2, 3, 4, 5, 6.5].forEach((x, i) => values.writeFloatBE(x, 4 * i));
  fs.writeFileSync(path.join(folder, "x.npy"), npy(">f4", [2, 3], values));
  await page.selectOption("#model", "openvino.Reverse");
  await page.setInputFiles("#file", path.join(folder, "x.npy"));
  await answered(page);
  await page.locator("#out .saving").waitFor();
  await expect_cells(page, "in", [1, 2, 3, 4, 5, 6.5]);
  await expect_cells(page, "out", [3, 2, 1, 6.5, 5, 4]);
  assert.match(await page.locator("#raw").textContent(), /^\\x93NUMPY\\x01\\x00.\\x00\{'descr': '>f4', .*\n40 40 00 00 (.. ){19}..$/s);
  const saved = await result_of(page, "Save reversed-x.npy");
  assert.deepEqual([0, 4, 8].map((at) => saved.readFloatBE(saved.length - 24 + at)), [3, 2, 1]);
}

async function snippets(page, folder, python) {
  const want = [3, 2, 1, 6.5, 5, 4];
  for (const tab of TABS) {
    fs.rmSync(path.join(folder, "reversed-x.npy"), { force: true });
    const output = run(tab, await snippet(page, tab), folder, python);
    if (/Python|triton/.test(tab)) {
      assert.deepEqual(output.match(/[\d.]+/g).map(Number), want, tab);
    } else {
      const file = fs.readFileSync(path.join(folder, "reversed-x.npy"));
      assert.equal(file.readFloatBE(file.length - 24), 3, tab);
    }
  }
}

// Dropped: red on the left, blue on the right; then the pixels of the result.
async function picture(page) {
  await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 40, height: 20 });
    const context = canvas.getContext("2d");
    context.fillStyle = "#f00";
    context.fillRect(0, 0, 20, 20);
    context.fillStyle = "#00f";
    context.fillRect(20, 0, 20, 20);
    const blob = await new Promise((done) => canvas.toBlob(done));
    const data = new DataTransfer();
    data.items.add(new File([blob], "two.png", { type: "image/png" }));
    for (const type of ["dragover", "drop"])
      document.getElementById("form").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.locator("#out canvas").waitFor();
  const left = (side) => page.locator(`#${side} canvas`).evaluate((canvas) =>
    [...canvas.getContext("2d").getImageData(2, 2, 1, 1).data]);
  assert.deepEqual(await left("in"), [255, 0, 0, 255]);
  assert.deepEqual(await left("out"), [0, 0, 255, 255]);
  assert.deepEqual(await page.locator("#out .axes span").allTextContents(), ["↓ axis 0", "→ axis 1: reversed", "axis 2"]);
  assert.match(await page.locator("#raw-is").textContent(), /3,200 of them binary; 2,944 are left out here/);
  assert.equal((await result_of(page, "Save reversed-two.png")).subarray(1, 4).toString(), "PNG");
}

async function tests(page, url, folder, python) {
  await open(page, url);
  await check("a .npy file is reversed and saved", () => array(page, folder));
  await check("snippets of a .npy file", () => snippets(page, folder, python));
  await check("snippets of a refused .npy file say why", async () => {
    await page.fill("#query", "mode=index&axis=2");
    await every_tab_refused(page, folder, python, /axis\[0\] is 2, but it must be from -2 to 1 for rank 2/);
  });
  await check("a .npy file has sequences too", async () => {
    await page.selectOption("#model", "onnx.ReverseSequence");
    await page.waitForFunction(() => /sequence_lens/.test(document.getElementById("query").value));
    await page.click("#send");
    await answered(page);
    await expect_cells(page, "out", [4, 5, 6.5, 1, 2, 3]);
  });
  await check("a picture is flipped", () => picture(page));
  await check("what is no .npy is named, in the place of the old answer", async () => {
    assert.match(await page.locator("#timing").textContent(), /200 OK/);
    await page.setInputFiles("#file", { name: "a.npy", mimeType: "", buffer: Buffer.from("no array at all") });
    await page.waitForFunction(() => /a.npy cannot be read: this is no .npy file/.test(document.getElementById("error").textContent));
    assert.equal(await page.locator("#timing").textContent(), "");
    assert.equal(await page.locator("#out").textContent(), "No output: nothing was sent.");
    assert.ok(await page.locator("#in canvas").isVisible(), "the request is still there");
  });
  await check("what the server refuses of a file takes the place of the old answer", async () => {
    await page.click("#send");
    await page.locator("#out canvas").waitFor();
    await page.fill("#query", "mode=index&axis=3");
    await page.click("#send");
    await page.locator("#error").waitFor();
    assert.match(await page.locator("#timing").textContent(), /400 Bad Request/);
    assert.match(await page.locator("#error").textContent(), /axis\[0\] is 3, but it must be from -3 to 2/);
    assert.match(await page.locator("#out").textContent(), /No output: the request was refused/);
  });
  await check("a file in Fortran order is drawn as NumPy shows it", async () => {
    const buffer = npy("|i1", [2, 3], Buffer.from([1, 4, 2, 5, 3, 6]));
    buffer.write("True, ", buffer.indexOf("False,"));
    await page.setInputFiles("#file", { name: "f.npy", mimeType: "", buffer });
    await page.locator("#out .saving").waitFor();
    await expect_cells(page, "in", [1, 2, 3, 4, 5, 6]);
    await expect_cells(page, "out", [3, 2, 1, 6, 5, 4]);
    assert.equal((await result_of(page, "Save reversed-f.npy")).subarray(-6).join(), "3,6,2,5,1,4");
  });
  await check("back to JSON", async () => {
    await page.click("#forget");
    await page.locator("#json").waitFor();
  });
}

module.exports = { tests };
