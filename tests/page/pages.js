// All three pages: by an axe, restricted, without a script, their weight and their
// shifts, the figures of /status, and screenshots for a human.
"use strict";
const assert = require("node:assert/strict");
const axe = require("axe-core");
const { check, expect_cells, open, answered, send, choose, no_overflow } = require("./browser.js");

const PAGES = { page: "", docs: "docs", status: "status" };
const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };
const MOST = 60 * 1024; // bytes of a page at load, in all

async function ready(page, name) {
  if (name === "page") await answered(page);
  if (name === "status") await page.waitForFunction(() => /Started/.test(document.getElementById("state").textContent));
}

async function no_fault_for_axe(page, what) {
  await page.evaluate(() => document.getAnimations().forEach((way) => way.finish()));
  // The policy of the page lets no script in: this one comes by the debugger.
  const found = await page.evaluate(`${axe.source}; axe.run()`);
  assert.deepEqual(found.violations.map(({ id, nodes }) => `${what}: ${id} ${nodes[0].html}`), []);
}

async function look(context, url, name, size, scheme, shots) {
  const page = await context.newPage();
  const shot = (what) => page.screenshot({ fullPage: what !== "top", path: `${shots}/${name}-${size}-${scheme}-${what}.png` });
  await page.emulateMedia({ colorScheme: scheme });
  await page.setViewportSize(SIZES[size]);
  await page.goto(url + PAGES[name]);
  await ready(page, name);
  await page.waitForTimeout(1600); // the elements have arrived
  await shot("top");
  await check(`${name}, ${size}, ${scheme}: axe finds nothing`, () => no_fault_for_axe(page, "at load"));
  await check(`${name}, ${size}, ${scheme}: as wide as the window`, () => no_overflow(page));
  if (name === "page") await states(page, shot, size);
  else await shot("all");
  await page.close();
}

// After a request, with a refusal, with a picture.
async function states(page, shot, size) {
  if (size === "phone") {
    const [button, answer] = [await page.locator("#send").boundingBox(), await page.locator("#timing").boundingBox()];
    await check("on a phone the answer follows the button", async () =>
      assert.ok(answer.y > button.y && answer.y - button.y < 120, `${button.y}, ${answer.y}`));
  }
  await page.locator("#in td").nth(0).focus();
  await shot("answer");
  await choose(page, "openvino.ReverseSequence", 1);
  await send(page);
  await page.waitForTimeout(1600);
  await shot("axes");
  await page.fill("#request", (await page.inputValue("#request")).replace("-1}", "7}"));
  await send(page);
  await shot("refusal");
  await check(`${size}: axe finds nothing with a refusal`, () => no_fault_for_axe(page, "a refusal"));
}

async function figures(context, url) {
  const page = await context.newPage();
  await page.goto(`${url}status`);
  await ready(page, "status");
  const body = JSON.stringify({ inputs: [{ name: "input", datatype: "FP32", shape: [2, 1], data: [1, 2] },
    { name: "sequence_lens", datatype: "INT64", shape: [1], data: [2] }] });
  const end = Date.now() + 20000;
  const shown = (label) => page.locator(`dt:text-is("${label}") + dd`).textContent();
  while (Date.now() < end && (Number(await shown("answered")) < 1 || await shown("p50") === "–"))
    for (let i = 0; i < 20; i++) await page.request.post(`${url}v2/models/onnx.ReverseSequence/infer`, { data: body });
  assert.match(await shown("p50"), /[\d.]+ [µm]?s/);
  assert.match(await shown("resident"), /MiB/);
  assert.match(await page.locator("tr:has-text('onnx.ReverseSequence')").textContent(), /ReverseSequence[\d.]+/);
  await page.click("#pause");
  assert.equal(await page.locator("#pause").textContent(), "Go on");
  await page.close();
}

async function restricted_page(context, url) {
  const page = await context.newPage();
  await page.goto(url);
  await page.locator("#restricted").waitFor();
  assert.match(await page.locator("#restricted-why").textContent(), /the header Authorization is missing/);
  await no_fault_for_axe(page, "restricted");
  await page.fill("#header-value", "Bearer wrong");
  await page.click("#restricted button");
  await page.waitForFunction(() => /not the right one/.test(document.getElementById("restricted-why").textContent));
  await page.fill("#header-value", "secret"); // a token alone
  await page.click("#restricted button");
  await answered(page);
  await expect_cells(page, "out", [3, 6, 9, 12, 2, 5, 8, 13, 1, 4, 10, 14, 0, 7, 11, 15]);
  assert.match(await page.locator("#code").textContent(), /Authorization: Bearer secret/);
  await page.goto(`${url}status`); // the same tab: the header is known
  await ready(page, "status");
  await page.close();
}

