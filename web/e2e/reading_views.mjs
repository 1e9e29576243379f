// Text, Matrix, Lines and Grid: what is on the screen equals the library's numbers.
import assert from "node:assert/strict";
import { hoverAt, open, parseReadout, rankIn, readout, sameDigits, settled, test } from "./harness.mjs";

const chip = (i) => `.chips .chip[data-i="${i}"]`;

async function listed(page) {
  return page.$$eval(".ranked div > div:not([hidden])", (rows) =>
    rows.map((row) => [row.querySelector("span").textContent, row.querySelector("b").textContent]),
  );
}

function checkList(list, values) {
  const order = values.map((value, i) => [value, i]).sort((a, b) => b[0] - a[0]).slice(0, list.length);
  list.forEach(([, shown], at) => sameDigits(shown, order[at][0], `place ${at}`));
}

async function textView({ session, library }) {
  const { page } = session;
  const head = library.weights[2][3];
  await open(session, "layer=2&head=3");
  for (const token of [0, 4, 9]) {
    await page.hover(chip(token));
    await settled(page);
    const shown = parseReadout(await readout(page));
    assert.equal(shown.from, token);
    sameDigits(shown.value, Math.max(...head[token]), "largest weight");
    checkList(await listed(page), head[token]);
  }
  await page.click(chip(4));
  await settled(page);
  assert.equal(await page.getAttribute(chip(4), "aria-selected"), "true");
  await page.hover(chip(9));
  const pinned = parseReadout(await readout(page));
  assert.deepEqual([pinned.from], [4], "a pinned token stays");
  await page.click(chip(9), { modifiers: ["Shift"] });
  await settled(page);
  checkList(await listed(page), head[4].map((value, j) => value + head[9][j]));
  await page.waitForFunction(() => location.hash.includes("tokens=4.9"));
  await page.keyboard.press("Escape");
  await page.click("button:has-text('Seen by')");
  await page.hover(chip(5));
  await settled(page);
  checkList(await listed(page), head.map((row) => row[5]));
  assert.match(await readout(page), /←/);
}

// Before anything is hovered: what each token receives, mean over the queries.
async function textAtRest({ session, library }) {
  const { page } = session;
  const received = (head) => head[0].map((_, key) => head.reduce((sum, row) => sum + row[key], 0) / head.length);
  await page.mouse.move(2, 2);
  await open(session, "layer=2&head=3");
  assert.match(await page.textContent(".caption"), /attention each token receives, mean over all queries/);
  const values = received(library.weights[2][3]);
  checkList(await listed(page), values);
  const most = values.indexOf(Math.max(...values));
  const match = / (\d+) receives most attention: ([\d.]+) /.exec(await readout(page));
  assert.equal(Number(match[1]), most);
  sameDigits(match[2], values[most], "what the first one receives");
  const shade = (i) => page.evaluate((at) => {
    const [box, canvas] = [document.querySelector(`.chip[data-i="${at}"]`).getBoundingClientRect(), document.querySelector(".ground")];
    const own = getComputedStyle(document.querySelector(`.chip[data-i="${at}"]`)).backgroundColor.match(/[\d.]+/g).map(Number);
    if (own.length === 3) return own[0] + own[1] + own[2];
    const origin = canvas.getBoundingClientRect();
    const [r, g, b] = canvas.getContext("2d").getImageData(box.left - origin.left + 3, box.top - origin.top + box.height / 2, 1, 1).data;
    return r + g + b;
  }, i);
  const least = values.indexOf(Math.min(...values));
  assert.ok((await shade(most)) < (await shade(least)), "the most attended chip is the darkest");
  await page.keyboard.press(".");
  await settled(page);
  const next = received(library.weights[2][4]);
  sameDigits(/: ([\d.]+) /.exec(await page.textContent("[role=status]"))[1], Math.max(...next), "said for another head");
  await page.hover(chip(4));
  await settled(page);
  assert.match(await page.textContent(".caption"), /where “fox” \(token 4\) looks/);
  await page.mouse.move(2, 2);
  await settled(page);
  checkList(await listed(page), next);
}

async function textKeys({ session, library }) {
  const { page } = session;
  await open(session, "layer=1&head=2");
  await page.focus(".chips");
  for (let i = 0; i < 4; ++i) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.equal(await page.getAttribute(chip(3), "aria-selected"), "true");
  const said = parseReadout(await page.textContent("[role=status]"));
  assert.equal(said.from, 3);
  sameDigits(said.value, library.weights[1][2][3][said.to], "the live region");
}

