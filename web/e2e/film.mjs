// A film: every view shows the step that the slider names, on the server and in one file.
import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";
import { fovea, hoverAt, newPage, open, parseReadout, readout, sameDigits, scratch, serve, settled, shown, test } from "./harness.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const frames = 21;
const [tokens, width, heads, layers] = [12, 12, 2, 2];
const names = ["a", "b", "c", "d"];

// Queries look for the token before them (head 0), or for the one that followed last time (head 1), the more so the
// later the frame: what training does to such heads.
const sharpness = (frame) => (16 * frame) / (frames - 1);
const target = (head, query) => (head === 0 ? query - 1 : query - 3);

function queryKey(frame) {
  const q = new Float32Array(heads * tokens * width);
  const k = new Float32Array(heads * tokens * width);
  for (let h = 0; h < heads; ++h) {
    for (let i = 0; i < tokens; ++i) {
      const to = target(h, i);
      if (to >= 0) q[(h * tokens + i) * width + to] = Math.fround(sharpness(frame));
      k[(h * tokens + i) * width + i] = 1;
    }
  }
  return { q, k };
}

// The weights by the definition, in double.
export function filmWeights(frame, head, query) {
  const scores = Array.from({ length: query + 1 }, (_, j) => (target(head, query) === j ? Math.fround(sharpness(frame)) / Math.sqrt(width) : 0));
  const largest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - largest));
  const sum = weights.reduce((a, b) => a + b, 0);
  return Array.from({ length: tokens }, (_, j) => (j <= query ? weights[j] / sum : 0));
}

// A film file, as the library writes them.
export function writeFilm(path) {
  const arrays = {};
  const steps = new BigInt64Array(Array.from({ length: frames }, (_, f) => BigInt(10 * f)));
  arrays["frames.step"] = { dtype: "I64", shape: [frames], data: steps };
  const losses = Array.from({ length: 10 * (frames - 1) }, (_, s) => 4 / (1 + s / 40));
  arrays["losses.step"] = { dtype: "I64", shape: [losses.length], data: new BigInt64Array(losses.map((_, s) => BigInt(s + 1))) };
  arrays["frames.loss"] = { dtype: "F32", shape: [frames], data: new Float32Array(Array.from({ length: frames }, (_, f) => (f ? losses[10 * f - 1] : NaN))) };
  arrays["losses.loss"] = { dtype: "F32", shape: [losses.length], data: new Float32Array(losses) };
  for (let layer = 0; layer < layers; ++layer) {
    for (const side of ["q", "k"]) {
      const data = new Float32Array(frames * heads * tokens * width);
      for (let f = 0; f < frames; ++f) data.set(queryKey(f)[side], f * heads * tokens * width);
      arrays[`0.decoder.${layer}.${side}`] = { dtype: "F32", shape: [frames, heads, tokens, width], data };
    }
  }
  const words = Array.from({ length: tokens }, (_, i) => names[i % 4]);
  const places = words.map((_, i) => i);
  const sequence = { tokens: words, ids: places.map((i) => i % 4), begins: places.map((i) => 2 * i), ends: places.map((i) => 2 * i + 1), segments: [] };
  const film = {
    version: 1, model: "nano",
    texts: [{ text: words.join(" "), tokens: { decoder: { queries: [sequence] } }, layers: Array.from({ length: layers }, (_, layer) => ({ kind: "decoder", layer, mask: "causal", softcap: 0 })) }],
  };
  const header = { __metadata__: { "fovea.film": JSON.stringify(film) } };
  const parts = [];
  let at = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(arrays)) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] };
    parts.push(bytes);
    at += bytes.length;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  writeFileSync(path, Buffer.concat([length, json, ...parts]));
}

const stepShown = (page) => page.textContent(".film-reading b");
const slider = (page) => page.locator(".film input[type=range]");

async function checkWeights(session, frame, head, loss) {
  const { page } = session;
  await open(session, `view=matrix&layer=1&head=${head}&at=${10 * frame}`, ".film");
  await settled(page);
  assert.equal(await stepShown(page), `step ${10 * frame}`);
  await hoverAt(page, "main canvas", 0.35, 0.85);
  const { from, to, value } = parseReadout(await readout(page));
  const want = filmWeights(frame, head, from)[to];
  assert.ok(Math.abs(Number(value) - want) <= loss + 5.1e-5, `frame ${frame} head ${head}: ${value} for ${from} → ${to}, expected ${want}`);
}

