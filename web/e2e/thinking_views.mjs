// Steps, Masks, Heads, Compare and Flow.
import assert from "node:assert/strict";
import { hoverAt, open, parseReadout, readout, sameDigits, settled, test } from "./harness.mjs";

const numberOf = (text) => Number(text.replace("−", "-"));
const resultOf = async (page) => numberOf(await page.textContent(".sum .result, p.sum .result"));
const stageNames = (page) => page.$$eval(".timeline li button", (buttons) => buttons.map((button) => button.textContent));

async function stepsOfModel({ session, library }) {
  const { page } = session;
  await open(session, "view=steps&layer=3&head=5&tokens=4", ".stage");
  const names = await stageNames(page);
  assert.equal(names.length, 10, names.join(", "));
  for (const [at, name] of names.entries()) {
    assert.match(await page.textContent(".timeline [aria-current=step]"), new RegExp(name.split(" ")[0].replace(/[×ᵀ]/g, ".")));
    assert.ok((await page.locator(".stage .box").count()) >= 1);
    if (await page.locator(".sum .stored").count()) {
      const stored = numberOf((await page.textContent(".sum .stored")).split(": ")[1]);
      const computed = await resultOf(page);
      assert.ok(Math.abs(stored - computed) < 2e-5 * Math.max(1, Math.abs(stored)), `${name}: ${computed} here, ${stored} of the model`);
    }
    if (name.startsWith("Softmax")) {
      assert.ok(Math.abs((await resultOf(page)) - library.weights[3][5][4][0]) < 1e-6, "A[4,0]");
      await page.focus(".box.result .numbers");
      await page.keyboard.press("ArrowRight");
      await settled(page);
      assert.ok(Math.abs((await resultOf(page)) - library.weights[3][5][4][1]) < 1e-6, "A[4,1]");
      await page.click("h1");
      await page.evaluate(() => document.activeElement.blur());
    }
    if (at < names.length - 1) await page.keyboard.press("ArrowRight");
    await settled(page);
  }
  await page.fill(".timeline input[type=range]", "1");
  await settled(page);
  assert.match(await page.textContent(".equation"), /Q\[4,0\] = Σₑ X\[4,e\] · W_q\[e,0\]/);
  assert.equal(await page.locator(".terms li").count(), 385, "384 products and the bias");
}

async function stepsOfExamples({ session }) {
  const { page } = session;
  await open(session, "view=steps&example=qkv", ".stage");
  const names = await stageNames(page);
  await page.click(`.timeline li:nth-child(${names.findIndex((name) => name.startsWith("Softmax")) + 1}) button`);
  await settled(page);
  sameDigits((await resultOf(page)).toFixed(8), 0.40111209, "the worked example");
  await page.click(".timeline li:last-child button");
  await settled(page);
  sameDigits((await resultOf(page)).toFixed(8), 16.04448371, "its output");
  await page.click(".timeline li:first-child button");
  await settled(page);
  // V[0,0] = 10 becomes 40: the output gains 30 · 0.40111209.
  await page.click(".box:last-of-type .numbers", { position: { x: 60, y: 32 } });
  await page.fill(".editor input", "40");
  await page.click(".timeline li:last-child button");
  await settled(page);
  sameDigits((await resultOf(page)).toFixed(7), 16.04448371 + 30 * 0.40111209, "recomputed at once");
  await page.click("button:has-text('Original numbers')");
  await settled(page);
  sameDigits((await resultOf(page)).toFixed(8), 16.04448371, "the original again");
  await page.click(".timeline li:first-child button");
  await page.click("button:has-text('Play')");
  await page.waitForFunction(() => location.hash.includes("step=1"));
  await page.click("button:has-text('Pause')");
}

