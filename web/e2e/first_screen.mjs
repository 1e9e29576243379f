// What somebody sees who comes for the first time: a picture that tells something, samples, the tour, plain words; in
// the dark, on a phone, on a projector.
import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { seriousIssues, views } from "./everywhere.mjs";
import { pathToFileURL } from "node:url";
import { fovea, libraryWeights, newPage, open, openBrowser, scratch, serve, settled, shown, test } from "./harness.mjs";

const sentence = "The animal did not cross the street because it was too tired.";
const chip = (i) => `.chip[data-i='${i}']`;
const address = (page) => page.evaluate(() => Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
const seen = (page) => page.textContent(".seen");

async function arrive(session, hash = "") {
  await session.page.goto("about:blank");
  await session.page.goto(session.url + hash);
}

// Somebody without a link.
async function arriveAtText(session) {
  await arrive(session);
  await shown(session.page, () => document.querySelector(".seen")?.textContent && location.hash.includes("spot="));
  await settled(session.page);
}

async function opensOnAPattern({ session, weights, tokens }) {
  const { page } = session;
  await arriveAtText(session);
  const { layer = 0, head = 0, spot } = await address(page);
  const row = weights[layer][head][spot];
  const most = row.indexOf(Math.max(...row));
  const [, token, percent, other] = /^(.+) puts (\d+) % of its attention on (.+), (?:the word|\d+ words)/.exec(await seen(page));
  assert.deepEqual([token, other], [tokens[spot], tokens[most]]);
  assert.equal(Number(percent), Math.round(100 * row[most]), "the library's weight");
  assert.doesNotMatch(tokens[most], /^\[|^\W$/, "a word, not a marker");
  assert.equal(`${token} ${other}`, "it animal", "the word that “it” stands for");
  const overview = await (await page.request.get(`${session.url}api/captures/c1/overview?kind=encoder`)).json();
  const { role, measures } = overview.heads[layer][head];
  assert.ok(!["sink_share", "special_tokens", "diagonal", "broad"].includes(role.id), `a head that ${role.name.en}`);
  assert.equal(role.id, "focused");
  assert.equal(await page.textContent(".does"), `In this head a word mostly looks at one single token: its largest weight is ${Math.round(100 * measures.confidence)} % on average.`);
  await page.click("button.language");
  await shown(page, (text) => document.querySelector(".seen").textContent === text, `it 把 ${percent}% 的注意力放在往前第 7 个词 animal 上。`);
  assert.match(await page.textContent(".does"), /^在这个头里，每个词的注意力多半集中在一个词元上/);
  await page.click("button.language");
  await page.reload();
  await shown(page, () => /^it puts/.test(document.querySelector(".seen")?.textContent));
  await settled(page);
  await arrive(session, "#c=c1");
  await page.waitForSelector(".chip");
  await settled(page);
  const state = await page.$$eval(".steppers output, .tokens-selected .value", (all) => all.map((one) => one.textContent));
  assert.deepEqual(state, ["0", "0", "none"], "a link is not improved");
  assert.match(await seen(page), /^On average, a token puts \d+ % of its attention on /);
}

async function arcsWhileHovering({ session, weights, tokens }) {
  const { page } = session;
  await arriveAtText(session);
  const picture = () => page.$eval(".arcs", (canvas) => canvas.toDataURL());
  const { layer, head, spot } = await address(page);
  const atRest = await picture();
  await page.hover(chip(12));
  await settled(page);
  const hovered = await picture();
  assert.notEqual(hovered, atRest, "arcs of the token under the pointer");
  const row = weights[layer][head][12];
  const most = row.indexOf(Math.max(...row));
  assert.ok((await seen(page)).startsWith(`${tokens[12]} puts ${Math.round(100 * row[most])} % of its attention on ${tokens[most]}`), await seen(page));
  await page.mouse.move(2, 2);
  await settled(page);
  assert.equal(await picture(), atRest, "the pointer is gone: the first token again");
  assert.ok(await page.locator(`${chip(spot)}.spot`).count());
  await page.keyboard.press("Escape");
  await shown(page, () => /^On average/.test(document.querySelector(".seen").textContent));
  await settled(page);
  const blank = await page.$eval(".arcs", (canvas) => !canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some(Boolean));
  assert.ok(blank, "no arcs where no token is looked at");
  assert.ok(!(await page.evaluate(() => location.hash)).includes("spot="));
}

async function smallPictures({ session }) {
  const { page } = session;
  await arriveAtText(session);
  await shown(page, () => document.querySelector(".small-heads canvas").getContext("2d").getImageData(0, 0, 100, 40).data.filter(Boolean).length > 4000);
  const box = await page.locator(".small-heads canvas").boundingBox();
  await page.mouse.move(box.x + (box.width * 5.5) / 12, box.y + (box.height * 3.5) / 6);
  await shown(page, () => /^L3 H5 · ./.test(document.querySelector(".readout").textContent));
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => /layer=3&head=5/.test(location.hash));
  await page.focus(".small-heads");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  await page.waitForFunction(() => /layer=2&head=6/.test(location.hash));
  await page.click("button:has-text('Open Grid')");
  await page.waitForSelector(".view-grid");
  await page.keyboard.press("1");
  await page.waitForSelector(".small-matrix canvas");
  await settled(page);
  const matrix = await page.locator(".small-matrix .canvas").boundingBox();
  await page.mouse.move(matrix.x + matrix.width * 0.42, matrix.y + matrix.height * 0.6);
  await shown(page, () => /^.+ \d+ → .+ \d+: \d\.\d{4}$/.test(document.querySelector(".readout").textContent));
  const [, row, column] = / (\d+) → .* (\d+): /.exec(await page.textContent(".readout"));
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForSelector(".view-matrix");
  await page.waitForFunction(([i, j]) => location.hash.includes(`tokens=${i}&key=${j}`), [row, column]);
}

async function samples({ context, binary, models, figures }) {
  const server = await serve(binary, "--model", "minilm");
  const session = await newPage(context, server.url);
  const { page } = session;
  try {
    await arrive(session);
    await page.waitForSelector(".start .samples button");
    assert.equal(await page.locator(".start .samples button").count(), 3);
    assert.match(await page.textContent(".start"), /To understand a word, a model looks at other words/);
    assert.deepEqual(await seriousIssues(page), []);
    await page.click("button.language");
    assert.match(await page.textContent(".start"), /要理解一个词，模型会去看别的词/);
    assert.match(await page.textContent(".start .samples"), /“it” 指的是什么？/);
    await page.click("button.language");
    await page.click(".samples button >> nth=2");
    await page.waitForSelector(".chips .part");
    await shown(page, () => location.hash.includes("spot=") && document.querySelector(".seen")?.textContent);
    assert.equal(await page.inputValue("#text2"), "It was very tired.");
    assert.equal(await page.locator(".samples button[aria-pressed=true]").count(), 1, "the one on the screen");
    if (models.some(({ name, there }) => name === "stories15m" && there)) {
      await page.selectOption(".run select", "stories15m");
      await page.click(".samples button:has-text('Once upon a time')");
      await page.waitForSelector(".chip:has-text('Once')");
      await shown(page, () => /(puts|looks)/.test(document.querySelector(".seen")?.textContent));
      figures.firstStory = await seen(page);
    }
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
    await server.stop();
  }
}

async function twoTexts({ context, binary, t5 }) {
  const server = await serve(binary, "--model", t5);
  const session = await newPage(context, server.url);
  const { page } = session;
  try {
    await arrive(session);
    await page.click(".samples button:has-text('Das Haus')");
    await page.waitForSelector("[data-side=key] .chip");
    await page.waitForFunction(() => location.hash.includes("kind=cross") && location.hash.includes("spot="));
    await shown(page, () => / puts \d+ % of its attention on /.test(document.querySelector(".seen")?.textContent));
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
    await server.stop();
  }
}

// A server of somebody who has fetched nothing.
async function serveWithoutModels(binary) {
  const names = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "HOME"];
  const kept = names.map((name) => process.env[name]);
  for (const name of names) process.env[name] = scratch();
  return serve(binary).finally(() => names.forEach((name, i) => {
    if (kept[i] === undefined) delete process.env[name];
    else process.env[name] = kept[i];
  }));
}