// The same checks of the server and of the file.
async function checkFilm(session, loss) {
  const { page } = session;
  await open(session, "", ".film");
  await shown(page, () => document.querySelectorAll(".view-grid .tile canvas").length === 4);
  assert.equal(await stepShown(page), "step 0");
  assert.equal(await page.textContent(".film-reading span"), "loss not known");
  for (const [frame, head] of [[0, 0], [6, 1], [20, 0]]) await checkWeights(session, frame, head, loss);

  // Arrow keys on the slider, and what a screen reader says.
  await open(session, "view=grid&at=100", ".film");
  await slider(page).focus();
  await page.keyboard.press("ArrowRight");
  await shown(page, () => document.querySelector(".film-reading b").textContent === "step 110");
  assert.match(await slider(page).getAttribute("aria-valuetext"), /^step 110 of 200, loss 1\.0\d\d$/);
  await page.keyboard.press("End");
  await shown(page, () => document.querySelector("[data-head='0.0'] .badge").textContent.startsWith("previous token"));
  await shown(page, () => document.querySelector("[data-head='1.1'] .badge").textContent.startsWith("induction"));
  await page.keyboard.press("Home");
  await shown(page, () => document.querySelector("[data-head='0.0'] .badge").textContent.startsWith("broad"));
}

async function checkViews(session) {
  const { page } = session;
  for (const view of ["text", "matrix", "lines", "grid", "masks", "heads", "compare", "flow"]) {
    await open(session, `view=${view}&layer=0&head=0&at=0&tokens=8`, ".film");
    await settled(page);
    const before = await page.locator("main .view").screenshot();
    await slider(page).focus();
    await page.keyboard.press("End");
    await settled(page);
    const after = await page.locator("main .view").screenshot();
    assert.ok(!before.equals(after), `${view} shows the same at step 0 and at step 200`);
    assert.equal(await page.locator("main .notice.error").count(), 0, view);
  }
  await open(session, "view=steps&at=0", ".film");
  assert.match(await page.textContent("main .notice"), /not the weights of the model/);
  await page.click("button.language");
  assert.match(await page.textContent("main .notice"), /不保存模型的权重/);
  assert.equal(await stepShown(page), "第 0 步");
  await page.click("button.language");
}

async function checkComparison({ page, ...session }) {
  await open({ page, ...session }, "view=compare&by=frames&layer=0&head=0&at=200&at2=0", ".film");
  await settled(page);
  const captions = await page.locator("figcaption").allTextContents();
  assert.match(captions[0], /L0 H0 · step 200, loss 0\.6\d\d/);
  assert.match(captions[1], /L0 H0 · step 0, loss not known/);
  let largest = 0;
  for (let i = 0; i < tokens; ++i) {
    const [a, b] = [filmWeights(20, 0, i), filmWeights(0, 0, i)];
    a.forEach((value, j) => (largest = Math.max(largest, Math.abs(value - b[j]))));
  }
  sameDigits(await page.textContent(".facts dd"), largest, "largest difference");
}

