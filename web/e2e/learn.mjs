// Learn: lessons, exercises and questions by mouse, by keys, on a phone, in one file; one step is one screen.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { seriousIssues } from "./everywhere.mjs";
import { eventually, fovea, newPage, open, scratch, settled, test } from "./harness.mjs";

const laptop = { width: 1366, height: 768 };
const phone = { width: 390, height: 844 };

const at = (place) => `view=learn${place ? `&learn=${place}` : ""}`;
const go = (session, place) => open({ ...session, capture: "" }, at(place), ".view-learn .path, .view-learn .lesson, .view-learn .answer, .view-learn .question, .reading-list");
const forget = (page) => page.evaluate(() => localStorage.removeItem("fovea.learn"));
const cells = (page) => page.locator(".answer-grid input");
const verdict = async (page, right) => {
  await page.waitForSelector(`.verdict[data-right="${right}"]`);
  return page.locator(".verdict").evaluate((box) => ({ mistakes: box.dataset.mistakes, text: box.innerText }));
};
const marks = (page) => page.$$eval(".answer-grid td", (all) => all.map((cell) => cell.dataset.mark));

async function byMouse({ context, url }) {
  const session = await newPage(context, url, laptop);
  const { page } = session;
  await go(session, "");
  await forget(page);
  await go(session, "");
  await page.click(".path-list button:has-text('Weights by hand')");
  await page.waitForSelector("#step-title:has-text('One query, three keys')");
  await page.click("[data-key=next]");
  await page.click("[data-key=next]");
  await page.waitForSelector("[data-live=worked-example]");
  // The second key becomes like the others: three equal weights.
  const key = page.locator(".small-table.editable").nth(1).locator("input");
  await key.nth(2).fill("1");
  await key.nth(3).fill("0");
  await page.waitForFunction(() => [...document.querySelectorAll("td.share")].map((cell) => cell.innerText).join() === "0.333,0.333,0.333");
  await page.click(".live header button");
  await page.waitForFunction(() => [...document.querySelectorAll("td.share")].map((cell) => cell.innerText).join() === "0.401,0.198,0.401");
  await page.click("[data-key=next]");
  // The denominator is forgotten.
  for (const [i, number] of ["2.718", "7.389", "1.649"].entries()) await cells(page).nth(i).fill(number);
  await page.click("[data-key=check]");
  const wrong = await verdict(page, false);
  assert.equal(wrong.mistakes, "denominator_forgotten");
  assert.match(wrong.text, /weights\[0\]\[0\] should be 0\.231224, yours is 2\.718/);
  assert.deepEqual(await marks(page), ["false", "false", "false"]);
  assert.equal(await page.locator("td[data-first=true]").count(), 1);
  await page.click("[data-key=hint]");
  assert.match(await page.textContent(".hints"), /Hint 1:.*dot products/);
  await cells(page).nth(0).fill("0.231");
  assert.deepEqual(await marks(page), [undefined, "false", "false"], "a changed cell has no mark");
  await cells(page).nth(1).fill("0.629");
  await cells(page).nth(2).fill("0.14");
  await page.click("[data-key=check]");
  await verdict(page, true);
  assert.deepEqual(await marks(page), ["true", "true", "true"]);
  await go(session, "");
  assert.equal(await page.locator("[data-place='exercise.weights-by-hand'] .tick").count(), 1, "kept over a reload");
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function byKeys({ context, url }) {
  const session = await newPage(context, url, laptop);
  const { page } = session;
  await open({ ...session, capture: "" }, "view=masks");
  await page.keyboard.press("0");
  await page.waitForSelector(".path");
  await page.focus("[data-place='lesson.why-scale']");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-live=variance]");
  const chosen = () => page.$$eval(".small-table:last-child td", (all) => all.map((cell) => cell.innerText).filter(Boolean).join());
  const before = await chosen();
  await page.focus(".live input[type=range]");
  await page.keyboard.press("End");
  await page.waitForFunction((old) => [...document.querySelectorAll(".small-table:last-child td")].map((cell) => cell.innerText).filter(Boolean).join() !== old, before);
  assert.match(await page.textContent("#step-title"), /Long vectors/, "arrows of the slider turn no page");
  await page.keyboard.press("Escape");
  for (const title of [/softmax deaf/, /No slope/, /Why the root/]) {
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction((text) => new RegExp(text).test(document.getElementById("step-title")?.innerText), title.source);
  }
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => /No slope/.test(document.getElementById("step-title").innerText));
  // The scores are not divided by √2; then a question.
  await go(session, "exercise.second-by-hand");
  await cells(page).first().focus();
  await page.keyboard.type("3.655");
  await page.keyboard.press("Enter");
  await page.keyboard.type("2.689");
  await page.keyboard.press("Enter");
  const wrong = await verdict(page, false);
  assert.equal(wrong.mistakes, "no_scaling");
  assert.match(wrong.text, /not divided by √d_k/);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll(".answer-grid input")].indexOf(document.activeElement)), 0);
  await page.keyboard.type("3.349");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("3.302");
  await page.keyboard.press("Enter");
  await verdict(page, true);
  await go(session, "question.formula");
  await page.focus(".options button");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent(".options li:first-child .reason"), /Not yet\..*What must become shares/);
  await page.focus(".options li:nth-child(3) button");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".options li[data-right=true]");
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function onAPhone({ context, url }) {
  const session = await newPage(context, url, phone);
  const { page } = session;
  const fits = async (what) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= phone.width, `${what} is ${width} pixels wide`);
  };
  for (const place of ["", "lesson.masks.2", "lesson.learned.2", "exercise.multi-head", "exercise.padding-and-causal", "question.say-formula", "reading"]) {
    await go(session, place);
    await fits(place || "the path");
  }
  await go(session, "exercise.three-words");
  const shown = await page.$$eval(".answer-grid", (grids) => grids.map((grid) => grid.querySelectorAll("input").length));
  assert.deepEqual(shown, [3, 2], "weights, then the output");
  const answer = ["0.379", "0.326", "0.295", "0.787", "0.680"]; // not divided by √2
  for (const [i, number] of answer.entries()) await cells(page).nth(i).fill(number);
  await page.click("[data-key=check]");
  assert.equal((await verdict(page, false)).mistakes, "no_scaling");
  await fits("an answer");
  await page.click("button.language");
  await page.waitForSelector(".verdict:has-text('√d_k')");
  assert.match((await verdict(page, false)).text, /还不对/);
  await page.click("button.language");
  assert.deepEqual(session.problems, []);
  await page.close();
}

