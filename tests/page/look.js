// Drives the pages; see run.sh.
// Usage: node look.js URL RESTRICTED-URL FOLDER SCREENSHOTS PYTHON
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { chromium, executablePath, args, failures, check, listen } = require("./browser.js");
const form = require("./form.js");
const keyboard = require("./keyboard.js");
const code = require("./code.js");
const files = require("./files.js");
const pages = require("./pages.js");

const [url, restricted, folder, shots, python] = process.argv.slice(2);

async function main() {
  const context = await chromium.launchPersistentContext(path.join(folder, "profile"), {
    executablePath, args, viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  const noise = [];
  context.on("page", (page) => listen(page, noise));
  const page = await context.newPage();
  // The console reports a refused request as an error; these are expected.
  const wanted = /status of 40[0134]/;

  await form.tests(page, url);
  await check("it can be used by keyboard alone", () => keyboard.test(page, url));
  await code.tests(page, url, folder, python);
  await files.tests(page, url, folder, python);
  await pages.tests(context, url, restricted, shots);
  await check("the console is quiet", async () =>
    assert.deepEqual(noise.filter((text) => !wanted.test(text)), []));
  await context.close();
  const browser = await chromium.launch({ args, executablePath });
  await pages.measures(browser, url);
  await browser.close();
  console.log(failures.length ? `${failures.length} FAILED` : "all passed");
  process.exitCode = failures.length ? 1 : 0;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
