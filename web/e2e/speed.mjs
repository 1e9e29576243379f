// How fast the page is with 512 tokens, 12 layers × 12 heads, and that 4,000 tokens work. Measured in the browser.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fovea, hoverAt, newPage, open, readout, scratch, serve, settled, test } from "./harness.mjs";

function readTensors(path) {
  const bytes = readFileSync(path);
  const begin = 8 + Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.toString("utf8", 8, begin));
  delete header.__metadata__;
  return Object.entries(header).map(([name, { dtype, shape, data_offsets: [from, to] }]) => ({
    name, dtype, shape, data: bytes.subarray(begin + from, begin + to),
  }));
}

function writeTensors(path, tensors) {
  const header = {};
  let at = 0;
  for (const { name, dtype, shape, data } of tensors) {
    header[name] = { dtype, shape, data_offsets: [at, at + data.length] };
    at += data.length;
  }
  let json = JSON.stringify(header);
  json = json.padEnd(Math.ceil(json.length / 8) * 8);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  writeFileSync(path, Buffer.concat([length, Buffer.from(json), ...tensors.map(({ data }) => data)]));
}

function weightFile(folder) {
  return ["model.safetensors", "model.fp16.safetensors"].map((name) => join(folder, name)).find(existsSync);
}

// MiniLM with each of its six layers twice: 12 layers × 12 heads of a real model's shape.
function twelveLayers(folder) {
  const out = join(scratch(), "minilm12");
  mkdirSync(out);
  const tensors = readTensors(weightFile(folder));
  const again = tensors
    .filter(({ name }) => /\blayer\.\d+\./.test(name))
    .map((tensor) => ({ ...tensor, name: tensor.name.replace(/\blayer\.(\d+)\./, (_, layer) => `layer.${Number(layer) + 6}.`) }));
  writeTensors(join(out, "model.safetensors"), [...tensors, ...again]);
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  writeFileSync(join(out, "config.json"), JSON.stringify({ ...config, num_hidden_layers: 12 }));
  copyFileSync(join(folder, "tokenizer.json"), join(out, "tokenizer.json"));
  return out;
}

// The tests' tiny GPT-2 with room for 4,096 positions.
function longGpt2(folder) {
  const out = join(scratch(), "gpt2-long");
  mkdirSync(out);
  const tensors = readTensors(join(folder, "model.safetensors")).map((tensor) => {
    if (!tensor.name.endsWith("wpe.weight")) return tensor;
    const [rows, width] = tensor.shape;
    const item = tensor.data.length / (rows * width);
    const copies = Array.from({ length: Math.ceil(4096 / rows) }, () => tensor.data);
    return { ...tensor, shape: [4096, width], data: Buffer.concat(copies).subarray(0, 4096 * width * item) };
  });
  writeTensors(join(out, "model.safetensors"), tensors);
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  writeFileSync(join(out, "config.json"), JSON.stringify({ ...config, n_positions: 4096, n_ctx: 4096 }));
  for (const name of ["vocab.json", "merges.txt"]) copyFileSync(join(folder, name), join(out, name));
  return out;
}

const story =
  "Once upon a time there was a little fox who lived in the deep green forest. The fox liked to run and jump over the " +
  "lazy dog near the river. One day the fox found a shiny red ball under a tree and wanted to play with it all day long. ";

const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// From the answer of the run to the text on the screen, and to the first token's weights. By the browser's clock.
async function firstView(session, text) {
  const { page } = session;
  await open(session, "layer=1&head=8", "main");
  await page.fill("#text", text);
  const [response, times] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === "POST"),
    page.evaluate(async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      document.activeElement.blur();
      document.querySelector(".run .primary").click();
      while (document.querySelectorAll(".chip").length < 500) await frame();
      await frame();
      const shown = performance.now();
      const chip = document.querySelector(".chip[data-i='10']");
      chip.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
      while (!/ 10 → /.test(document.querySelector(".readout").textContent)) await frame();
      const entry = performance.getEntriesByType("resource").findLast(({ name }) => name.endsWith("/api/captures"));
      return { text: shown - entry.responseEnd, weights: performance.now() - entry.responseEnd };
    }),
  ]);
  return { ...times, modelSeconds: (await response.json()).seconds };
}