async function headsOfOurModels({ context, url }) {
  const session = await newPage(context, url, laptop);
  const { page } = session;
  await go(session, "exercise.pronoun");
  await page.fill(".head-name", "first");
  await page.click("[data-key=check]");
  await page.waitForSelector(".answer [role=alert]");
  await page.fill(".head-name", "L0H0");
  await page.keyboard.press("Enter");
  assert.match((await verdict(page, false)).text, /Another head is surer/);
  await page.fill(".head-name", "L0H1");
  await page.keyboard.press("Enter");
  await verdict(page, true);
  assert.deepEqual(session.problems, []);
  await page.close();
}

// Whatever a person does not see without scrolling is explained out of sight.
async function oneScreen(session, languages) {
  const { page } = session;
  const tall = [];
  for (const language of languages) {
    await go(session, "");
    if (language === "zh") await page.click("button.language");
    await page.waitForSelector(".path");
    const places = await page.$$eval("[data-place^='lesson.'], [data-place^='exercise.'], [data-place^='question.']", (all) => [...new Set(all.map((one) => one.dataset.place))]);
    assert.ok(places.length > 50);
    for (const place of places) {
      const steps = await page.evaluate(async ([where, lesson]) => {
        location.hash = `view=learn&learn=${where}`;
        const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        for (let i = 0; i < 300; ++i) await frames().then(() => (document.querySelector(lesson ? ".lesson li button" : ".answer, .question") ? (i = 999) : 0));
        return document.querySelectorAll(".lesson-steps li").length || 1;
      }, [place, place.startsWith("lesson")]);
      for (let step = 1; step <= steps; ++step) {
        const over = await page.evaluate(async ([where, title]) => {
          location.hash = `view=learn&learn=${where}`;
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          const there = () => !title || document.querySelector(".lesson-steps [aria-current]")?.innerText === title;
          for (let i = 0; i < 3 || (i < 300 && !there()); ++i) await frame();
          await frame();
          const { scrollHeight, clientHeight } = document.querySelector("main");
          return { by: scrollHeight - clientHeight, there: there() };
        }, [`${place}${step > 1 ? `.${step}` : ""}`, steps > 1 ? String(step) : ""]);
        assert.ok(over.there, `${place} ${step} is not shown`);
        if (over.by > 0) tall.push(`${language} ${place} ${step}: ${over.by}`);
      }
    }
    if (language === "zh") await page.click("button.language");
  }
  assert.deepEqual(tall, [], "taller than the screen");
}