// Without a network there are our own models, and samples of words that they know.
async function withOwnModels({ context, binary }) {
  const server = await serveWithoutModels(binary);
  const session = await newPage(context, server.url);
  const { page } = session;
  try {
    await arrive(session);
    for (const [model, text] of [["induction", "old tree"], ["sort", "3 1 4"]]) {
      await page.selectOption(".run select", model);
      assert.equal(await page.locator(".samples button").count(), 3);
      await page.click(`.samples button:has-text('${text}')`);
      await page.waitForSelector(`.chip:has-text('${text.split(" ")[0]}')`);
      await shown(page, () => document.querySelector(".seen")?.textContent);
      assert.doesNotMatch(await page.textContent("main"), /unknown/, "words that the model knows");
    }
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
    await server.stop();
  }
}

async function withoutModel({ context, binary }) {
  const alone = join(scratch(), "fovea"); // far from the models that are installed with it
  copyFileSync(binary, alone);
  const server = await serveWithoutModels(alone);
  const session = await newPage(context, server.url);
  const { page } = session;
  try {
    await arrive(session);
    await page.waitForSelector(".start .samples button >> nth=3");
    assert.match(await page.textContent(".start"), /fovea model get minilm/);
    assert.equal(await page.locator("#text").count(), 0, "no box for a text that nothing can read");
    await page.click(".samples button:has-text('I love AI')");
    await page.waitForSelector(".view-steps .stage");
    assert.deepEqual(session.problems, []);
  } finally {
    await page.close();
    await server.stop();
  }
}

