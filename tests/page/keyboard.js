// Tab, arrows, Enter: no pointer is used.
"use strict";
const assert = require("node:assert/strict");
const { expect_cells, answered, open, filled } = require("./browser.js");

async function test(page, url) {
  const focused = () => page.evaluate(() => {
    const at = document.activeElement;
    return at.id || at.textContent.trim();
  });
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tab_to = async (what) => {
    for (let i = 0; i < 60; i++) {
      await press("Tab");
      if (await focused() === what) return;
    }
    throw new Error(`Tab never reaches ${what}`);
  };

  await open(page, url);
  await press("Tab");
  assert.equal(await focused(), "Skip to the form");
  await press("Enter");
  await tab_to("model");
  await press("ArrowDown");
  assert.equal(await page.inputValue("#model"), "openvino.ReverseSequence");
  await page.waitForFunction(() => /seq_lengths/.test(document.getElementById("request").value));
  await tab_to("example");
  await tab_to("request");
  await press("Control+Enter");
  await answered(page);
  await expect_cells(page, "out", [0, 1, 2, 3, 5, 4, 6, 7, 10, 9, 8, 11, 15, 14, 13, 12]);
  await tab_to("send");
  assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineWidth), "3px");
  await press("Enter");
  await answered(page);
  assert.equal(await focused(), "send", "the focus is lost");
  await tab_to("0");
  await press("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight");
  assert.equal(await page.locator("#where").textContent(), "data[2, 2] = 10  →  output[2, 0] = 10");
  await tab_to("again");
  await tab_to("file");
  await tab_to("tab-curl");
  await press("ArrowRight");
  assert.equal(await focused(), "tab-Python");
  assert.match(await page.locator("#code").textContent(), /import requests/);
  await tab_to("copy");
  await tab_to("code");
}

module.exports = { test };
