// The page as one file, opened from disk without network.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fovea, hoverAt, libraryWeights, newPage, open, parseReadout, readout, scratch, settled, test } from "./harness.mjs";
import { views } from "./everywhere.mjs";

async function fromDisk({ context, binary, text, library, figures }) {
  const file = join(scratch(), "page.html");
  fovea(binary, "view", "--model", "minilm", text, "-o", file, "--steps", "3.5");
  const session = await newPage(context, pathToFileURL(file).href);
  await context.setOffline(true);
  try {
    const { page } = session;
    for (const view of views) {
      await open(session, `view=${view}&layer=3&head=5&tokens=4&key=2`);
      assert.equal(await page.locator("main [role=alert]").count(), 0, await page.textContent("main"));
    }
    await open(session, "layer=3&head=5");
    await page.hover(".chip[data-i='4']");
    await settled(page);
    const shown = parseReadout(await readout(page));
    const expected = library.weights[3][5][4][shown.to];
    assert.ok(Math.abs(Number(shown.value) - expected) < 5e-4 + 5e-5, `${shown.value} of the file, ${expected} of the library`);
    assert.match(await page.textContent(".filetitle"), /F16/);
    await open(session, "view=steps&layer=3&head=5", ".stage");
    await open(session, "view=steps&layer=0&head=1");
    await page.click("button:has-text('L3 H5')");
    await page.waitForSelector(".stage");
    await open(session, "view=steps&example=i-love-ai&step=6", ".stage");
    assert.match(await page.textContent(".sum .result"), /0\.226958435/);
    assert.deepEqual(session.problems, []);
    figures.file = { bytes: statSync(file).size, tokens: library.tokens.length };
  } finally {
    await context.setOffline(false);
    await session.page.close();
  }
}

const someWords = (count) =>
  "the quick brown fox jumps over the lazy dog and runs into the dark green forest ".repeat(20).trim().split(" ").slice(0, count).join(" ");

// Above 128 tokens the weights are 8 bits: on the screen they differ from the library's by the stated loss at most.
async function eightBits({ context, binary, figures }) {
  const file = join(scratch(), "page8.html");
  const text = someWords(138);
  const { weights } = libraryWeights(binary, "minilm", text);
  fovea(binary, "view", "--model", "minilm", text, "-o", file);
  const session = await newPage(context, pathToFileURL(file).href);
  await context.setOffline(true);
  try {
    const { page } = session;
    await open(session, "layer=3&head=5");
    const [, type, loss] = /stored as (\w+), largest error ([\d.e−-]+)/.exec(await page.textContent(".filetitle"));
    assert.equal(type, "U8");
    const allowed = Number(loss.replace("−", "-")) + 5.1e-5; // and half of the last digit shown
    assert.ok(allowed < 0.003, `a loss of ${loss}`);
    const close = (shown, value, what) => assert.ok(Math.abs(Number(shown) - value) <= allowed, `${what}: ${shown} of the file, ${value} of the library`);
    const head = weights[3][5];
    assert.equal(head.length, 140);
    const received = head[0].map((_, key) => head.reduce((sum, row) => sum + row[key], 0) / head.length);
    close(/: ([\d.]+) /.exec(await readout(page))[1], Math.max(...received), "attention received");
    for (const token of [1, 60, 139]) {
      await page.hover(`.chip[data-i='${token}']`);
      await settled(page);
      const listed = await page.$$eval(".ranked div > div:not([hidden])", (rows) => rows.map((row) => [row.children[0].textContent, row.children[2].textContent]));
      assert.ok(listed.length >= 10);
      for (const [name, shown] of listed) close(shown, head[token][Number(name.split(" ").at(-1))], `${token} → ${name}`);
    }
    await open(session, "view=matrix&layer=1&head=2");
    for (const [x, y] of [[0.2, 0.3], [0.4, 0.6], [0.3, 0.8]]) {
      await hoverAt(page, ".canvas.tall", x, y);
      const shown = parseReadout(await readout(page));
      close(shown.value, weights[1][2][shown.from][shown.to], `${shown.from}, ${shown.to}`);
    }
    for (const view of ["lines", "masks", "compare", "flow"]) {
      await open(session, `view=${view}&layer=3&head=5&tokens=4&key=2`);
      assert.equal(await page.locator("main [role=alert]").count(), 0, await page.textContent("main"));
    }
    assert.deepEqual(session.problems, []);
    figures.fileOf140 = { bytes: statSync(file).size, loss };
  } finally {
    await context.setOffline(false);
    await session.page.close();
  }
}

async function sizeAt128(world) {
  const file = join(scratch(), "page128.html");
  fovea(world.binary, "view", "--model", "minilm", someWords(126), "-o", file);
  const { size } = statSync(file);
  world.figures.fileOf128 = { bytes: size };
  assert.ok(size < 6_000_000, `${size} bytes`);
}

export async function singleFile(world) {
  await test("The single file works from disk, offline", () => fromDisk(world));
  await test("The single file with 8-bit weights, offline: within the stated loss", () => eightBits(world));
  await test("The single file of 128 tokens is below 6 MB", () => sizeAt128(world));
}