// A longer text has no small pictures with all weights: the measures choose the head. In a file, which runs nothing.
async function longerTextInAFile({ context, binary }) {
  const file = join(scratch(), "page.html");
  fovea(binary, "view", "--model", "minilm", `${sentence} `.repeat(5).trim(), "-o", file);
  const session = await newPage(context, pathToFileURL(file).href);
  const { page } = session;
  await arriveAtText(session);
  const { spot } = await address(page);
  assert.match(await seen(page), / puts \d+ % of its attention on /);
  assert.ok(await page.locator(`${chip(spot)}.spot`).count());
  assert.doesNotMatch(await page.textContent(".does"), /parking place|markers|itself|nearly all words/);
  assert.equal(await page.locator(".samples").count(), 0, "a file runs no samples");
  await page.waitForSelector(".small-matrix canvas");
  assert.deepEqual(session.problems, []);
  await page.close();
}

const stepOf = (page) => page.$$eval(".tour .dots i", (all) => all.findIndex((one) => one.dataset.here === "true"));

async function tour({ url }) {
  const context = await openBrowser({ newcomer: true });
  try {
    const session = await newPage(context, url);
    const { page } = session;
    await arrive(session, "#c=c1&view=matrix");
    await page.waitForSelector(".view-matrix");
    await settled(page);
    assert.equal(await page.locator(".tour").count(), 0, "not over a link");
    await arrive(session);
    await page.waitForSelector(".tour");
    await settled(page);
    assert.deepEqual(await seriousIssues(page), [], "the tour");
    const texts = new Set();
    for (let step = 0; step < 6; ++step) {
      await settled(page); // the card has found its place
      assert.equal(await stepOf(page), step);
      texts.add(await page.textContent(".tour p"));
      const [card, ring] = [await page.locator(".tour").boundingBox(), await page.locator(".tour-ring").boundingBox()];
      assert.ok(card.x >= 0 && card.y >= 0 && card.x + card.width <= 1280 && card.y + card.height <= 800, `step ${step} is on the screen`);
      const apart = card.x >= ring.x + ring.width || card.x + card.width <= ring.x || card.y >= ring.y + ring.height || card.y + card.height <= ring.y;
      assert.ok(apart, `step ${step} does not cover what it speaks of`);
      if (step < 3) await page.click(".tour .primary");
      else await page.keyboard.press(step < 5 ? "ArrowRight" : "Enter"); // the focus is on Next
    }
    assert.equal(texts.size, 6);
    await page.waitForSelector(".tour", { state: "detached" });
    await arrive(session);
    await page.waitForSelector(".chip");
    await settled(page);
    assert.equal(await page.locator(".tour").count(), 0, "remembered");
    await page.keyboard.press("?");
    await page.click("dialog button:has-text('Take the tour')");
    await page.waitForSelector(".tour");
    await page.click("button.language");
    assert.match(await page.textContent(".tour"), /模型把文本切成词元/);
    await page.click("button.language");
    const before = await page.evaluate(() => location.hash);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".tour", { state: "detached" });
    assert.equal(await page.evaluate(() => location.hash), before, "Escape ended the tour and nothing else");
    assert.deepEqual(session.problems, []);
    await page.close();
    await withoutStorage(context, url);
  } finally {
    await context.close();
  }
}

