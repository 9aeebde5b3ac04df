// The form: requests, what is drawn of their answers, refusals.
"use strict";
const assert = require("node:assert/strict");
const { check, expect_cells, open, send, choose, filled, no_overflow } = require("./browser.js");

const square = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
const flipped = [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15];
const text_of = (page, what) => page.locator(what).textContent();
const replace = async (page, from, to) =>
  page.fill("#request", (await page.inputValue("#request")).replace(from, to));

async function first_sight(page, url) {
  await open(page, url);
  await expect_cells(page, "in", square);
  await expect_cells(page, "out", flipped);
  for (const id of ["send", "out"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.y + box.height < 900, `#${id} ends at ${box.y + box.height}`);
  }
  assert.deepEqual(await page.locator("#model option").allTextContents(),
    (await (await page.request.get(`${url}v2/models`)).json()).models);
}

async function ends_of_sequences(page) {
  await choose(page, "onnx.ReverseSequence", 2);
  await send(page);
  const marked = (side) => page.locator(`#${side} td[data-end]`).evaluateAll((all) =>
    all.map((cell) => [Number(cell.dataset.i), cell.dataset.end]));
  const want = [[2, "bottom"], [3, "top"], [9, "bottom"], [16, "bottom"]];
  assert.deepEqual(await marked("in"), want);
  assert.deepEqual(await marked("out"), want);
  // The middle of a sequence of 5 or of 3 belongs to it, though it has not moved.
  for (const i of [8, 5])
    assert.ok(!await page.locator(`#out td[data-i="${i}"]`).evaluate((cell) => cell.classList.contains("behind")));
  assert.equal(await page.locator("#out td.behind").count(), 20 - 5 - 3 - 1);
}

// Both grids of every element of every way across the panes.
async function arrows_cross_no_number(page) {
  for (const [model, example] of [["onnx.ReverseSequence", 0], ["onnx.ReverseSequence", 3], ["openvino.ReverseSequence", 1]]) {
    await choose(page, model, example);
    await send(page);
    for (const i of [0, 5, 11]) {
      await page.locator(`#in td[data-i="${i}"]`).focus();
      const hit = await page.evaluate(() => {
        const line = document.querySelector("#wire .line");
        const origin = document.getElementById("panes").getBoundingClientRect();
        const numbers = [...document.querySelectorAll("#panes td span, #panes th, #panes caption, .pane p, .pane h2")]
          .filter((node) => node.textContent).map((node) => {
            const text = document.createRange();
            text.selectNodeContents(node);
            return [node.textContent, text.getBoundingClientRect()];
          });
        const length = line.getTotalLength();
        for (let at = 0; at < length; at++) {
          const p = line.getPointAtLength(at);
          const [x, y] = [p.x + origin.left, p.y + origin.top];
          const under = numbers.find(([, box]) => x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2);
          if (under) return under[0];
        }
        return length > 20 ? "" : "there is no arrow";
      });
      assert.equal(hit, "", `${model} ${example}, element ${i}`);
    }
  }
}

// Its number, its direction and what it is to the request, in both panes.
async function axes_have_names(page) {
  const axes = (side) => page.locator(`#${side} .axes span`).allTextContents();
  const expect = async (want) => {
    assert.deepEqual(await axes("in"), want);
    await send(page);
    assert.deepEqual(await axes("out"), want);
  };
  const of_reverse = async (control, mode, want) => {
    await page.fill("#request", `{"parameters": {"mode": "${mode}"}, "inputs": [
      {"name": "data", "datatype": "INT8", "shape": [1, 1, 2, 2], "data": [1, 2, 3, 4]}, ${control}]}`);
    await expect(want);
  };
  await choose(page, "onnx.ReverseSequence", 0);
  await expect(["↓ axis 0: time", "→ axis 1: batch"]);
  await choose(page, "onnx.ReverseSequence", 1);
  await expect(["↓ axis 0: batch", "→ axis 1: time"]);
  await choose(page, "onnx.ReverseSequence", 3);
  await expect(["→ axis 0 (tables): time", "↓ axis 1: batch", "→ axis 2"]);
  await choose(page, "openvino.ReverseSequence", 1); // seq_axis is -1
  await expect(["↓ axis 0 (tables): batch", "→ axis 1 (tables)", "↓ axis 2", "→ axis 3: sequence"]);
  await choose(page, "graiphic.ReverseSequenceGrad", 0);
  await expect(["↓ axis 0: time", "→ axis 1: batch"]);
  await choose(page, "halves", 0); // a mask is fixed
  await expect(["↓ axis 0: reversed", "→ axis 1: reversed"]);
  await choose(page, "openvino.Reverse", 0);
  await of_reverse('{"name": "axis", "datatype": "INT64", "shape": [2], "data": [0, -1]}', "index",
    ["↓ axis 0 (tables): reversed", "→ axis 1 (tables)", "↓ axis 2", "→ axis 3: reversed"]);
  await of_reverse('{"name": "axis", "datatype": "BOOL", "shape": [4], "data": [false, true, false, false]}', "mask",
    ["↓ axis 0 (tables)", "→ axis 1 (tables): reversed", "↓ axis 2", "→ axis 3"]);
}

