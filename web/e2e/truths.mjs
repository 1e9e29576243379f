// What the page says is true: of this run, this view, these tokens, and only when it has happened.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { views } from "./everywhere.mjs";
import { eventually, hoverAt, newPage, readout, sameDigits, shown, test } from "./harness.mjs";

const chip = (i) => `.chip[data-i='${i}']`;

async function go(page, hash, ready = "main .view") {
  await page.evaluate((text) => (location.hash = text), hash);
  await page.waitForSelector(ready);
}

const choose = (page, run) => page.selectOption(".captures select", run.id);
const listed = (page) => page.$$eval(".ranked div > div:not([hidden])", (rows) => rows.map((row) => row.querySelector("span").textContent));

// The bottom line, once it says something like this.
async function said(page, look) {
  await shown(page, (source) => new RegExp(source).test(document.querySelector(".readout").textContent), look.source).catch(async () => {
    assert.fail(`the bottom line says "${await readout(page)}", not ${look}`);
  });
  return readout(page);
}

const noted = (page, words) => eventually(page, async () => {
  const note = await page.textContent(".reading-note");
  assert.ok(note.includes(words), `${await page.evaluate(() => location.hash)}: ${note}`);
});

// Requests to these addresses wait until they are let go.
async function holding(page, address, during) {
  const held = [];
  let open = false;
  await page.route(address, (route) => (open ? route.continue() : void held.push(route)));
  await during();
  open = true;
  for (const route of held) await route.continue();
  await page.unroute(address);
}

async function nothingOfTheRunBefore({ page }, { other, first, longer }) {
  await go(page, `c=${first.id}&layer=2&head=3&range=row`, ".chip.flip");
  await holding(page, "**/weights?*", async () => {
    await choose(page, longer);
    await page.waitForSelector(".chip:has-text('longer')");
    await shown(page, () => document.querySelector(".caption").textContent === "");
    const coloured = await page.$$eval(".chip", (chips) => chips.filter((one) => one.style.backgroundColor || one.classList.contains("flip")).length);
    assert.equal(coloured, 0, "no chip has a colour of the run before");
  });
  await page.waitForSelector(".chip.flip");
  await go(page, `c=${first.id}&view=grid`, ".tile canvas");
  await holding(page, "**/thumbnails?*", async () => {
    await choose(page, other);
    await page.waitForSelector(".tile canvas", { state: "detached" });
  });
  await page.waitForSelector(".tile canvas");
  await go(page, `c=${first.id}&view=matrix`, ".canvas.tall");
  const painted = () => page.$eval(".canvas.tall canvas", (canvas) => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean));
  await shown(page, () => document.querySelector(".canvas.tall canvas").getContext("2d").getImageData(0, 0, 400, 300).data.some(Boolean));
  await holding(page, "**/weights?*", async () => {
    await choose(page, longer);
    await shown(page, () => /longer/.test(document.querySelector("#text").value));
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    assert.equal(await painted(), false, "no matrix of the run before");
  });
}

async function bottomLine({ page, world }) {
  await go(page, "c=c1&view=matrix&layer=3&head=5", ".canvas.tall canvas");
  await shown(page, () => document.querySelector(".canvas.tall canvas").getContext("2d").getImageData(0, 0, 400, 300).data.some(Boolean));
  await hoverAt(page, ".canvas.tall", 0.2, 0.3);
  await said(page, /: 0\.\d{4}/);
  await page.keyboard.press(".");
  const [, from, to] = / (\d+) → .* (\d+): /.exec(await readout(page));
  const next = world.library.weights[3][6][from][to];
  await said(page, new RegExp(`: ${next.toFixed(4).slice(0, 5)}`));
  sameDigits(/: (\d\.\d{4})/.exec(await readout(page))[1], next, "the next head under a pointer that stands still");
  await page.keyboard.press("7"); // the pointer is on a table now, which says nothing
  await page.waitForSelector(".view-heads");
  await said(page, /^$/);
  await eventually(page, async () => assert.equal(await page.textContent("[role=status]"), ""));
}

async function causalRows({ page }, { gpt2 }) {
  const count = gpt2.kinds[0].keys;
  await go(page, `c=${gpt2.id}&tokens=3`, chip(3));
  await said(page, / 3 → .*rank 1 of 4$/);
  await eventually(page, async () => assert.equal((await listed(page)).length, 4, "the fourth token may see four"));
  await page.hover(chip(6));
  await said(page, / 3 → .* 6: hidden by the mask$/);
  await page.click("button:has-text('Seen by')");
  await page.hover(chip(count - 2));
  await said(page, /rank 1 of 2$/);
  await eventually(page, async () => assert.equal((await listed(page)).length, 2, "two tokens see the last but one"));
  await go(page, `c=${gpt2.id}&view=matrix&tokens=3&key=1`, ".canvas.tall canvas");
  await said(page, / 3 → .* 1: .*rank \d of 4/);
  await go(page, `c=${gpt2.id}&view=compare&by=heads`, ".side-by-side figure:nth-child(2) canvas");
  await shown(page, () => document.querySelector(".facts"));
  await hoverAt(page, ".side-by-side .canvas", 0.8, 0.25);
  await said(page, /A hidden by the mask · B hidden by the mask/);
}