// The file's own check against the server's, on what every mistake gives, and on the right answer.
async function sameDiagnosis(file, url) {
  const out = join(scratch(), "file_check.mjs");
  const here = dirname(fileURLToPath(import.meta.url));
  await build({
    stdin: { contents: `export { FileLearn } from "./file_learn"; export { TensorFile } from "../data/safetensors"; export { bytesOfBase64 } from "../data/source_file";`, resolveDir: join(here, "../src/learn"), loader: "ts" },
    bundle: true, format: "esm", outfile: out, logLevel: "error", jsx: "automatic", jsxImportSource: "preact",
  });
  const { FileLearn, TensorFile } = await import(pathToFileURL(out).href);
  const [, data] = /id="fovea-data">([^<]*)</.exec(readFileSync(file, "utf8"));
  const { metadata } = new TensorFile(new Uint8Array(Buffer.from(data, "base64")));
  const learn = new FileLearn(metadata);
  const { exercises } = JSON.parse(metadata["learn.answers"]);
  const ask = async (exercise, answer) => {
    const response = await fetch(`${url}api/learn/check`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ exercise, answer }) });
    assert.equal(response.status, 200);
    return response.json();
  };
  const short = ({ correct, verdict, mistakes, marks, part, cell }) => JSON.stringify({ correct, verdict, mistakes: [...mistakes].sort(), weights: marks.weights ?? [], output: marks.output ?? [], part, cell });
  const bare = (text) => text.replace(/"(weights|output)":\[\]/g, '"$1":[]');
  let compared = 0;
  for (const [id, stored] of Object.entries(exercises)) {
    if (stored.heads) {
      for (const head of ["L0H1", "L0H3", "L1H2", "L7H9"]) {
        const [got, expected] = [await learn.check(id, head), await ask(id, head)];
        assert.deepEqual([got.correct, got.sentences[0]], [expected.correct, expected.sentences[0]], `${id} ${head}`);
        ++compared;
      }
      continue;
    }
    const typed = ({ weights = [], output = [] }, digits) => [...weights, ...output].map((value) => value.toFixed(digits)).join(" ");
    const some = stored.variants.filter((_, i) => i < 12 || i % 17 === 0); // singles, and some pairs
    for (const numbers of [stored.right, ...some]) {
      for (const digits of [4, 1]) {
        const answer = typed(numbers, digits);
        const [got, expected] = [await learn.check(id, answer), await ask(id, answer)];
        assert.equal(bare(short(got)), bare(short(expected)), `${id}: ${answer}`);
        if (got.verdict === "mistaken") assert.deepEqual(got.sentences, expected.sentences, `${id}: ${answer}`);
        ++compared;
      }
    }
  }
  return compared;
}

