// Clean pictures (hidden tokens, merged words), the head finder, and what teachers need: own numbers, presentation,
// pictures for paper, print, motion.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fovea, hoverAt, newPage, open, parseReadout, post, readout, sameDigits, scratch, serve, settled, test } from "./harness.mjs";

const words = "apple river moon chair happy table green dog seven box";

// The library's weights with the first and last token ([CLS], [SEP]) and the sinks taken out.
function cleaned(head, hidden) {
  const kept = head.map((_, i) => i).filter((i) => !hidden.includes(i));
  return Object.fromEntries(kept.map((query) => {
    const sum = kept.reduce((total, key) => total + head[query][key], 0);
    return [query, Object.fromEntries(kept.map((key) => [key, head[query][key] / sum]))];
  }));
}

// The rule of the page, from the library's own overview.
async function sinksOf(page, url, capture) {
  const { heads } = await (await page.request.get(`${url}api/captures/${capture}/overview?kind=encoder`)).json();
  const all = heads.flat();
  const counts = {};
  for (const { measures, most_attended: key } of all) if (measures.sink_share >= 0.5) counts[key] = (counts[key] ?? 0) + 1;
  return Object.keys(counts).filter((key) => counts[key] >= 0.1 * all.length).map(Number);
}

const note = (page) => page.textContent(".lens-note");

// The small pictures below the text show what the chips show.
async function smallMatrix(page, expected, shown) {
  const seen = new Set();
  for (let x = 0.2; x < 0.95; x += 0.06) {
    for (const y of [0.35, 0.55, 0.75]) {
      await hoverAt(page, ".small-matrix .canvas", x, y);
      const text = await readout(page);
      if (!/^.* \d+ → .* \d+: \d\.\d{4}$/.test(text)) continue;
      const { from, to, value } = parseReadout(text);
      assert.ok(expected[from]?.[to] !== undefined, `${from} → ${to} is hidden`);
      sameDigits(value, expected[from][to], `the small matrix, ${from} → ${to}`);
      seen.add(to);
    }
  }
  assert.ok(seen.size > 6 && seen.size <= shown, `columns: ${[...seen]}`);
  await page.mouse.move(2, 2);
}

async function cleanText({ session, library, url }) {
  const { page } = session;
  const head = library.weights[3][5];
  const last = head.length - 1;
  await open(session, "view=text&layer=3&head=5", ".chips");
  assert.equal(await page.locator(".lens-note").count(), 0);
  await page.click("[data-lens=clean]");
  await settled(page);
  const hidden = [...new Set([0, last, ...(await sinksOf(page, url, "c1"))])];
  assert.match(await note(page), /^Special tokens and sinks hidden, rows renormalised: \[CLS\] 0, /);
  assert.match(page.url(), /clean=1/);
  assert.equal(await page.locator(".chip:visible").count(), head.length - hidden.length);
  const expected = cleaned(head, hidden);
  for (const token of [2, 4, 9]) {
    await page.hover(`.chip[data-i='${token}']`);
    await settled(page);
    const listed = await page.$$eval(".ranked div > div:not([hidden])", (rows) => rows.map((row) => [row.children[0].textContent, row.children[2].textContent]));
    assert.ok(listed.length >= 8);
    for (const [name, shown] of listed) sameDigits(shown, expected[token][Number(name.split(" ").at(-1))], `${token} → ${name}`);
    const { rank } = parseReadout(await readout(page));
    assert.equal(rank, 1);
    assert.match(await readout(page), new RegExp(`of ${head.length - hidden.length}$`), "hidden tokens do not count in ranks");
  }
  await smallMatrix(page, expected, head.length - hidden.length);
  await page.keyboard.press("h");
  await settled(page);
  assert.equal(await page.locator(".chip:visible").count(), head.length, "the key takes it back");
  await hoverAt(page, ".small-matrix .canvas", 0.3, 0.5);
  const { from, to, value } = parseReadout(await readout(page));
  sameDigits(value, head[from][to], `the small matrix, ${from} → ${to}`);
}