// From the key to the new head's picture on the canvas, by the browser's own clock.
async function headSwitch(page) {
  return page.evaluate(async () => {
    const times = [];
    const draw = CanvasRenderingContext2D.prototype.drawImage;
    let drawn = 0;
    CanvasRenderingContext2D.prototype.drawImage = function (...args) {
      if (this.canvas.closest(".canvas.tall")) drawn = performance.now();
      return draw.apply(this, args);
    };
    for (let i = 0; i < 12; ++i) {
      const begin = performance.now();
      dispatchEvent(new KeyboardEvent("keydown", { key: "." }));
      while (drawn < begin) await new Promise((done) => setTimeout(done, 1));
      times.push(drawn - begin);
      await new Promise((done) => setTimeout(done, 300));
    }
    CanvasRenderingContext2D.prototype.drawImage = draw;
    return times;
  });
}

// The pointer moves at every frame; the gaps between frames are measured. It sweeps over the whole element, or over its
// left and its right edge only: there stand the names of the Lines view, and every frame has another token's lines.
async function hoverFrames(page, selector, edges = false) {
  return page.evaluate(async ([target, onEdges]) => {
    const element = document.querySelector(target);
    const box = element.getBoundingClientRect();
    const across = (i) => (onEdges ? (i % 90 < 45 ? 0.1 : 0.9) : 0.1 + 0.8 * ((i * 7) % 180) / 180);
    const down = (i) => (onEdges ? (i * 37) % 180 : i) / 180;
    const gaps = [];
    const work = [];
    let last = await new Promise((done) => requestAnimationFrame(done));
    for (let i = 0; i < 180; ++i) {
      const [x, y] = [box.left + box.width * across(i), box.top + Math.min(box.height, innerHeight - box.top) * (0.1 + 0.8 * down(i))];
      const begin = performance.now();
      (document.elementFromPoint(x, y) ?? element).dispatchEvent(new PointerEvent("pointermove", { clientX: x, clientY: y, bubbles: true }));
      const now = await new Promise((done) => requestAnimationFrame(done));
      work.push(performance.now() - begin);
      gaps.push(now - last);
      last = now;
    }
    return { gaps: gaps.slice(20), work: work.slice(20) };
  }, [selector, edges]);
}

function frameFigures({ gaps }) {
  const sorted = [...gaps].sort((a, b) => a - b);
  return { median: middle(gaps), p95: sorted[Math.floor(sorted.length * 0.95)], dropped: gaps.filter((gap) => gap > 25).length, frames: gaps.length };
}

// What the machine itself loses: the same sweep over a page that does nothing.
async function emptyPage(context) {
  const page = await context.newPage();
  await page.setContent("<main style='height: 100vh'></main>");
  const frames = await hoverFrames(page, "main");
  await page.close();
  return frameFigures(frames);
}

async function at512({ context, binary, figures }) {
  figures.emptyPage = await emptyPage(context);
  const { path } = JSON.parse(fovea(binary, "model", "info", "minilm", "--json"));
  const server = await serve(binary, "--model", twelveLayers(path), "warm up");
  const session = await newPage(context, server.url);
  try {
    figures.first = await firstView(session, story.repeat(10));
    const { page } = session;
    await settled(page);
    figures.hoverText = frameFigures(await hoverFrames(page, ".chips"));
    await page.keyboard.press("2");
    await page.waitForSelector(".canvas.tall canvas");
    await settled(page);
    const times = await headSwitch(page);
    figures.headSwitch = { median: middle(times), largest: Math.max(...times) };
    await settled(page);
    figures.hoverMatrix = frameFigures(await hoverFrames(page, ".canvas.tall"));
    await page.keyboard.press("3");
    await page.waitForSelector(".canvas.scrolling canvas");
    await settled(page);
    figures.hoverLines = frameFigures(await hoverFrames(page, ".canvas.scrolling"));
    await page.click(".tiles .all");
    await settled(page);
    figures.hoverLinesOfAllHeads = frameFigures(await hoverFrames(page, ".canvas.scrolling", true));
    assert.deepEqual(session.problems, []);
  } finally {
    await session.page.close();
    assert.equal(await server.stop(), 0, "clean shutdown");
  }
}

