// Drives the page; see run.sh. Usage: node look.js URL PROFILE SCREENSHOTS
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const [url, profile, shots] = process.argv.slice(2);
const widths = { phone: 390, desktop: 1280 };
const square = [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15];
const flipped = [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15];
const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
  "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];

const failures = [];
async function check(name, test) {
  try {
    await test();
    console.log(`  ${name}`);
  } catch (error) {
    failures.push(name);
    console.log(`  FAILED: ${name}: ${error.message}`);
  }
}

const cells = (page, side) => page.locator(`#${side} td`).allTextContents();
const expect_cells = async (page, side, want) =>
  assert.deepEqual(await cells(page, side), want.map(String));

async function answered(page) {
  await page.locator("#timing b").waitFor();
  await page.locator("#send:enabled").waitFor();
}

async function send(page) {
  await page.click("#send");
  // The page may scroll a grid under the resting pointer, and then show a cell.
  await page.mouse.move(0, 0);
  await answered(page);
}

async function choose(page, model, example) {
  await page.selectOption("#model", model);
  await page.selectOption("#example", String(example));
}

// Errors and warnings of the browser.
function listen(page, noise) {
  page.on("console", (m) => ["error", "warning"].includes(m.type()) &&
    noise.push(m.text()));
  page.on("pageerror", (error) => noise.push(error.message));
  page.on("requestfailed", (r) => noise.push(`failed: ${r.url()}`));
  page.on("request", (r) => new URL(r.url()).origin === new URL(url).origin ||
    r.url().startsWith("data:") || noise.push(`foreign: ${r.url()}`));
}

async function no_overflow(page) {
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

async function every_example(page) {
  for (const model of await page.locator("#model option").allTextContents()) {
    await page.selectOption("#model", model);
    const count = await page.locator("#example option").count();
    assert.ok(count > 0, model);
    for (let i = 0; i < count; i++) {
      await choose(page, model, i);
      await send(page);
      assert.ok(!await page.locator("#error").isVisible(), `${model} ${i}: ` +
        await page.locator("#error").textContent());
      assert.match(await page.locator("#timing").textContent(),
        /^200 OK · headers after [\d.]+ ms, all after [\d.]+ ms/);
      assert.match(await page.locator("#where").textContent(), /elements moved/);
      // Elements keep their colours: both grids have the same set.
      const hues = (side) => page.locator(`#${side} td`).evaluateAll((all) =>
        all.map((cell) => cell.style.cssText).sort());
      if (!/are drawn/.test(await page.locator("#in").textContent()))
        assert.deepEqual(await hues("in"), await hues("out"));
    }
  }
}

async function tests(page) {
  await check("the form is there with every model", async () => {
    await page.locator("#form").waitFor();
    assert.deepEqual(await page.locator("#model option").allTextContents(),
      (await (await page.request.get(`${url}v2/models`)).json()).models);
    assert.equal(await page.locator("article button").count(), 6);
  });
  await check("a request shows the right answer", async () => {
    await expect_cells(page, "in", square);
    await send(page);
    await expect_cells(page, "in", square);
    await expect_cells(page, "out", flipped);
    assert.match(await page.locator("#answer").textContent(), /"model_name"/);
  });
  await check("pointing shows from where to where", async () => {
    await page.locator("#in td").nth(12).hover();
    assert.equal(await page.locator("#where").textContent(),
      "input[3, 0] = 3  →  Y[0, 0] = 3");
    assert.deepEqual(await page.locator("td.on").evaluateAll((all) =>
      all.map((cell) => cell.dataset.i)), ["12", "0"]);
    await page.locator("#out td").nth(15).hover();
    assert.equal(await page.locator("#where").textContent(),
      "input[3, 3] = 15  →  Y[3, 3] = 15  (in its place)");
  });
  await check("an edited request shows its own answer", async () => {
    await page.fill("#request", `{"inputs": [
      {"name": "input", "datatype": "FP32", "shape": [3, 1, 2],
       "data": [0.10, NaN, -0, 1e-3, 12345678, -Infinity]},
      {"name": "sequence_lens", "datatype": "INT64", "shape": [1],
       "data": [3]}]}`);
    await send(page);
    await expect_cells(page, "out",
      ["12345678", "-Infinity", "-0", "1e-3", "0.10", "NaN"]);
    assert.equal(await page.locator("#out table").count(), 3);
  });
  await check("a refusal is shown in words", async () => {
    await page.fill("#request", (await page.inputValue("#request"))
      .replace("[3]}", "[4]}"));
    await send(page);
    assert.match(await page.locator("#error").textContent(),
      /status 400: sequence_lens\[0\] is 4, but axis 0 has 3 entries/);
    await page.fill("#request", "{");
    await send(page);
    assert.match(await page.locator("#error").textContent(), /malformed JSON/);
    assert.match(await page.locator("#in").textContent(), /not JSON yet/);
  });
  await check("a binary answer is explained", async () => {
    await choose(page, "onnx.ReverseSequence", 0);
    await page.fill("#request", (await page.inputValue("#request"))
      .replace("{", '{"parameters": {"binary_data_output": true},'));
    await send(page);
    assert.match(await page.locator("#out").textContent(), /answer is binary/);
  });
  await check("a card puts its model into the form", async () => {
    await page.click("text=Try it >> nth=-1");
    assert.equal(await page.inputValue("#model"), "halves");
    await send(page);
    await expect_cells(page, "out", [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });
  await check("every example of every model works", () => every_example(page));
  await check("large tensors say what is not drawn", async () => {
    await choose(page, "openvino.Reverse", 3);
    await send(page);
    assert.match(await page.locator("#out").textContent(),
      /Only 16 of 64 rows, 12 of 64 columns are drawn/);
  });
  await check("an empty tensor is shown as one", async () => {
    await page.fill("#request", `{"parameters": {"mode": "index"}, "inputs": [
      {"name": "data", "datatype": "FP32", "shape": [0, 3], "data": []},
      {"name": "axis", "datatype": "INT64", "shape": [1], "data": [0]}]}`);
    await send(page);
    assert.match(await page.locator("#out").textContent(), /no elements/);
  });
  await check("it is as wide as the window", () => no_overflow(page));
}

// Tab, arrows, Enter: no pointer is used from here on.
async function by_keyboard(page) {
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    return at.id || at.textContent.trim();
  });
  const press = (...keys) => keys.reduce((before, key) =>
    before.then(() => page.keyboard.press(key)), Promise.resolve());
  const tab_to = async (what) => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      if (await focused() === what) return;
    }
    throw new Error(`Tab never reaches ${what}`);
  };

  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the form");
  await page.keyboard.press("Enter");
  await tab_to("model");
  await press("ArrowDown");
  assert.equal(await page.inputValue("#model"), "openvino.ReverseSequence");
  await tab_to("example");
  await tab_to("request");
  await press("Control+Enter");
  await answered(page);
  await expect_cells(page, "out",
    [0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12]);
  await tab_to("send");
  const ring = await page.evaluate(() =>
    getComputedStyle(document.activeElement).outlineWidth);
  assert.equal(ring, "3px", "the focus is not seen");
  await press("Enter");
  await answered(page);
  assert.equal(await focused(), "send", "the focus is lost");
  await tab_to("0");
  await press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight");
  assert.equal(await page.locator("#where").textContent(),
    "data[2, 2] = 10  →  output[2, 0] = 10");
  await press("Tab", "Tab");
  assert.equal(await focused(), "The answer as it came");
}

