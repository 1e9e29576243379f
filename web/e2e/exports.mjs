// Every view gives away PNG, SVG, CSV, JSON, npz and a link, and programs can read them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { open, settled, test } from "./harness.mjs";

const views = ["text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow"];

async function taken(page, format) {
  await page.click("[data-key=export]");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-export=${format}]`)]);
  assert.match(download.suggestedFilename(), new RegExp(`\\.${format}$`));
  return readFileSync(await download.path());
}

// Names and first bytes of the members of a stored zip.
function members(bytes) {
  const found = {};
  for (let at = 0; bytes.readUInt32LE(at) === 0x04034b50; ) {
    const [size, nameBytes] = [bytes.readUInt32LE(at + 18), bytes.readUInt16LE(at + 26)];
    const name = bytes.toString("utf8", at + 30, at + 30 + nameBytes);
    found[name] = bytes.subarray(at + 30 + nameBytes, at + 30 + nameBytes + size);
    at += 30 + nameBytes + size;
  }
  return found;
}

async function checkFormats(page, view) {
  const png = await taken(page, "png");
  assert.equal(png.toString("latin1", 1, 4), "PNG");
  assert.ok(png.readUInt32BE(16) > 100 && png.readUInt32BE(20) > 40, "a picture of some size");
  const svg = (await taken(page, "svg")).toString("utf8");
  const error = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return parsed.querySelector("parsererror")?.textContent ?? (parsed.documentElement.childElementCount > 3 ? "" : "empty");
  }, svg);
  assert.equal(error, "", `svg of ${view}`);
  const csv = (await taken(page, "csv")).toString("utf8").trimEnd().split("\r\n");
  assert.ok(csv.length > 1 && csv[0].includes(","), `csv of ${view}`);
  JSON.parse((await taken(page, "json")).toString("utf8"));
  const arrays = members(await taken(page, "npz"));
  assert.ok(Object.keys(arrays).length > 0);
  for (const [name, bytes] of Object.entries(arrays)) assert.equal(bytes.toString("latin1", 1, 6), "NUMPY", `${view}: ${name}`);
  return { csv, arrays };
}

async function everyView({ session }) {
  for (const view of views) {
    await open(session, `view=${view}&layer=2&head=3&tokens=4${view === "masks" ? "&mask=causal" : ""}`);
    await checkFormats(session.page, view);
  }
}

async function weightsInFiles({ session, library }) {
  const { page } = session;
  await open(session, "view=matrix&layer=2&head=3");
  const { csv, arrays } = await checkFormats(page, "matrix");
  const head = library.weights[2][3];
  const row = csv[5].split(",").slice(1).map(Number);
  row.forEach((value, j) => assert.ok(Math.abs(value - head[4][j]) < 1e-7, `csv [4,${j}]`));
  const data = arrays["weights.npy"];
  const begin = 10 + data.readUInt16LE(8);
  assert.ok(Math.abs(data.readFloatLE(begin + 4 * (4 * head.length + 7)) - head[4][7]) < 1e-7, "npz [4,7]");
}

async function link({ session }) {
  const { page } = session;
  await open(session, "view=matrix&layer=2&head=3");
  await page.keyboard.press("]");
  await page.keyboard.press(".");
  await page.keyboard.press("m");
  await page.keyboard.press("e");
  await page.click("[data-export=link]");
  await settled(page);
  const address = page.url();
  assert.match(address, /layer=3/);
  assert.match(address, /head=mean/);
  assert.match(address, /text=The/);
  await page.goto("about:blank");
  await page.goto(address);
  await page.waitForSelector(".view-matrix");
  assert.equal(await page.textContent(".steppers .stepper:first-child output"), "3");
}

export async function exports_(world) {
  await test("Export: six formats from nine views", () => everyView(world));
  await test("Export: the weights in CSV and npz are the library's", () => weightsInFiles(world));
  await test("Export: a link brings the same view back", () => link(world));
}