async function cleanMatrixAndLines({ session, library, url }) {
  const { page } = session;
  const head = library.weights[3][5];
  const hidden = [...new Set([0, head.length - 1, ...(await sinksOf(page, url, "c1"))])];
  const expected = cleaned(head, hidden);
  await open(session, "view=matrix&layer=3&head=5&clean=1", ".canvas");
  assert.match(await note(page), /rows renormalised/);
  assert.match(await page.textContent(".below"), new RegExp(`^${head.length - hidden.length} × ${head.length - hidden.length}`));
  for (const [x, y] of [[0.2, 0.35], [0.3, 0.55], [0.4, 0.7]]) {
    await hoverAt(page, ".canvas.tall", x, y);
    const { from, to, value } = parseReadout(await readout(page));
    sameDigits(value, expected[from][to], `${from} → ${to}`);
    const share = /([\d.]+) % of this row hidden/.exec(await readout(page));
    sameDigits(share[1], 100 * hidden.reduce((sum, key) => sum + head[from][key], 0), "the hidden share");
  }
  await open(session, "view=lines&layer=3&head=5&clean=1&tokens=4", ".canvas");
  const [, ...pairs] = (await readout(page)).split(/→|, /);
  assert.equal(pairs.length, 3);
  for (const pair of pairs) {
    const [, key, value] = / (\d+) (\d\.\d{4})$/.exec(pair);
    sameDigits(value, expected[4][key], `line to ${key}`);
  }
  for (const view of ["heads", "compare", "flow", "masks"]) {
    await open(session, `view=${view}&clean=1`);
    assert.match(await note(page), /the model’s own numbers/, view);
  }
}

// "unbelievably" is several tokens of MiniLM.
async function mergedWords({ session, url, binary }) {
  const { page } = session;
  const text = "The unbelievably quick foxes weren't jumping.";
  const run = await post(url, { model: "minilm", text });
  const { tokens } = run.sequences.encoder;
  const file = join(scratch(), "w.json");
  fovea(binary, "attend", "--model", "minilm", text, "-o", file);
  const head = JSON.parse(readFileSync(file, "utf8")).attentions[1][0][4];
  const begin = tokens.findIndex((token) => token.startsWith("##")) - 1;
  const parts = [begin];
  while (tokens[parts.at(-1) + 1].startsWith("##")) parts.push(parts.at(-1) + 1);
  assert.ok(parts.length > 1, tokens.join(" "));
  await open(session, `c=${run.id}&view=text&layer=1&head=4&words=1&tokens=${begin + 1}`, ".chips");
  assert.match(await note(page), /^Sub-tokens merged into words: sum over keys, mean over queries\.$/);
  const listed = await page.$$eval(".ranked div > div:not([hidden])", (rows) => rows.map((row) => [row.children[0].textContent, row.children[2].textContent]));
  const own = listed.find(([name]) => name.startsWith("unbelievably "));
  assert.ok(own, listed.join("; "));
  const mean = parts.reduce((sum, query) => sum + parts.reduce((row, key) => row + head[query][key], 0), 0) / parts.length;
  sameDigits(own[1], mean, "the word on itself");
  const first = listed.find(([name]) => name === "[CLS] 0");
  sameDigits(first[1], parts.reduce((sum, query) => sum + head[query][0], 0) / parts.length, "the word on [CLS]");
  assert.ok(listed.some(([name]) => name.startsWith("weren't ")), listed.join("; "));
  await open(session, `c=${run.id}&view=matrix&layer=1&head=4&words=1`, ".canvas");
  assert.match(await page.textContent(".below"), /^9 × 9/, "[CLS] The unbelievably quick foxes weren't jumping . [SEP]");
}

async function cleanGrid({ session }) {
  const { page } = session;
  const rows = () => page.$eval(".tile canvas", (canvas) => canvas.height);
  await open(session, "view=grid", ".tile canvas");
  const all = await rows();
  await page.click("[data-lens=clean]");
  await settled(page);
  assert.ok((await rows()) <= all - 2, "[CLS] and [SEP] are gone from the thumbnails");
  assert.match(await note(page), /rows renormalised/);
  const long = await post(session.url, { model: "minilm", text: `${words} `.repeat(6) });
  await open(session, `c=${long.id}&view=grid&clean=1`, ".tile canvas");
  assert.match(await note(page), /thumbnails show the model’s own numbers/);
}