// A token can be taken back: on the page that it was given to, and on the other.
async function forgotten_token(context, url) {
  const page = await context.newPage();
  const kept = () => page.evaluate(() => sessionStorage.getItem("headers"));
  const give = async () => {
    await page.fill("#header-value", "secret");
    await page.click("#restricted button");
  };
  await page.goto(url);
  assert.ok(!await page.locator("#kept").isVisible());
  await give();
  await answered(page);
  assert.match(await page.locator("#kept").textContent(), /carry the header Authorization/);
  await no_fault_for_axe(page, "a token is kept");
  await page.click("#drop-headers");
  assert.ok(!await page.locator("#kept").isVisible());
  assert.equal(await kept(), null);
  assert.doesNotMatch(await page.locator("#code").textContent(), /secret/);
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), "BODY", "the focus is lost");
  await page.click("#send");
  await page.locator("#restricted").waitFor();
  await give();
  await answered(page);
  await page.goto(`${url}status`);
  await ready(page, "status");
  await page.click("#drop-headers");
  await page.locator("#restricted").waitFor();
  assert.equal(await kept(), null);
  await page.close();
}

async function tests(context, url, restricted, shots) {
  for (const name of Object.keys(PAGES))
    for (const size of Object.keys(SIZES))
      for (const scheme of ["light", "dark"])
        await look(context, url, name, size, scheme, shots);
  await check("the figures of a running server", () => figures(context, url));
  await check("a restricted server asks for its header", () => restricted_page(context, restricted));
  await check("a token can be forgotten", () => forgotten_token(context, restricted));
}

// Bytes over the wire and the shifts of a first visit.
async function weigh(browser, url, name, size) {
  const context = await browser.newContext({ viewport: SIZES[size] });
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  let bytes = 0;
  wire.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await wire.send("Network.enable");
  await page.addInitScript(() => {
    window.shift = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; }))
      .observe({ type: "layout-shift", buffered: true });
  });
  await page.goto(url + PAGES[name]);
  await ready(page, name);
  await page.waitForTimeout(2000);
  const shift = await page.evaluate(() => window.shift);
  console.log(`  ${name}, ${size}: ${bytes} bytes, layout shift ${shift.toFixed(4)}`);
  assert.ok(bytes < MOST, `${bytes} bytes`);
  assert.ok(shift < 0.01, `a layout shift of ${shift}`);
  await context.close();
}

async function without_script(browser, url) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: SIZES.phone });
  const page = await context.newPage();
  await page.goto(url);
  assert.match(await page.locator("body").innerText(), /needs JavaScript/);
  assert.ok(await page.locator("article:has-text('graiphic.ReverseSequenceGrad')").isVisible());
  assert.ok(!await page.locator("#form").isVisible());
  await page.goto(`${url}docs`);
  for (const text of ["/v2/models/{model}/infer", "onnx.ReverseSequence", "Retry-After"])
    assert.ok(await page.locator("#reference").getByText(text).first().isVisible(), text);
  await page.goto(`${url}status`);
  assert.match(await page.locator("body").innerText(), /need JavaScript/);
  await context.close();
}

async function links(browser, url) {
  const page = await browser.newPage();
  for (const name of Object.values(PAGES)) {
    await page.goto(url + name);
    const all = await page.locator("a[href]").evaluateAll((found) => found.map((link) => link.href));
    for (const link of new Set(all.map((href) => href.split("#")[0])))
      assert.equal((await page.request.get(link)).status(), 200, link);
    const lost = await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
      .filter((link) => !document.getElementById(decodeURIComponent(link.hash.slice(1)))).map((link) => link.hash));
    assert.deepEqual(lost, [], name);
  }
  await page.close();
}

async function measures(browser, url) {
  for (const name of Object.keys(PAGES))
    for (const size of Object.keys(SIZES))
      await check(`${name}, ${size}: light and still`, () => weigh(browser, url, name, size));
  await check("the pages can be read without script", () => without_script(browser, url));
  await check("every link leads somewhere", () => links(browser, url));
}

module.exports = { tests, measures };