async function scriptsAndGiants({ page }, { run, gpt2 }) {
  await go(page, `c=${gpt2.id}`, chip(1));
  const labels = await page.$$eval(".chip", (chips) => chips.map((one) => one.textContent));
  assert.equal(labels.filter((label) => label.includes("😀")).length, 1, labels.join(" "));
  assert.ok(labels.includes("·2/4"), "its other bytes say what they are");
  const hebrew = await run({ text: "שלום עולם and more" });
  await go(page, `model=minilm&text=${encodeURIComponent(hebrew.text)}`, ".chips[dir=rtl]");
  const x = await page.$$eval(".chip", (chips) => chips.map((one) => one.getBoundingClientRect().left));
  assert.ok(x[0] > x[1] && x[1] > x.at(-1), "from right to left");
  await page.focus(".chips");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await said(page, / 1 → /);
  const giant = await run({ text: `a ${"x".repeat(400)} b` });
  for (const view of ["text", "masks", "matrix"]) {
    await go(page, `model=minilm&text=${encodeURIComponent(giant.text)}&view=${view}&tokens=2&mask=padding([1,1,1,1,0])`, `.view-${view}`);
    await shown(page, () => document.querySelector(".tokens-selected .value").textContent.includes("xxx"));
    const over = await page.$$eval("main, .side, .reading, .chips, .ranked div, .builder, .toggles", (all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `${one.className}: ${one.scrollWidth} > ${one.clientWidth}`));
    assert.deepEqual(over, [], view);
    await eventually(page, async () => assert.ok((await page.textContent(".tokens-selected .value")).length < 70, "cut"));
  }
}

async function unknownTokens({ context, url }, { chinese, cut }) {
  const { page, problems } = await newPage(context, url);
  await page.addInitScript(() => {
    globalThis.drawn = new Set(); // names on canvases, and whether anything dotted
    const { fillText, setLineDash } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      globalThis.drawn.add(text);
      return fillText.call(this, text, ...rest);
    };
    CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
      if (dash.length) globalThis.drawn.add("dots");
      return setLineDash.call(this, dash);
    };
  });
  await page.goto(`${url}#c=${chinese.id}&tokens=3&layer=1&head=4`);
  const unknown = chinese.sequences.encoder.tokens.filter((token) => token === "[UNK]").length;
  assert.ok(unknown >= 9);
  const { characters, unknown_characters: unread } = chinese.reading;
  assert.ok(unread >= 9 && unread < characters);
  await page.waitForSelector(".chip.unknown");
  assert.equal(await page.locator(".chip.unknown").count(), unknown);
  assert.equal(await page.textContent(chip(3)), "把[UNK]", "what was written, what was read");
  assert.equal(await page.getAttribute(chip(3), "title"), "The model read [UNK].");
  await said(page, /^把\s\[UNK\] 3 → /);
  const onCanvas = { matrix: 2, lines: 2, steps: 1, masks: 1, compare: 1, flow: 1 };
  for (const view of views) {
    await page.evaluate(() => globalThis.drawn.clear());
    await page.click(`[data-view=${view}]`);
    await page.waitForSelector(`.view-${view}`);
    await noted(page, `${unread} of ${characters} characters are unknown to this model. It was trained on other text.`);
    assert.ok(await page.locator(".reading-note").isVisible());
    if (onCanvas[view]) await shown(page, () => globalThis.drawn.has("把\u00a0[UNK]") && globalThis.drawn.has("dots"));
    await eventually(page, async () => assert.match(await page.textContent(".tokens-selected .value"), /把\s\[UNK\] 3/, `${view}: the selection`));
  }
  await page.click("button.language");
  await noted(page, `${characters} 个字符中有 ${unread} 个`);
  await page.click("button.language");
  await go(page, `c=${cut.id}`, ".reading-note");
  const read = cut.kinds[0].keys;
  await noted(page, `${read} of ${cut.reading.tokens} tokens were read`); // the note of the run before stood there as well
  await go(page, "c=c1");
  await page.waitForSelector(".reading-note", { state: "detached" });
  assert.deepEqual(problems, []);
  await page.close();
}