async function headFinder({ session, url }) {
  const { page } = session;
  await open(session, "view=grid", ".finder li button");
  const { heads } = await (await page.request.get(`${url}api/captures/c1/overview?kind=encoder`)).json();
  const best = (name) => heads.flatMap((row, layer) => row.map(({ measures }, head) => ({ layer, head, value: measures[name] }))).sort((a, b) => b.value - a.value)[0];
  for (const name of ["previous_token", "next_token", "sink_share", "diagonal"]) {
    const { layer, head, value } = best(name);
    assert.match(await page.textContent(`[data-find=${name}]`), new RegExp(`L${layer} H${head} ${value.toFixed(2)}`), name);
  }
  assert.match(await page.textContent("[data-find=induction_lift]"), /needs a text that repeats itself/);
  const { layer, head } = best("previous_token");
  await open(session, "view=text&layer=0&head=0", ".chips");
  await page.click("[data-key=find-head]");
  await page.click("[data-find=previous_token]");
  await settled(page);
  assert.deepEqual(await page.$$eval(".steppers output", (all) => all.map(({ textContent }) => Number(textContent))), [layer, head], "from Text, too");
  assert.equal(await page.locator(".find-head .menu").count(), 0);
}

// On a repeated text the induction heads of a model that has them are called so.
async function inductionHeads({ binary, context }) {
  const there = JSON.parse(fovea(binary, "model", "list", "--json")).find(({ name }) => name === "stories15m")?.there;
  if (!there) return console.log("     (stories15m is not here: not looked at)");
  const server = await serve(binary, "--model", "stories15m", `${words} ${words}`);
  const session = { ...(await newPage(context, server.url)), capture: "c1" };
  try {
    await open(session, "view=grid", ".finder li button");
    const text = await session.page.textContent("[data-find=induction_lift]");
    const [, layer, head] = /L(\d+) H(\d+) ×\d/.exec(text);
    assert.match(await session.page.textContent(`[data-head='${layer}.${head}'] .badge`), /^induction, /);
    assert.deepEqual(session.problems, []);
  } finally {
    await session.page.close();
    await server.stop();
  }
}

const numberOf = (text) => Number(text.replace("−", "-"));

// Numbers, tokens, sizes and mask of one's own, computed at once and kept in the link.
async function ownNumbers({ session, context, url }) {
  const { page } = session;
  await open(session, "view=steps&example=own", ".own");
  await page.fill("#own-tokens", "a b");
  await page.fill(".own .fields label:has-text('width') input", "2");
  await page.fill(".own .fields label:has-text('d_k') input", "2");
  await page.fill(".own .fields label:has-text('d_v') input", "1");
  await page.click(".own summary");
  const identity = "1 0\n0 1";
  await page.fill("[data-matrix=x]", identity);
  await page.fill("[data-matrix=wq]", identity);
  await page.fill("[data-matrix=wk]", identity);
  await page.fill("[data-matrix=wv]", "10\n20");
  await page.fill("[data-matrix=wv]", "10 20"); // another shape is said, and changes nothing
  assert.match(await page.textContent(".own [role=alert]"), /W_v: expected 2 rows of 1 numbers/);
  await page.fill("[data-matrix=wv]", "10\n20");
  await page.click(".timeline li:last-child button");
  await settled(page);
  // softmax([1, 0] / √2) · [10, 20]
  const e = Math.exp(Math.SQRT1_2);
  const output = async () => numberOf(await page.textContent(".sum .result"));
  assert.ok(Math.abs((await output()) - (10 * e + 20) / (e + 1)) < 1e-7, String(await output()));
  await page.selectOption(".own select", "causal");
  await settled(page);
  assert.equal(await output(), 10, "the first token sees itself only");
  const copy = { ...(await newPage(context, url)), capture: "c1" };
  await settled(page);
  await page.waitForFunction(() => location.hash.includes("causal"));
  await open(copy, new URL(page.url()).hash.slice(1).replace(/&?c=[^&]*/, ""), ".own");
  assert.equal(numberOf(await copy.page.textContent(".sum .result")), 10, "the link carries it");
  assert.equal(await copy.page.inputValue("#own-tokens"), "a b");
  await copy.page.click(".timeline li:has-text('mask') button");
  await copy.page.click(".box:nth-of-type(2) .numbers", { position: { x: 100, y: 30 } });
  await copy.page.click(".mask-toggle");
  await settled(copy.page);
  await copy.page.click(".timeline li:last-child button");
  await settled(copy.page);
  assert.ok(Math.abs(numberOf(await copy.page.textContent(".sum .result")) - (10 * e + 20) / (e + 1)) < 1e-7, "shown again by hand");
  assert.deepEqual(copy.problems, []);
  await copy.page.close();
}