async function matrixView({ session, library }) {
  const { page } = session;
  const head = library.weights[3][5];
  await open(session, "view=matrix&layer=3&head=5");
  const seen = new Set();
  for (const [x, y] of [[0.12, 0.2], [0.25, 0.4], [0.3, 0.7], [0.4, 0.5], [0.2, 0.85]]) {
    await hoverAt(page, ".canvas.tall", x, y);
    const shown = parseReadout(await readout(page));
    sameDigits(shown.value, head[shown.from][shown.to], "weight under the pointer");
    assert.equal(shown.rank, rankIn(head[shown.from], shown.to), "rank");
    seen.add(`${shown.from},${shown.to}`);
  }
  assert.ok(seen.size >= 4, "different cells were hovered");
  const entropy = Number(/entropy ([\d.]+)/.exec(await readout(page))[1]);
  const { from } = parseReadout(await readout(page));
  const expected = head[from].reduce((sum, w) => sum - (w > 0 ? w * Math.log(w) : 0), 0);
  sameDigits(entropy.toFixed(3), expected, "entropy in the margin");
  const before = parseReadout(await readout(page));
  await page.mouse.wheel(0, -900);
  await settled(page);
  await hoverAt(page, ".canvas.tall", 0.205, 0.85);
  const zoomed = parseReadout(await readout(page));
  assert.ok(Math.abs(zoomed.from - before.from) <= 1, "zooming keeps the place under the pointer");
  sameDigits(zoomed.value, head[zoomed.from][zoomed.to], "zoomed in");
  const box = await page.locator(".canvas.tall").boundingBox();
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.205, box.y + box.height * 0.5, { steps: 4 });
  await page.mouse.up();
  const dragged = parseReadout(await readout(page));
  sameDigits(dragged.value, head[dragged.from][dragged.to], "after moving");
  await page.click(".canvas.tall", { position: { x: 200, y: 200 } });
  await settled(page);
  const selected = parseReadout(await page.textContent("[role=status]"));
  assert.match(await page.textContent(".tokens-selected"), new RegExp(` ${selected.from} → .* ${selected.to}`));
  await page.keyboard.press("0");
  await page.keyboard.press("ArrowDown");
  await settled(page);
  const moved = parseReadout(await page.textContent("[role=status]"));
  assert.equal(moved.from, Math.min(selected.from + 1, head.length - 1));
  sameDigits(moved.value, head[moved.from][moved.to], "by arrow keys");
}

async function matrixRangesAndMask({ session }) {
  const { page } = session;
  const pixels = () => page.$eval(".canvas.tall canvas", (canvas) => canvas.toDataURL());
  await open(session, "view=matrix");
  const pictures = [];
  for (const range of ["0..1", "row", "log"]) {
    await page.click(`.colours .segmented button:has-text("${range}")`);
    await settled(page);
    pictures.push(await pixels());
  }
  assert.equal(new Set(pictures).size, 3, "each range looks different");
  await page.selectOption(".colours select", "viridis");
  await settled(page);
  assert.notEqual(await pixels(), pictures[2], "another colour table looks different");
  await open(session, "view=matrix&mask=causal&layer=1");
  await hoverAt(page, ".canvas.tall", 0.4, 0.25);
  assert.match(await readout(page), /hidden by the mask/);
}

async function linesView({ session, library, pair }) {
  const { page } = session;
  const count = library.tokens.length;
  await open(session, "view=lines&layer=2&head=3");
  const list = page.locator(".canvas.scrolling");
  const box = await list.boundingBox();
  await page.mouse.move(box.x + 150, box.y + 8 + 22 * 4.5);
  await settled(page);
  const match = /^(.*?) 4 → (.*?) (\d+) (\d\.\d{4}), /.exec(await readout(page));
  assert.ok(match, await readout(page));
  sameDigits(match[4], Math.max(...library.weights[2][3][4]), "the strongest line");
  await page.mouse.move(box.x + box.width / 2, box.y + 5);
  await page.click(".tiles button:has-text('5')");
  await page.waitForFunction(() => location.hash.includes("heads=3.5"));
  await page.dblclick(".tiles button:has-text('7')");
  await page.waitForFunction(() => /heads=7(&|$)/.test(location.hash));
  await page.click(".tiles .all");
  assert.equal(await page.locator(".tiles [aria-pressed=true]").count(), 12);
  await page.click("button:has-text('top k')");
  await page.fill(".toolbar input[type=number]", "1");
  await page.waitForFunction(() => location.hash.includes("keep=k1"));
  await settled(page);
  await page.focus(".canvas.scrolling");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.match(await page.textContent("[role=status]"), /^\S+ 0 ← /);
  assert.equal(await page.locator("text=A → B").count(), 0, "no filter for a single text");
  assert.ok(count > 10);
  await open(session, `view=lines&c=${pair.id}&layer=1&head=4`);
  await page.click("button:has-text('A → B')");
  await page.waitForFunction(() => location.hash.includes("parts=ab"));
}

async function gridView({ session }) {
  const { page, url } = session;
  await open(session, "view=grid");
  assert.equal(await page.locator(".tile").count(), 72);
  const overview = await (await page.request.get(`${url}api/captures/c1/overview?kind=encoder`)).json();
  const badge = await page.textContent("[data-head='0.2'] .badge");
  assert.equal(badge, overview.heads[0][2].role.name.en);
  await page.selectOption(".toolbar select", "entropy");
  await settled(page);
  const all = overview.heads.flatMap((layer, l) => layer.map((head, h) => [head.measures.entropy, `${l}.${h}`]));
  all.sort((a, b) => b[0] - a[0]);
  assert.equal(await page.locator(".tile").first().getAttribute("data-head"), all[0][1], "the largest first");
  sameDigits(await page.textContent(".tile .tile-name b"), all[0][0], "entropy on the tile");
  await page.click("[data-head='4.7']");
  await page.waitForFunction(() => location.hash.includes("layer=4") && location.hash.includes("head=7"));
  await page.dblclick("[data-head='4.7']");
  await page.waitForSelector(".view-matrix");
}

export async function readingViews(world) {
  await test("Text: hovering, pinning and summing show the library's weights", () => textView(world));
  await test("Text: at rest, what each token receives", () => textAtRest(world));
  await test("Text: by keys, and the live region says the value", () => textKeys(world));
  await test("Matrix: value, rank and entropy under the pointer; zoom, pan, selection, keys", () => matrixView(world));
  await test("Matrix: colour ranges and tables; masked cells", () => matrixRangesAndMask(world));
  await test("Lines: values, tiles, solo, threshold, sentences", () => linesView(world));
  await test("Grid: thumbnails, roles, order, selection", () => gridView(world));
}