async function look(browser_context, name, width, scheme) {
  const page = await browser_context.newPage();
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize({ width, height: name === "phone" ? 844 : 900 });
  await page.goto(url);
  await page.locator("#form").waitFor();
  const shot = (what) => page.screenshot({ fullPage: what !== "top",
    path: `${shots}/${name}-${scheme}-${what}.png` });
  await shot("top");
  await send(page);
  await page.locator("#in td").nth(12).focus();
  await shot("answer");
  await choose(page, "openvino.ReverseSequence", 1);
  await send(page);
  await shot("axes");
  await choose(page, "openvino.Reverse", 3);
  await send(page);
  await shot("large");
  await page.fill("#request", (await page.inputValue("#request"))
    .replace('"index"', '"sideways"'));
  await send(page);
  await shot("refusal");
  await check(`${name}, ${scheme}: as wide as the window`,
    () => no_overflow(page));
  await page.close();
}

async function without_script(browser) {
  const context = await browser.newContext({ javaScriptEnabled: false,
    viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await page.goto(url);
  assert.match(await page.locator("body").innerText(), /needs JavaScript/);
  for (const model of ["onnx.ReverseSequence", "graiphic.ReverseSequenceGrad"])
    assert.ok(await page.locator(`text=${model}`).first().isVisible());
  assert.ok(!await page.locator("#form").isVisible());
  await page.screenshot({ path: `${shots}/phone-light-noscript.png`,
    fullPage: true });
  await context.close();
}

async function main() {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
    args: flags, viewport: { width: widths.desktop, height: 900 } });
  const noise = [];
  context.on("page", (page) => listen(page, noise));
  const page = await context.newPage();
  // The console reports a refused request as an error; this test expects it.
  const wanted = /status of 400/;

  await page.goto(url);
  await tests(page);
  await page.goto(url);
  await page.locator("#form").waitFor();
  await check("it can be used by keyboard alone", () => by_keyboard(page));
  for (const [name, width] of Object.entries(widths))
    for (const scheme of ["light", "dark"])
      await look(context, name, width, scheme);
  await check("the console is quiet", async () =>
    assert.deepEqual(noise.filter((text) => !wanted.test(text)), []));
  await context.close();
  const browser = await chromium.launch({ args: flags,
    executablePath: process.env.CHROMIUM || "/usr/bin/chromium" });
  await check("it can be read without script", () => without_script(browser));
  await browser.close();
  console.log(failures.length ? `${failures.length} FAILED` : "all passed");
  process.exitCode = failures.length ? 1 : 0;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