async function masksView({ session }) {
  const { page, url } = session;
  await open(session, "view=masks&layer=1&head=4");
  const count = (await (await page.request.get(`${url}api/captures/c1`)).json()).kinds[0].keys;
  const ask = async (expression) =>
    (await page.request.get(`${url}api/mask?${new URLSearchParams({ expression, n: String(count), m: String(count) })}`)).json();
  await page.click("[data-add=causal]");
  await page.click("[data-add=window]");
  await page.fill(".term:nth-child(2) input >> nth=0", "3");
  await page.fill(".term:nth-child(2) input >> nth=1", "0");
  await settled(page);
  assert.equal(await page.inputValue("#mask-expression"), "causal & window(3, 0)");
  sameDigits((await page.textContent("#density")).replace(" %", ""), 100 * (await ask("causal & window(3, 0)")).density, "density");
  await hoverAt(page, ".side-by-side figure:nth-child(3) .canvas", 0.35, 0.5);
  const match = / (\d+) → .* (\d+): (visible|hidden by the mask) · ([\d.]+) → ([\d.]+)/.exec(await readout(page));
  assert.ok(match, await readout(page));
  const expected = await weightsUnder(page, url, "causal & window(3, 0)", 1, 4, Number(match[1]));
  sameDigits(match[5], expected[Number(match[2])], "after the mask");
  await page.click(".term:nth-child(1) .not");
  await page.click(".term:nth-child(2) .segmented button:has-text('or')");
  await settled(page);
  assert.equal(await page.inputValue("#mask-expression"), "!causal | window(3, 0)");
  await page.fill("#mask-expression", "!causal & window(0)");
  await settled(page);
  assert.match(await page.textContent("#empty-rows"), new RegExp(`∅ ${count}`));
  await page.fill("#mask-expression", "causl");
  assert.match(await page.textContent(".builder [role=alert]"), /Column 1/);
}

async function weightsUnder(page, url, mask, layer, head, row) {
  const query = new URLSearchParams({ kind: "encoder", layer: String(layer), head: String(head), rows: `${row}:${row + 1}`, mask });
  const body = await (await page.request.get(`${url}api/captures/c1/weights?${query}`)).body();
  const begin = 8 + Number(body.readBigUInt64LE(0));
  return Array.from({ length: (body.length - begin) / 4 }, (_, j) => body.readFloatLE(begin + 4 * j));
}

async function masksByHand({ session }) {
  const { page } = session;
  await open(session, "view=masks");
  const canvas = page.locator(".canvas.paintable");
  const box = await canvas.boundingBox();
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.4);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.4, { steps: 8 });
  await page.mouse.up();
  await settled(page);
  const expression = await page.inputValue("#mask-expression");
  const cells = /^hand\((.*)\)$/.exec(expression)[1].split(",");
  assert.ok(cells.length >= 3, expression);
  await page.fill("#mask-expression", "");
  await page.click("[data-add=padding]");
  await page.click(".toggles button >> nth=2");
  await settled(page);
  assert.match(await page.inputValue("#mask-expression"), /^padding\(\[1,1,0,.*,0\]\)$/);
  await page.fill("#mask-expression", "");
  await page.click("[data-add=documents]");
  await page.click(".toggles button >> nth=3");
  await settled(page);
  assert.match(await page.inputValue("#mask-expression"), /^documents\(\[0,0,0,1,/);
  await page.fill("#mask-expression", "causal");
  await page.focus(".canvas.paintable");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.inputValue("#mask-expression"), "causal & hand(1.0)");
  await page.waitForFunction(() => location.hash.includes("mask=causal"));
}

