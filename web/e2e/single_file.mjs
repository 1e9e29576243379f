// The page as one file, opened from disk without network.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fovea, newPage, open, parseReadout, readout, scratch, settled, test } from "./harness.mjs";
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

async function sizeAt128(world) {
  const file = join(scratch(), "page128.html");
  const words = "the quick brown fox jumps over the lazy dog and runs into the dark green forest ".repeat(9).trim().split(" ").slice(0, 126);
  fovea(world.binary, "view", "--model", "minilm", words.join(" "), "-o", file);
  const { size } = statSync(file);
  world.figures.fileOf128 = { bytes: size };
  assert.ok(size < 6_000_000, `${size} bytes`);
}

export async function singleFile(world) {
  await test("The single file works from disk, offline", () => fromDisk(world));
  await test("The single file of 128 tokens is below 6 MB", () => sizeAt128(world));
}