// A tutorial's example as a start.
async function exampleBecomesOwn({ session }) {
  const { page } = session;
  await open(session, "view=steps&example=i-love-ai&step=6", ".stage");
  const before = await page.textContent(".sum .result");
  await page.click("button:has-text('Make it my own')");
  await settled(page);
  assert.equal(await page.inputValue("#own-tokens"), "I love AI");
  await page.click(".timeline li:has-text('Softmax') button");
  await settled(page);
  assert.equal(await page.textContent(".sum .result"), before);
}

async function oneLine({ session }) {
  const { page } = session;
  await open(session, "view=steps&layer=3&head=5&step=4", ".stage");
  const centres = await page.$$eval(".boxes .box", (boxes) => boxes.map((box) => box.getBoundingClientRect()).map(({ left, right }) => [left, right]));
  assert.equal(centres.length, 3);
  for (let i = 1; i < centres.length; ++i) assert.ok(centres[i][0] >= centres[i - 1][1], "side by side");
  assert.ok(centres[2][1] <= (await page.evaluate(() => innerWidth)), "and on the screen");
}

// Play points at row and column; not for people who asked for less motion.
async function motion({ context, url }) {
  const session = { ...(await newPage(context, url)), capture: "c1" };
  const { page } = session;
  try {
    await open(session, "view=steps&example=i-love-ai&step=4", ".stage");
    await page.click(".box.result .numbers", { position: { x: 120, y: 50 } });
    await page.waitForTimeout(200);
    assert.equal(await page.locator(".terms li.now").count(), 0, "reduced motion");
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.click(".box.result .numbers", { position: { x: 60, y: 30 } });
    await page.waitForSelector(".terms li.now");
    await page.waitForSelector(".terms li.now", { state: "detached" });
    const equation = () => page.textContent(".equation b");
    const first = await equation();
    await page.click("button:has-text('Play')");
    await page.waitForFunction((old) => document.querySelector(".equation b").textContent !== old, first);
    await page.waitForFunction(() => location.hash.includes("step=5"));
    await page.click("button:has-text('Pause')");
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
  }
}

async function presentation({ session }) {
  const { page } = session;
  await open(session, "view=text&layer=3&head=5&tokens=4", ".chips");
  const size = () => page.$eval(".chip", (chip) => parseFloat(getComputedStyle(chip).fontSize));
  const before = await size();
  await page.click("[data-key=present]");
  await settled(page);
  assert.ok((await size()) >= 1.5 * before, "large type");
  assert.equal(await page.locator(".top:visible, .side:visible").count(), 0);
  assert.match(page.url(), /present=1/);
  await page.keyboard.press("2");
  await settled(page);
  assert.equal(await page.locator(".view-matrix").count(), 1, "keys still work");
  await page.keyboard.press("Escape");
  await settled(page);
  assert.equal(await page.locator(".top:visible").count(), 1);
  assert.match(page.url(), /tokens=4/, "the selection is kept");
  await page.keyboard.press("p");
  await settled(page);
  assert.equal(await page.locator(".presenting").count(), 1);
  await page.click("[data-key=present]");
}