async function headsView({ session }) {
  const { page, url } = session;
  await open(session, "view=heads");
  const overview = await (await page.request.get(`${url}api/captures/c1/overview?kind=encoder`)).json();
  await page.click("thead button:has-text('confidence')");
  await settled(page);
  const all = overview.heads.flatMap((layer, l) => layer.map((head, h) => [head.measures.confidence, `L${l} H${h}`]));
  all.sort((a, b) => b[0] - a[0]);
  assert.equal(await page.textContent("tbody tr:first-child th"), all[0][1]);
  const column = await page.$$eval("thead th", (heads) => heads.findIndex((head) => head.textContent === "confidence"));
  sameDigits(await page.textContent(`tbody tr:first-child > :nth-child(${column + 1})`), all[0][0], "confidence");
  await page.click("tbody tr:nth-child(3) button");
  await page.waitForFunction(() => document.querySelector("tbody tr:nth-child(3)").getAttribute("aria-current") === "true");
  await page.focus(".scatter");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".side-by-side figure:nth-child(3) canvas");
  await page.locator(".side-by-side figure:nth-child(3) .canvas").scrollIntoViewIfNeeded();
  await hoverAt(page, ".side-by-side figure:nth-child(3) .canvas", 0.5, 0.5);
  assert.match(await readout(page), /^L\d+ H\d+ – L\d+ H\d+: Jensen–Shannon divergence/);
  await page.click(".definitions summary >> nth=0");
  assert.match(await page.textContent(".definitions details[open]"), /Caveat/);
}

async function compareView({ session, library, other, otherLibrary }) {
  const { page } = session;
  await open(session, "view=compare&layer=1&head=4&layer2=2&head2=3");
  const [a, b] = [library.weights[1][4], library.weights[2][3]];
  let largest = 0;
  a.forEach((row, i) => row.forEach((value, j) => (largest = Math.max(largest, Math.abs(b[i][j] - value)))));
  sameDigits(await page.textContent(".facts dd >> nth=0"), largest, "largest difference");
  await hoverAt(page, ".side-by-side .canvas", 0.5, 0.5);
  const match = / (\d+) → .* (\d+): A ([\d.]+) · B ([\d.]+)/.exec(await readout(page));
  sameDigits(match[3], a[match[1]][match[2]], "A");
  sameDigits(match[4], b[match[1]][match[2]], "B");
  await page.click("button:has-text('texts')");
  await page.selectOption(".toolbar select", other.id);
  await settled(page);
  await hoverAt(page, ".side-by-side figure:nth-child(2) .canvas", 0.5, 0.5);
  const second = / (\d+) → .* (\d+): A .* · B ([\d.]+)/.exec(await readout(page));
  sameDigits(second[3], otherLibrary.weights[1][4][second[1]][second[2]], "B of another text");
  await page.click(".toolbar button:has-text('masks')");
  await page.fill(".toolbar input", "window(1)");
  await settled(page);
  assert.ok(Number(await page.textContent(".facts dd >> nth=0")) > 0);
}

async function flowView({ session }) {
  const { page, url } = session;
  await open(session, "view=flow&tokens=4");
  const body = await (await page.request.get(`${url}api/captures/c1/rollout?kind=encoder&query=4`)).body();
  const begin = 8 + Number(body.readBigUInt64LE(0));
  await hoverAt(page, ".strips figure:nth-child(2) .canvas", 0.4, 0.86);
  const match = /^L(\d+) · .* 4 → .* (\d+): Raw attention ([\d.]+) · Rollout ([\d.]+)$/.exec(await readout(page));
  assert.ok(match, await readout(page));
  assert.equal(match[1], "5", "the last layer is hovered");
  // Stored as float16: three digits are sure.
  const expected = body.readFloatLE(begin + 4 * Number(match[2]));
  assert.ok(Math.abs(Number(match[4]) - expected) < 6e-4, `${match[4]} and ${expected}`);
  await page.click(".strips figure:nth-child(1) .canvas", { position: { x: 300, y: 150 } });
  await page.waitForFunction(() => /layer=\d/.test(location.hash));
  assert.equal(await page.locator(".paths canvas").count(), 1);
}

export async function thinkingViews(world) {
  await test("Steps: every stage of the model's head, its sums and float32 numbers", () => stepsOfModel(world));
  await test("Steps: examples, edited numbers, play", () => stepsOfExamples(world));
  await test("Masks: terms, density, weights before and after, empty rows, errors", () => masksView(world));
  await test("Masks: by hand, padding, documents, keys", () => masksByHand(world));
  await test("Heads: table, order, scatter, likeness, definitions", () => headsView(world));
  await test("Compare: heads, texts, masks and their difference", () => compareView(world));
  await test("Flow: rollout and raw attention", () => flowView(world));
}
