// What holds for every view: access without sight or mouse, languages, small screens, no errors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { newPage, open, settled, test } from "./harness.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const views = ["text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow"];

// The page's own policy forbids foreign scripts; axe is let in by the debugger's world.
export async function seriousIssues(page) {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations));
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

async function accessible({ context, url }, dark) {
  const session = await newPage(context, url, { dark });
  for (const view of views) {
    await open(session, `view=${view}&tokens=4&layer=1&head=2${view === "masks" ? "&mask=causal%20%26%20padding(%5B1%5D)" : ""}`);
    assert.deepEqual(await seriousIssues(session.page), [], `${view}, ${dark ? "dark" : "light"}`);
  }
  await session.page.keyboard.press("?");
  await session.page.waitForSelector("dialog[open]");
  assert.deepEqual(await seriousIssues(session.page), [], "sheet of keys");
  await session.page.close();
}

async function byKeys({ session }) {
  const { page } = session;
  await open(session, "");
  for (const [at, view] of views.entries()) {
    await page.keyboard.press(String(at + 1));
    await page.waitForSelector(`.view-${view}`);
  }
  await page.keyboard.press("1");
  await page.waitForSelector(".view-text");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  assert.match(await page.textContent("dialog"), /layer before, after/);
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "focus is visible");
  await page.keyboard.press("r");
  await page.waitForFunction(() => location.hash.includes("range=log"));
}

async function chinese({ context, url }) {
  const session = await newPage(context, url);
  const { page } = session;
  await open(session, "view=matrix");
  await page.click("button.language");
  assert.equal(await page.textContent("h1"), "矩阵");
  assert.equal(await page.getAttribute("html", "lang"), "zh-CN");
  await open(session, "view=heads");
  assert.equal(await page.textContent("h1"), "各头", "remembered");
  const left = await page.evaluate(() => document.body.innerText.match(/\b(Layer|Head|Export|Colours|Query|Run)\b/g));
  assert.equal(left, null, `English is left: ${left}`);
  await page.click("button.language");
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function narrow({ context, url, screenshots }) {
  const session = await newPage(context, url, { width: 360 });
  const { page } = session;
  for (const view of views) {
    await open(session, `view=${view}&tokens=4&layer=1&head=2`);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 360, `${view} is ${width} pixels wide`);
    assert.ok(await page.locator("h1").isVisible());
    if (screenshots && ["text", "matrix", "steps"].includes(view)) await page.screenshot({ path: join(screenshots, `${view}-360.png`) });
  }
  await page.click(".views button >> nth=0");
  await page.click(".chip >> nth=3");
  await settled(page);
  assert.match(await page.textContent(".readout"), / 3 → /);
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function runsAndErrors({ context, url }) {
  const session = await newPage(context, url);
  const { page } = session;
  await open(session, "");
  await page.fill("#text", "Attention is all you need.");
  await page.click(".run .primary");
  await page.waitForSelector(".chip:has-text('Attention')");
  assert.ok((await page.locator(".captures option").count()) >= 2);
  await page.fill("#text", "x".repeat(300_000));
  await page.click(".run .primary");
  await page.waitForSelector("main [role=alert]");
  await page.click(".captures button");
  await page.waitForFunction(() => !document.querySelector(".chip")?.parentElement.textContent.includes("Attention"));
  // The refused run is an HTTP error by intent, which the console reports.
  assert.deepEqual(session.problems.filter((text) => !/status of 4\d\d/.test(text)), []);
  await page.close();
}

export async function everywhere(world) {
  await test("axe finds nothing serious, light", () => accessible(world, false));
  await test("axe finds nothing serious, dark", () => accessible(world, true));
  await test("Everything by keys, focus visible", () => byKeys(world));
  await test("Chinese, remembered", () => chinese(world));
  await test("360 pixels are enough", () => narrow(world));
  await test("Running a text, a refused text, forgetting", () => runsAndErrors(world));
}