// Of the examples that have at most 6 columns.
async function nothing_cut_off(page) {
  const size = page.viewportSize();
  for (const width of [390, 768, 1100, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    for (const [model, example] of [["onnx.ReverseSequence", 0], ["openvino.Reverse", 0], ["openvino.ReverseSequence", 2], ["onnx.ReverseSequence", 3]]) {
      await choose(page, model, example);
      await send(page);
      const cut = await page.evaluate(() => [...document.querySelectorAll(".view td")].map((cell) =>
        cell.getBoundingClientRect().right - cell.closest(".view").getBoundingClientRect().right));
      assert.ok(Math.max(...cut) <= 0, `${model} ${example} at ${width}: by ${Math.max(...cut)} pixels`);
    }
  }
  await page.setViewportSize(size);
}

// The ends of sequences are places: they stay while the elements travel.
async function ends_stay(page) {
  await choose(page, "onnx.ReverseSequence", 0);
  await send(page);
  assert.ok(await page.evaluate(() => document.getAnimations().length > 0 &&
    document.getAnimations().every((way) => !way.effect.target.dataset.end && way.effect.target.matches("td > span"))));
}

async function travelling(page) {
  const moving = () => page.evaluate(() => document.getAnimations().length);
  await choose(page, "onnx.ReverseSequence", 0);
  await send(page);
  assert.equal(await moving(), 8);
  const [first, last] = await page.evaluate(() => {
    const cell = document.querySelector('#out td[data-i="0"]');
    const from = document.querySelector('#out td[data-i="12"]');
    const [way] = cell.firstChild.getAnimations();
    way.pause();
    way.currentTime = 0;
    const first = cell.firstChild.getBoundingClientRect().y;
    way.finish();
    return [first - cell.getBoundingClientRect().y, from.offsetTop - cell.offsetTop];
  });
  assert.ok(Math.abs(first - last) < 1, `it starts ${first} pixels away, not ${last}`);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await send(page);
  assert.equal(await moving(), 0);
  await page.emulateMedia({ reducedMotion: null });
}

async function backward_context(page) {
  await choose(page, "graiphic.ReverseSequence", 0);
  await send(page);
  const said = await text_of(page, "#out .control");
  await page.click("text=Use it for the backward pass");
  await page.waitForFunction(() => /dX/.test(document.getElementById("out").textContent));
  assert.ok((await page.inputValue("#request")).includes(said.split(" = ")[1]));
  assert.match(await text_of(page, "#in"), /says: batch_axis 1, time_axis 0, lengths 4, 3, 2, 1/);
  await expect_cells(page, "out", flipped.map((x) => x / 2));
}

async function every_example(page) {
  for (const model of await page.locator("#model option").allTextContents()) {
    await choose(page, model, 0);
    const count = await page.locator("#example option").count();
    for (let i = 0; i < count; i++) {
      await choose(page, model, i);
      await send(page);
      assert.ok(!await page.locator("#error").isVisible(), `${model} ${i}: ` + await text_of(page, "#error"));
      assert.match(await text_of(page, "#timing"), /^200 OK in [\d.]+ m?µ?s/);
      assert.match(await text_of(page, "#where"), /elements moved/);
      // Elements keep their colours: both grids have the same set.
      const hues = (side) => page.locator(`#${side} td`).evaluateAll((all) =>
        all.map((cell) => cell.style.cssText.replace(/z-index: 1;/, "").trim()).sort());
      if (!/are drawn/.test(await text_of(page, "#in")))
        assert.deepEqual(await hues("in"), await hues("out"), `${model} ${i}`);
    }
  }
}

async function refusals(page) {
  await choose(page, "onnx.ReverseSequence", 0);
  await replace(page, "[4, 3, 2, 1]}", "[4, 3, 2, 5]}");
  await send(page);
  assert.match(await text_of(page, "#error"), /status 400: sequence_lens\[3\] is 5, but axis 0 has 4 entries/);
  await page.fill("#request", "{");
  await send(page);
  assert.match(await text_of(page, "#error"), /malformed JSON/);
  assert.match(await text_of(page, "#in"), /not JSON yet/);
}

// Small ones whole, large ones cut; refusals and binary tensors too.
async function as_it_came(page, url) {
  const first = await (await page.request.post(`${url}v2/models/onnx.ReverseSequence/infer`, {
    data: await page.inputValue("#request") })).text();
  assert.equal(await text_of(page, "#raw"), first);
  assert.equal(await text_of(page, "#raw-is"), `application/json, ${first.length} bytes`);
  assert.ok(await page.locator("#raw").isVisible());
  await replace(page, "[4, 3, 2, 1]}", "[4, 3, 2, 5]}");
  assert.equal(await text_of(page, "#raw") + await text_of(page, "#raw-is"), "");
  await send(page);
  assert.equal(await text_of(page, "#raw"), '{"error":"sequence_lens[3] is 5, but axis 0 has 4 entries"}');
  await replace(page, "[4, 3, 2, 5]}", "[4, 3, 2, 1]}");
  await replace(page, "{", '{"parameters": {"binary_data_output": true},');
  await send(page);
  assert.match(await text_of(page, "#raw"), /^\{"model_name".*"binary_data_size":64\}\}\]\}\n00 00 40 40 00 00 c0 40 (.. ){55}..$/);
  assert.match(await text_of(page, "#raw-is"), /^application\/octet-stream, \d+ bytes, 64 of them binary$/);
  await choose(page, "openvino.Reverse", 3);
  await send(page);
  assert.equal((await text_of(page, "#raw")).length, 4000);
  assert.match(await text_of(page, "#raw-is"), /^application\/json, [\d,]+ bytes; 1\d,\d{3} are left out here$/);
}