async function inOneFile({ context, binary, url, figures }) {
  const file = join(scratch(), "lessons.html");
  fovea(binary, "view", "-o", file);
  const session = await newPage(context, pathToFileURL(file).href, laptop);
  await context.setOffline(true);
  try {
    const { page } = session;
    await go(session, "lesson.masks.2");
    const seen = () => page.$$eval("td.share", (all) => all.map((cell) => cell.innerText).join());
    const before = await seen();
    await page.click(".control:has-text('pads') button:has-text('0'), .control:nth-of-type(2) button:has-text('0')");
    await settled(page);
    await eventually(page, async () => assert.notEqual(await seen(), before, "computed ahead"));
    await go(session, "exercise.weights-by-hand");
    await cells(page).first().focus();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.setData("text", "[[2.718, 7.389, 1.649]]");
      document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await page.click("[data-key=check]");
    assert.equal((await verdict(page, false)).mistakes, "denominator_forgotten");
    await oneScreen(session, ["en", "zh"]);
    assert.deepEqual(session.problems, []);
  } finally {
    await context.setOffline(false);
    await session.page.close();
  }
  figures.learnCompared = await sameDiagnosis(file, url);
  assert.ok(figures.learnCompared > 200);
}

async function withoutStorage({ context, url }) {
  const session = await newPage(context, url, laptop);
  const { page } = session;
  await page.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new Error("forbidden"); } }));
  await page.goto(`${url}#${at("question.formula")}`);
  await page.click(".options li:nth-child(3) button");
  await page.waitForSelector(".options li[data-right=true]");
  await page.click(".up");
  await page.waitForSelector("[data-place='question.formula'][data-done=true]");
  assert.deepEqual(session.problems.filter((text) => !/forbidden/.test(text)), []);
  await page.close();
}

async function inTheLanguageOfTheAddress({ context, url }) {
  const { page } = await newPage(context, url, laptop);
  await page.goto(String(new URL("?lang=zh#view=learn", url)));
  await page.waitForSelector("html[lang=zh-CN] .path");
  await page.keyboard.press("l");
  await page.waitForSelector("html[lang=en] .path");
  assert.equal(new URL(page.url()).search, "", "the language chosen in the page stays when it is loaded again");
  await page.close();
}

async function accessible({ context, url }, dark) {
  const session = await newPage(context, url, { ...laptop, dark });
  for (const place of ["", "lesson.by-hand.3", "lesson.masks.2", "exercise.three-words", "question.why-scale", "reading"]) {
    await go(session, place);
    if (place.startsWith("exercise")) {
      for (let i = 0; i < 5; ++i) await cells(session.page).nth(i).fill("0.25");
      await session.page.click("[data-key=check]");
      await verdict(session.page, false);
    }
    if (place.startsWith("question")) await session.page.click(".options li:nth-child(2) button");
    assert.deepEqual(await seriousIssues(session.page), [], `${place}, ${dark ? "dark" : "light"}`);
  }
  await session.page.close();
}

export async function learn(world) {
  await test("Learn by mouse: a lesson with numbers changed, an exercise with a mistake", () => byMouse(world));
  await test("Learn by keys: a lesson, an exercise, a question", () => byKeys(world));
  await test("Learn on a phone: no page too wide, an exercise, in Chinese", () => onAPhone(world));
  await test("Learn: heads of our own models", () => headsOfOurModels(world));
  await test("Learn in one file, offline: one step is one screen, the server's diagnosis", () => inOneFile(world));
  await test("Learn without storage", () => withoutStorage(world));
  await test("Learn in the language that the address names", () => inTheLanguageOfTheAddress(world));
  await test("Learn: axe finds nothing serious", async () => {
    await accessible(world, false);
    await accessible(world, true);
  });
}