async function otherViewsAt4000(session) {
  const { page } = session;
  const ready = {
    grid: ".tile canvas", steps: ".stage .box", masks: ".side-by-side figure:nth-child(3) canvas",
    heads: ".side-by-side figure:nth-child(3) canvas", compare: ".facts dd",
  };
  for (const [view, part] of Object.entries(ready)) {
    await open(session, `view=${view}&tokens=700`);
    await page.waitForSelector(part, { timeout: 60_000 });
    assert.equal(await page.locator("main [role=alert]").count(), 0, `${view}: ${await page.textContent("main")}`);
  }
  assert.match(await page.textContent(".advice"), /384 × 384 cells, each the mean/);
  // A rollout that takes long is announced and can be stopped; nothing else waits for it.
  const held = [];
  await page.route("**/rollout?*", (route) => held.push(route));
  await page.evaluate(() => (location.hash += "&view=flow"));
  await page.waitForSelector(".working button");
  await page.waitForSelector(".strips figure:first-child canvas");
  assert.match(await page.textContent(".working"), /Computing the rollout of 4,0\d\d tokens/);
  await hoverAt(page, ".strips figure:first-child .canvas", 0.08, 0.24);
  assert.match(await readout(page), /^L0 · .* 700 → .*: Raw attention 0\.\d{4}$/);
  await page.click(".working button");
  await page.waitForSelector(".working", { state: "detached" });
  await page.unroute("**/rollout?*");
  await page.click("button:has-text('Compute')");
  await page.waitForFunction(() => !document.querySelector(".working"), null, { timeout: 60_000 });
  await settled(page);
  await hoverAt(page, ".strips figure:first-child .canvas", 0.081, 0.24);
  assert.match(await readout(page), /Raw attention 0\.\d{4} · Rollout 0\.\d{4}$/);
}

async function at4000({ context, binary, gpt2, figures, screenshots }) {
  const words = story.repeat(40).split(" ").slice(0, 960).join(" ");
  const server = await serve(binary, "--model", longGpt2(gpt2), words);
  const session = await newPage(context, server.url);
  try {
    const { page } = session;
    await open(session, "view=matrix");
    figures.longTokens = Number((await page.textContent(".below")).split(" ")[0].replace(",", ""));
    assert.ok(figures.longTokens >= 3800, `${figures.longTokens} tokens`);
    if (screenshots) await page.screenshot({ path: join(screenshots, "matrix-4000.png") });
    const box = await page.locator(".canvas.tall").boundingBox();
    await page.mouse.move(box.x + 80, box.y + 200);
    for (let i = 0; i < 12; ++i) await page.mouse.wheel(0, -500);
    await settled(page);
    await page.waitForTimeout(300);
    await page.mouse.move(box.x + 90, box.y + 205);
    await settled(page);
    assert.match(await readout(page), / → .*: (0\.\d{4}|hidden)/, "single weights after zooming in");
    await open(session, "");
    await page.hover(".chip[data-i='700']");
    await page.waitForFunction(() => / 700 → .*rank 1 of/.test(document.querySelector(".readout").textContent));
    await open(session, "view=lines&tokens=700");
    await otherViewsAt4000(session);
    assert.deepEqual(session.problems, []);
  } finally {
    await session.page.close();
    await server.stop();
  }
}

export async function speed(world) {
  await test("512 tokens, 12 × 12 heads: first view, head switch, hovering", () => at512(world));
  if (world.gpt2) await test("4,000 tokens with a causal model", () => at4000(world));
}