// The page follows an address and a selection within a few frames, and what stood there before may look alike: each
// statement is waited for.
async function compared({ page }, { other, longer, gpt2 }) {
  const chosen = (id) => shown(page, (value) => document.querySelector(".toolbar select")?.value === value, id);
  const noticed = (look) => shown(page, (source) => new RegExp(source).test(document.querySelector("main .notice")?.textContent ?? ""), look.source);
  const titled = (...looks) => shown(page, (sources) => {
    const titles = [...document.querySelectorAll(".side-by-side figcaption")].map((one) => one.textContent);
    return sources.every((source, i) => new RegExp(source).test(titles[i] ?? ""));
  }, looks.map(({ source }) => source));
  await go(page, "c=c1&view=compare&by=texts&layer=1&head=4");
  await titled(/^A L1 H4 · minilm: The quick brown fox/, /^B L1 H4 · minilm: The quick brown dog/); // as many tokens, the same model; not the last run
  await chosen(other.id);
  await page.waitForSelector(".facts");
  await page.selectOption(".toolbar select", longer.id);
  await noticed(/A and B cannot be subtracted: A has 16 × 16 weights, B has \d+ × \d+/);
  await page.evaluate(() => history.back());
  await chosen(other.id);
  await go(page, `c=${gpt2.id}&view=compare&by=texts`);
  await noticed(/Choose a run to compare with/);
  await chosen(""); // no run of another model unasked
  await go(page, "c=c1&view=compare&layer=1&head=4&layer2=1&head2=4");
  await noticed(/A and B are identical/);
  await page.waitForSelector(".facts");
}

async function savedWhenThere({ page }) {
  await go(page, "c=c1&view=matrix", ".canvas.tall canvas");
  await page.evaluate(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = function (...args) {
      globalThis.letGo = () => {
        HTMLCanvasElement.prototype.toBlob = toBlob;
        toBlob.apply(this, args);
      };
    };
  });
  let downloads = 0;
  page.on("download", () => ++downloads);
  await page.keyboard.press("e");
  await page.click("[data-export=png]");
  await shown(page, () => globalThis.letGo);
  assert.equal(await readout(page), "Writing PNG …");
  assert.equal(downloads, 0);
  const [download] = await Promise.all([page.waitForEvent("download"), page.evaluate(() => globalThis.letGo())]);
  await said(page, /^Saved as PNG\.$/);
  assert.equal(readFileSync(await download.path()).toString("latin1", 1, 4), "PNG");
  await page.evaluate(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.toBlob = function (done) {
      HTMLCanvasElement.prototype.toBlob = toBlob;
      done(null);
    };
  });
  await page.keyboard.press("e");
  await page.click("[data-export=png]");
  await said(page, /^The picture is too large for this browser\.$/);
}

async function headsTable({ page }) {
  await page.evaluate(() => {
    const { fillText } = CanvasRenderingContext2D.prototype;
    globalThis.texts = new Set();
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      if (this.canvas.closest(".scatter")) globalThis.texts.add(text);
      return fillText.call(this, text, ...rest);
    };
  });
  await go(page, "c=c1&view=heads&x=entropy&y=normalised_entropy", "tbody tr td.number");
  await shown(page, () => globalThis.texts.has("0"));
  const numbers = await page.evaluate(() => [...globalThis.texts].filter((text) => /^−/.test(text)));
  assert.deepEqual(numbers, [], "no axis begins below 0");
  const box = ".table-box";
  await page.waitForSelector(`${box}.more-right.more-below`);
  assert.match(await page.textContent(".table-box + .below"), /More measures and heads/);
  await page.$eval(box, (element) => element.scrollTo(element.scrollWidth, element.scrollHeight));
  await page.waitForSelector(`${box}:not(.more-right):not(.more-below)`);
}

export async function truths(world) {
  const texts = await world.second();
  const { run, url } = texts;
  texts.longer = await run({ text: "This one is a longer text than all the others, with quite a number of words in it." });
  texts.chinese = await run({ text: "小明把苹果给了小红，她很开心。" });
  texts.cut = await run({ text: "fox ".repeat(600).trim() });
  const session = await newPage(world.context, url);
  const with_ = { ...session, world, context: world.context };
  await session.page.goto(`${url}#c=c1`);
  await session.page.waitForSelector(".chip");
  await test("Truth: nothing of the run before stays on the screen", () => nothingOfTheRunBefore(with_, texts));
  await test("Truth: the bottom line belongs to the view and the head", () => bottomLine(with_));
  await test("Truth: causal rows list and count what they may see", () => causalRows(with_, texts));
  await test("Truth: right to left, bytes of emoji, giant tokens", () => scriptsAndGiants(with_, texts));
  await test("Truth: unknown tokens and texts cut short are marked in every view", () => unknownTokens(with_, texts));
  await test("Truth: compared with a comparable run, in true words", () => compared(with_, texts));
  await test("Truth: saved when the file is there", () => savedWhenThere(with_));
  await test("Truth: axes from 0, a table that goes on", () => headsTable(with_));
  await test("Truth: no error on the console, no foreign request", () => assert.deepEqual(session.problems, []));
  await session.page.close();
}