async function withoutStorage(context, url) {
  const session = await newPage(context, url);
  const { page } = session;
  await page.addInitScript(() => Object.defineProperty(window, "localStorage", { get: () => { throw new Error("forbidden"); } }));
  await arrive(session);
  await page.waitForSelector(".tour");
  await page.click(".tour .skip");
  await page.waitForSelector(".tour", { state: "detached" });
  await page.hover(chip(4));
  await shown(page, () => / 4 → /.test(document.querySelector(".readout").textContent));
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function plainWords({ context, url }) {
  const session = { ...(await newPage(context, url)), capture: "c1" };
  const { page } = session;
  const [texts, tries] = [{ en: new Set(), zh: new Set() }, { en: new Set(), zh: new Set() }];
  for (const language of ["en", "zh"]) {
    for (const view of views) {
      await open(session, `view=${view}&layer=1&head=2`);
      assert.equal(await page.locator(".explanation").count(), 0);
      await page.click(".explain-button");
      const text = await page.textContent(".explanation p");
      assert.ok(text.length > (language === "en" ? 200 : 60), `${view}: ${text}`);
      texts[language].add(text);
      tries[language].add(await page.textContent(".explanation p >> nth=1"));
      if (language === "zh") assert.match(text, /[\u4e00-\u9fff]/);
      else assert.deepEqual(await seriousIssues(page), [], view);
    }
    await page.click("button.language");
  }
  assert.deepEqual([texts.en.size, texts.zh.size, tries.en.size, tries.zh.size], [9, 9, 9, 9], "each view has its own words");
  await page.keyboard.press("2");
  await page.waitForSelector(".view-matrix .explanation");
  await page.keyboard.press("w");
  await page.waitForSelector(".explanation", { state: "detached" });
  assert.deepEqual(session.problems, []);
  await page.close();
}

// Letters on their grounds, and the grounds on the page: WCAG's contrast of what was painted.
async function dark({ context, url }) {
  const session = await newPage(context, url, { dark: true });
  const { page } = session;
  await arriveAtText(session);
  const contrasts = await page.$$eval(".chip", (chips) => {
    const linear = (byte) => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const numbers = (text) => text.match(/[\d.]+/g).map(Number);
    const canvas = document.querySelector(".ground");
    const origin = canvas.getBoundingClientRect();
    const paper = luminance(numbers(getComputedStyle(document.body).backgroundColor));
    return chips.map((one) => {
      const box = one.getBoundingClientRect();
      const pixel = canvas.getContext("2d").getImageData(box.left - origin.left + 4, box.top - origin.top + box.height / 2, 1, 1).data;
      const ground = luminance(pixel);
      return { letters: ratio(luminance(numbers(getComputedStyle(one).color)), ground), ground: ratio(ground, paper) };
    });
  });
  assert.ok(contrasts.length > 10);
  for (const { letters, ground } of contrasts) {
    assert.ok(letters >= 4.5, `letters: ${letters}`);
    assert.ok(ground >= 1.2, `the chip on the page: ${ground}`);
  }
  await page.close();
}

async function phone({ url }) {
  const context = await openBrowser({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  try {
    const session = await newPage(context, url);
    const { page } = session;
    await arriveAtText(session);
    const boxes = await page.evaluate(() => ["#text", ".seen", ".chips"].map((one) => document.querySelector(one).getBoundingClientRect().bottom));
    assert.ok(boxes.every((bottom) => bottom > 0 && bottom <= 844), `text box, sentence and chips are on the screen: ${boxes}`);
    await page.tap(chip(12));
    await shown(page, () => / 12 → /.test(document.querySelector(".readout").textContent));
    for (const language of ["en", "zh"]) {
      for (const view of views) {
        await page.tap(`[data-view=${view}]`);
        await page.waitForSelector(`.view-${view}`);
        await settled(page);
        const small = await page.$$eval("button, select, input, textarea, summary, .chip", (all) => all
          .map((one) => [one, one.getBoundingClientRect()])
          .filter(([one, { width, height }]) => width > 0 && (height < 39.5 || (width < 39.5 && !one.classList.contains("glued"))))
          .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 60)} ${Math.round(width)} × ${Math.round(height)}`));
        assert.deepEqual(small, [], `${view}: targets below 40 pixels`);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390, `${view} is too wide`);
        await page.tap(".explain-button");
        const words = await page.evaluate(() => document.body.innerText.match(/hover|double click|wheel|悬停|滚轮|双击|shift/gi));
        assert.equal(words, null, `${view}: words for a mouse`);
        await page.tap(".explain-button");
      }
      await page.tap("button.language");
    }
    assert.deepEqual(session.problems, []);
  } finally {
    await context.close();
  }
}

async function projector({ context, url }) {
  const session = await newPage(context, url, { width: 1024, height: 768 });
  const { page } = session;
  await arriveAtText(session);
  const bottoms = await page.evaluate(() => [".seen", ".chips", ".ranked h2", ".small-heads"].map((one) => document.querySelector(one).getBoundingClientRect().bottom));
  const end = await page.$eval("main", (main) => main.getBoundingClientRect().bottom);
  assert.ok(bottoms.every((bottom) => bottom <= end), `without scrolling: ${bottoms} of ${end}`);
  for (const view of views) {
    await page.click(`[data-view=${view}]`);
    await page.waitForSelector(`.view-${view}`);
    await settled(page);
    const over = await page.$eval("main", (main) => main.scrollWidth - main.clientWidth);
    assert.ok(over <= 1, `${view} is ${over} pixels too wide`);
  }
  await page.close();
}

async function pictures({ context, url, screenshots }) {
  const session = await newPage(context, url, { width: 1440, height: 860 });
  const { page } = session;
  await arriveAtText(session);
  await page.screenshot({ path: join(screenshots, "hero.png") });
  await page.close();
}

export async function firstScreen(world) {
  const { binary, context, gpt2 } = world;
  const server = await serve(binary, "--model", "minilm", sentence);
  const library = libraryWeights(binary, "minilm", sentence);
  const pieces = ["[CLS]", ...sentence.replace(".", " .").split(" "), "[SEP]"];
  const session = await newPage(context, server.url);
  const models = await (await session.page.request.get(`${server.url}api/state`)).json()
    .then((state) => state.models.map(({ id, available }) => ({ name: id, there: available })));
  const here = { ...world, session, url: server.url, weights: library.weights, tokens: pieces, models };
  const t5 = gpt2 && join(gpt2, "../t5");
  await test("First screen: opens on a pattern, and says what is seen", () => opensOnAPattern(here));
  await test("First screen: arcs and a sentence follow the pointer", () => arcsWhileHovering(here));
  await test("First screen: small pictures lead to heads, Grid and Matrix", () => smallPictures(here));
  await test("First screen: without a text, three samples; a pair", () => samples(here));
  if (t5 && existsSync(t5)) await test("First screen: an encoder-decoder model opens on two texts", () => twoTexts({ ...here, t5 }));
  await test("First screen: our own models, without any other", () => withOwnModels(here));
  await test("First screen: without a model, examples", () => withoutModel(here));
  await test("First screen: a longer text, in a single file", () => longerTextInAFile(here));
  await test("First screen: the tour, by mouse and keys, remembered, without storage", () => tour(here));
  await test("First screen: what am I looking at, in nine views and two languages", () => plainWords(here));
  await test("First screen: chips in the dark can be read", () => dark(here));
  await test("First screen: a phone, by touch", () => phone(here));
  await test("First screen: a projector of 1024 × 768", () => projector(here));
  if (world.screenshots) await test("First screen: pictures", () => pictures(here));
  await test("First screen: no error on the console, no foreign request", () => assert.deepEqual(session.problems, []));
  await session.page.close();
  await server.stop();
}