// Back comes from a link; play runs to the end, and every frame is drawn.
async function checkPlaying(session) {
  const { page } = session;
  await open(session, "view=grid&at=0", ".film");
  await page.evaluate(() => {
    window.seen = new Set();
    new MutationObserver(() => window.seen.add(document.querySelector(".film-reading b").textContent)).observe(document.querySelector(".film-reading"), { subtree: true, characterData: true, childList: true });
  });
  await page.click(".film-play");
  assert.equal(await page.textContent(".film-play"), "Pause");
  await shown(page, () => document.querySelector(".film-reading b").textContent === "step 200" && document.querySelector(".film-play").textContent === "Play");
  assert.equal(await page.evaluate(() => window.seen.size), frames - 1);
  await page.waitForFunction(() => /[#&]at=200(&|$)/.test(location.hash));
  await page.click(".film-play"); // from the start again
  await shown(page, () => /^step ([2-9]\d|1\d\d)$/.test(document.querySelector(".film-reading b").textContent));
  await page.click(".film-play");
  const at = await stepShown(page);
  await page.waitForTimeout(400);
  assert.equal(await stepShown(page), at);
}

// Must the first tile, rows scaled to their largest weight and drawn in 256 colours, look different from the frame before?
// Late in a training two frames may be the same picture.
function looksDifferent(frame) {
  const scaled = (of, query) => {
    const row = filmWeights(of, 0, query);
    const largest = Math.max(...row);
    return row.map((weight) => weight / largest);
  };
  const change = (query) => Math.max(...scaled(frame, query).map((value, j) => Math.abs(value - scaled(frame - 1, query)[j])));
  return Math.max(...Array.from({ length: tokens }, (_, query) => change(query))) >= 2 / 255;
}

// Frames in which the slider moved and the picture did not: late ones.
async function scrub(session) {
  const { page } = session;
  const different = Array.from({ length: frames }, (_, frame) => frame > 0 && looksDifferent(frame));
  assert.ok(different.filter(Boolean).length >= frames / 2, "pictures to wait for");
  await open(session, "view=grid&at=0", ".film");
  await settled(page);
  await page.waitForTimeout(1500); // frames ahead
  return page.evaluate(async (mustChange) => {
    const input = document.querySelector(".film input[type=range]");
    const canvas = document.querySelector(".tile canvas");
    const drawn = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.join();
    const times = [];
    let [late, of] = [0, 0];
    for (let i = 1; i < mustChange.length; ++i) {
      const before = drawn();
      const begin = performance.now();
      input.value = String(i);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      if (!mustChange[i]) continue;
      let waited = 0;
      while (drawn() === before && waited < 60) {
        ++waited;
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      }
      times.push(performance.now() - begin);
      ++of;
      if (waited > 0) ++late;
    }
    times.sort((a, b) => a - b);
    return { late, of, median: times[Math.floor(times.length / 2)], worst: times.at(-1) };
  }, different);
}

// As in everywhere.mjs: the page's own policy forbids foreign scripts.
async function accessible({ page }) {
  await page.evaluate(axeSource);
  const { violations, passes } = await page.evaluate(() => globalThis.axe.run(".film"));
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
  assert.ok(passes.length > 5);
}

export async function film({ binary, context, figures, screenshots }) {
  const path = join(scratch(), "film.safetensors");
  writeFilm(path);
  const server = await serve(binary, "--film", path);
  const session = await newPage(context, server.url);
  await test("Film: the server's frames have the weights of their step", () => checkFilm(session, 1e-6));
  await test("Film: every view follows the slider, and Steps says why it cannot", () => checkViews(session));
  await test("Film: two steps are compared", () => checkComparison(session));
  await test("Film: plays every frame, pauses, and the address keeps the step", () => checkPlaying(session));
  await test("Film: the bar has no faults that axe finds", () => accessible(session));
  await test("Film: scrubbing has no late frames", async () => {
    figures.filmScrub = await scrub(session);
    assert.ok(figures.filmScrub.late <= 1, JSON.stringify(figures.filmScrub));
  });
  await test("Film: no error, no foreign request", () => assert.deepEqual(session.problems, []));
  await session.page.close();
  await test("Film: the server ends cleanly", async () => assert.equal(await server.stop(), 0));

  const html = join(scratch(), "film.html");
  fovea(binary, "view", "--film", path, "-o", html);
  figures.filmPage = statSync(html).size;
  const file = await newPage(context, `file://${html}`);
  await test("Film in one file: the same, within the stated error", () => checkFilm(file, 0.5 / 255));
  await test("Film in one file: every view follows the slider", () => checkViews(file));
  await test("Film in one file: scrubbing has no late frames", async () => {
    figures.filmFileScrub = await scrub(file);
    assert.ok(figures.filmFileScrub.late <= 1, JSON.stringify(figures.filmFileScrub));
  });
  await test("Film in one file: no error, no request", () => assert.deepEqual(file.problems, []));
  if (screenshots) await file.page.screenshot({ path: join(screenshots, "film-synthetic.png") });
  await file.page.close();
}