// Its forward pass is refused; the answer to another example was there.
async function example_refused(page) {
  await choose(page, "graiphic.ReverseSequenceGrad", 1);
  await send(page);
  await page.route("**/graiphic.ReverseSequence/infer", (route) => route.fulfill({ status: 400, json: { error: "no forward pass" } }));
  await page.selectOption("#example", "0");
  await page.locator("#error").waitFor();
  await page.unroute("**/graiphic.ReverseSequence/infer");
  assert.match(await text_of(page, "#error"), /This example cannot be made: no forward pass/);
  assert.equal(await text_of(page, "#timing"), "");
  assert.match(await text_of(page, "#out"), /nothing was sent/);
}

async function texts_of_numbers(page) {
  await page.fill("#request", `{"inputs": [
    {"name": "input", "datatype": "FP32", "shape": [3, 1, 2],
     "data": [0.10, NaN, -0, 1e-3, 12345678, -Infinity]},
    {"name": "sequence_lens", "datatype": "INT64", "shape": [1], "data": [3]}]}`);
  await send(page);
  await expect_cells(page, "out", ["12345678", "-Infinity", "-0", "1e-3", "0.10", "NaN"]);
  assert.equal(await page.locator("#out table").count(), 3);
}

async function sizes(page) {
  await choose(page, "openvino.Reverse", 3);
  await send(page);
  assert.match(await text_of(page, "#out"), /Only 16 of 64 rows, 12 of 64 columns are drawn/);
  await page.fill("#request", `{"parameters": {"mode": "index"}, "inputs": [
    {"name": "data", "datatype": "FP32", "shape": [0, 3], "data": []},
    {"name": "axis", "datatype": "INT64", "shape": [1], "data": [0]}]}`);
  await send(page);
  assert.match(await text_of(page, "#out"), /no elements/);
}

async function tests(page, url) {
  await check("at load an example is answered, above the fold", () => first_sight(page, url));
  await check("pointing shows from where to where", async () => {
    await page.locator("#in td").nth(12).hover();
    assert.equal(await text_of(page, "#where"), "input[3, 0] = 3  →  Y[0, 0] = 3");
    assert.deepEqual(await page.locator("td.on").evaluateAll((all) => all.map((cell) => cell.dataset.i)), ["12", "0"]);
    await page.locator("#out td").nth(15).hover();
    assert.equal(await text_of(page, "#where"), "input[3, 3] = 15  →  Y[3, 3] = 15  (in its place)");
  });
  await check("the answer is shown as it came", () => as_it_came(page, url));
  await check("the ends of the sequences are drawn", () => ends_of_sequences(page));
  await check("axes have names", () => axes_have_names(page));
  await check("arrows cross no number", () => arrows_cross_no_number(page));
  await check("elements travel to their places", () => travelling(page));
  await check("the ends stay meanwhile", () => ends_stay(page));
  await check("no column is cut off", () => nothing_cut_off(page));
  await check("the context of a backward pass is shown", () => backward_context(page));
  await check("an edited request keeps the texts of its numbers", async () => {
    await choose(page, "onnx.ReverseSequence", 0);
    await texts_of_numbers(page);
  });
  await check("a refusal is shown in words", () => refusals(page));
  await check("an example that cannot be made leaves no old answer", () => example_refused(page));
  await check("a binary answer is explained", async () => {
    await choose(page, "onnx.ReverseSequence", 0);
    await replace(page, "{", '{"parameters": {"binary_data_output": true},');
    await send(page);
    assert.match(await text_of(page, "#out"), /answer is binary/);
  });
  await check("a card puts its model into the form", async () => {
    const { models } = await (await page.request.get(`${url}v2/models`)).json();
    assert.equal(await page.locator("article button").count(), models.length);
    await page.click("text=Try it >> nth=-1");
    await filled(page);
    await page.waitForFunction(() => /\[-?\d, 3\]/.test(document.getElementById("out").textContent));
    assert.equal(await page.inputValue("#model"), "halves");
    await expect_cells(page, "out", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });
  await check("every example of every model works", () => every_example(page));
  await check("large and empty tensors say what they are", () => sizes(page));
  await check("it is as wide as the window", () => no_overflow(page));
}

module.exports = { tests };
