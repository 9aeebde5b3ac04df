// What the tests of the pages share: the browser, checks, and steps in the form.
"use strict";
const assert = require("node:assert/strict");
const { chromium } = require("playwright-core");

const executablePath = process.env.CHROMIUM || "/usr/bin/chromium";
const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
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

// The page answers its first example by itself.
async function open(page, url) {
  await page.goto(url);
  await answered(page);
}

async function send(page) {
  await page.click("#send");
  // The page may scroll a grid under the resting pointer, and then show a cell.
  await page.mouse.move(0, 0);
  await answered(page);
}

// Until the form has what a choice makes of it, which may need the server.
async function choose(page, model, example) {
  await page.evaluate(() => { document.getElementById("request").value = ""; });
  await page.selectOption("#model", model);
  await filled(page);
  await page.evaluate(() => { document.getElementById("request").value = ""; });
  await page.selectOption("#example", String(example));
  await filled(page);
}
const filled = (page) => page.waitForFunction(() => document.getElementById("request").value);

// Errors and warnings of the browser, and requests to other hosts.
function listen(page, noise) {
  const host = () => new URL(page.url()).origin;
  page.on("console", (m) => ["error", "warning"].includes(m.type()) &&
    noise.push(m.text()));
  page.on("pageerror", (error) => noise.push(error.message));
  page.on("request", (r) => /^(data|blob):/.test(r.url()) ||
    new URL(r.url()).origin === (page.url().startsWith("http") ? host() : new URL(r.url()).origin) ||
    noise.push(`foreign: ${r.url()}`));
}

async function no_overflow(page) {
  const wide = await page.evaluate(() =>
    document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

module.exports = { chromium, executablePath, args, failures, check, cells,
  expect_cells, answered, open, send, choose, filled, listen, no_overflow };