async function taken(page, format) {
  await page.click("[data-key=export]");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-export=${format}]`)]);
  return readFileSync(await download.path());
}

// Pictures are light on a dark screen, and say what they are.
async function pictures({ context, url, text }) {
  const session = { ...(await newPage(context, url, { width: 1280, height: 800, dark: true })), capture: "c1" };
  const { page } = session;
  try {
    for (const [view, more] of [["matrix", /Query \(looks\).*Key \(is looked at\)|Key \(is looked at\).*Query \(looks\)/s], ["lines", /Query \(looks\)/], ["text", /Attention weight/], ["grid", /rows are queries/], ["compare", /Difference B − A/]]) {
      await open(session, `view=${view}&layer=3&head=5&clean=1&layer2=1&head2=8`);
      await settled(page);
      const svg = (await taken(page, "svg")).toString("utf8");
      assert.match(svg, /<rect x="0" y="0"[^>]* fill="#ffffff"/, `${view}: a white ground`);
      const plain = svg.replace(/<[^>]*>/g, "\n");
      assert.match(plain, /MiniLM/i, `${view}: the model`);
      assert.ok(plain.includes(text.slice(0, 30)), `${view}: the text`);
      assert.match(plain, more, view);
      if (view !== "compare") assert.match(plain, /rows renormalised/, `${view}: what was done`);
      if (view === "matrix") assert.match(plain, /Attention weight/, "the colour bar");
    }
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
  }
}

async function print({ context, url }) {
  const session = { ...(await newPage(context, url, { width: 1280, height: 800, dark: true })), capture: "c1" };
  const { page } = session;
  try {
    await open(session, "view=matrix&layer=3&head=5&clean=1", ".canvas");
    const shown = () => page.evaluate(() => ["header.top", ".side", ".toolbar", ".canvas", ".print-figure", "h1"].filter((name) => {
      const element = document.querySelector(name);
      return element && getComputedStyle(element).display !== "none" && element.getBoundingClientRect().width > 0;
    }));
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.deepEqual(await shown(), [".print-figure", "h1"]);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
    const [red] = await page.$eval(".print-figure", (canvas) => [...canvas.getContext("2d").getImageData(2, 2, 1, 1).data]);
    assert.equal(red, 255, "a white picture");
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    await page.emulateMedia({ media: "screen" });
    assert.equal(await page.locator(".print-figure").count(), 0);
    const pdf = await page.pdf({ format: "A4" });
    assert.equal(pdf.toString("latin1", 0, 5), "%PDF-");
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
  }
}

// The single file: clean pictures, own numbers, and the file saved again with them.
async function fileKeepsThem({ binary, context, text }) {
  const file = join(scratch(), "page.html");
  fovea(binary, "view", "--model", "minilm", text, "-o", file);
  const session = await newPage(context, pathToFileURL(file).href);
  const { page } = session;
  try {
    await open(session, "view=text&layer=3&head=5&clean=1&words=1", ".chips");
    assert.match(await note(page), /rows renormalised.*sum over keys, mean over queries/);
    await open(session, "view=steps&example=own&own=2.2.1;causal;x y z&numbers=x_0_0_5&step=2", ".own");
    const shown = await page.textContent(".sum");
    const saved = join(scratch(), "own.html");
    writeFileSync(saved, await taken(page, "html"));
    const second = await newPage(context, pathToFileURL(saved).href);
    await second.page.goto(pathToFileURL(saved).href);
    await second.page.waitForSelector(".own");
    await settled(second.page);
    assert.equal(await second.page.inputValue("#own-tokens"), "x y z");
    assert.equal(await second.page.textContent(".sum"), shown);
    assert.deepEqual(second.problems, []);
    await second.page.close();
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
  }
}

export async function cleanAndTeach(world) {
  await test("Clean: Text hides special tokens and sinks and renormalises, as the library's weights say", () => cleanText(world));
  await test("Clean: Matrix and Lines, too; other views say that they show raw numbers", () => cleanMatrixAndLines(world));
  await test("Words: sums over keys, means over queries", () => mergedWords(world));
  await test("Clean: thumbnails of short texts", () => cleanGrid(world));
  await test("Head finder: the largest of each measure, from Grid and Text", () => headFinder(world));
  await test("Head finder: induction heads of a repeated text", () => inductionHeads(world));
  await test("Steps: own tokens, sizes, mask and numbers, kept in the link", () => ownNumbers(world));
  await test("Steps: an example becomes one's own", () => exampleBecomesOwn(world));
  await test("Steps: Q · Kᵀ = S on one line", () => oneLine(world));
  await test("Steps: row × column → cell, unless less motion is asked for", () => motion(world));
  await test("Presentation: large type, no chrome", () => presentation(world));
  await test("Pictures are light and say model, text, axes and colours", () => pictures(world));
  await test("Print: the picture in light colours, no chrome", () => print(world));
  await test("The single file keeps clean pictures and own numbers, and can be saved with them", () => fileKeepsThem(world));
}
