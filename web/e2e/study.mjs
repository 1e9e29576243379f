// Studies: the view has the library's numbers, on the server and in one file, of one study and of two side by side.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { seriousIssues } from "./everywhere.mjs";
import { eventually, fovea, newPage, open, post, scratch, serve, settled, test } from "./harness.mjs";

const lines = [
  "The cat sat on the mat because it was tired, and the dog ran away.", "A good film! I liked it, but the end was too long.",
  "He said that he would come, and he came.", "Nobody knows why 12 birds sang in the morning of the second day.",
  "The actors are fine; the story is not.", "It rained and rained and rained.",
];

function makeStudies(binary) {
  const folder = scratch();
  const make = (name, texts, model) => {
    const corpus = join(folder, `${name}.txt`);
    writeFileSync(corpus, `${texts.join("\n")}\n`);
    const file = join(folder, `${name}.safetensors`);
    fovea(binary, "study", "--model", model, corpus, "--length", "24", "-o", file);
    return { file, json: JSON.parse(fovea(binary, "study", "show", file, "--json")) };
  };
  return {
    all: make("all", lines, "minilm"),
    few: make("few", lines.slice(0, 3), "minilm"),
    // Another model, with fewer layers and heads.
    small: make("small", ["小明把苹果给了小红，她很开心。", "小红把书给了小明，他很开心。"], "coreference"),
    folder,
  };
}

const percent = (share) => `${100 * share > 0 && 100 * share < 1 ? (100 * share).toFixed(1) : Math.round(100 * share)} %`;
const text = (page, selector) => page.locator(selector).first().textContent();

async function oneCard(session, { json }) {
  const { page } = session;
  await open(session, "view=study&layer=2&head=3", ".study-card .study-mostly");
  const known = json.heads[2 * 12 + 3];
  const [[, share]] = Object.entries(known.roles).sort(([, a], [, b]) => b - a);
  assert.match(await text(page, ".study-card h2"), /L2 H3 over 6 texts/);
  assert.ok((await text(page, ".study-mostly")).includes(`in ${percent(share)} of 6 texts`), await text(page, ".study-mostly"));
  const side = page.locator(".study-side").first();
  assert.equal(await side.locator(".study-tiles button").count(), 72);
  const histograms = await side.locator(".study-histogram").allTextContents();
  assert.equal(histograms.length, Object.keys(known.measures).length);
  const entropy = Number(/mean ([\d.]+)/.exec(histograms[0])[1]);
  assert.ok(Math.abs(entropy - known.measures.entropy.mean) < 6e-5, `${histograms[0]} and ${known.measures.entropy.mean}`);
  const place = known.places[0];
  const label = await page.locator(".study-place").first().getAttribute("aria-label");
  assert.ok(label.endsWith(place.weight.toFixed(4)), `${label} and ${place.weight}`);
  assert.equal(await text(page, ".study-place .query"), place.tokens[place.query_at]);
  assert.equal(await text(page, ".study-place .key"), place.tokens[place.key_at]);
  assert.equal(await page.locator(".study-place").first().locator("path").count(), 2, "an arc and its tip");
}

async function choosing(session) {
  const { page } = session;
  await open(session, "view=study&layer=0&head=0", ".study-card .study-mostly");
  await page.click(".study-tiles button[data-head='4.7']");
  await page.waitForSelector(".study-card[data-head='4.7'] .study-mostly");
  await page.waitForFunction(() => /layer=4&head=7/.test(location.hash));
  await page.keyboard.press(".");
  await page.waitForSelector(".study-card[data-head='4.8']");
  await page.keyboard.press("[");
  await page.waitForSelector(".study-card[data-head='3.8']");
  await page.focus(".study-map .scatter");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".study-card[data-head='3.9']");
  await page.locator(".study-nearest button").first().click();
  await page.waitForFunction(() => document.querySelector(".study-card").dataset.head !== "3.9");
  await settled(page);
  const before = await page.locator(".study-place").count();
  await page.locator(".study-places > button").click();
  await eventually(page, async () => assert.ok((await page.locator(".study-place").count()) > before));
  await page.keyboard.press("1");
  await page.keyboard.press("s");
  await page.waitForSelector(".view-study");
}

async function everywhereClean(context, url, options) {
  const session = await newPage(context, url, options);
  const { page } = session;
  await open(session, "view=study&layer=1&head=4", ".study-card .study-mostly");
  if (options.chinese) {
    await page.click("button.language");
    await page.waitForFunction(() => document.querySelector("#view-title").textContent === "统计");
  }
  assert.deepEqual(await seriousIssues(page), [], JSON.stringify(options));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${wide} pixels wider than the screen, ${JSON.stringify(options)}`);
  if (options.chinese) await page.click("button.language");
  assert.deepEqual(session.problems, []);
  await page.close();
}

// The same head of the same model in both; the difference of the means.
async function sideBySide(session, { all, few }) {
  const { page } = session;
  await open(session, "view=study&layer=1&head=8", ".study-side + .study-side .study-mostly");
  assert.deepEqual(await page.locator(".study-card").evaluateAll((cards) => cards.map(({ dataset }) => dataset.head)), ["1.8", "1.8"]);
  const [first, ...cells] = await page.locator(".study-differences tbody tr").first().locator("th, td").allTextContents();
  const [a, b] = [all, few].map(({ json }) => json.heads[12 + 8].measures.entropy.mean);
  assert.equal(first, "entropy (nats)");
  [a, b, b - a].forEach((value, at) => assert.ok(Math.abs(Number(cells[at].replace("−", "-")) - value) < 1e-4, `${cells[at]} and ${value}`));
}

// Another model has other heads: each side is chosen for itself.
async function otherModel(session) {
  const { page } = session;
  await page.locator(".toolbar select").nth(1).selectOption("s2");
  await page.waitForSelector(".study-card[data-study='s2'] .study-mostly");
  await page.locator(".study-side").nth(1).locator(".study-tiles button[data-head='1.2']").click();
  await page.waitForSelector(".study-card[data-study='s2'][data-head='1.2']");
  assert.equal(await page.locator(".study-card[data-study='s0']").getAttribute("data-head"), "1.8");
  await page.locator(".toolbar select").nth(1).selectOption("none");
  await page.waitForFunction(() => document.querySelectorAll(".study-card").length === 1);
}

// The roles of a run say on how many texts they rest.
async function roleGrounds(binary, context, studies) {
  const server = await serve(binary, "--study", studies.all.file, "--model", "minilm", lines[0]);
  const session = await newPage(context, server.url);
  const { page } = session;
  await open(session, "view=grid&c=c1", ".thumbs .rests");
  const overview = await (await page.request.get(`${server.url}api/captures/c1/overview?kind=encoder`)).json();
  const role = overview.heads[2][3].role.id;
  const expected = `on 6 texts: ${percent(studies.all.json.heads[2 * 12 + 3].roles[role] ?? 0)}`;
  assert.equal(await text(page, ".tile[data-head='2.3'] .rests"), expected);
  await open(session, "view=heads&c=c1", "tbody .rests");
  const cell = await page.locator("tbody tr", { hasText: "L2 H3" }).locator(".rests").textContent();
  assert.equal(cell, expected);
  const other = await post(server.url, { model: "coreference", text: "小明把苹果给了小红，她很开心。" });
  await open(session, `view=grid&c=${other.id}`, ".role-grounds");
  assert.match(await text(page, ".role-grounds"), /this text alone \(1 text\)/);
  await open(session, `view=heads&c=${other.id}`, "tbody .rests");
  assert.equal(await text(page, "tbody .rests"), "on this text");
  assert.deepEqual(session.problems, []);
  await page.close();
  assert.equal(await server.stop(), 0);
}

async function inOneFile(binary, context, { all, few, folder }) {
  const file = join(folder, "study.html");
  fovea(binary, "view", "--study", all.file, "--study", few.file, "-o", file);
  const session = await newPage(context, pathToFileURL(file).href);
  await context.setOffline(true);
  try {
    await session.page.goto(pathToFileURL(file).href);
    await session.page.waitForSelector(".study-side + .study-side .study-mostly"); // it opens on the study
    await sideBySide(session, { all, few });
    await oneCard(session, all);
    assert.deepEqual(session.problems, []);
  } finally {
    await context.setOffline(false);
    await session.page.close();
  }
}

export async function study({ binary, context, session: plain }) {
  const studies = makeStudies(binary);
  const server = await serve(binary, "--study", studies.all.file);
  const session = await newPage(context, server.url);
  await test("Study: a card has the library's numbers", () => oneCard(session, studies.all));
  await test("Study: heads are chosen by tile, map and keys", () => choosing(session));
  for (const options of [{ dark: false, width: 1440 }, { dark: true, width: 1440, chinese: true }, { dark: false, width: 390, chinese: true }, { dark: true, width: 390 }]) {
    await test(`Study: clean for axe, nothing wider than the screen ${JSON.stringify(options)}`, () => everywhereClean(context, server.url, options));
  }
  assert.deepEqual(session.problems, []);
  await session.page.close();
  await server.stop();
  const two = await serve(binary, "--study", studies.all.file, "--study", studies.few.file, "--study", studies.small.file);
  const both = await newPage(context, two.url);
  await test("Study: two side by side, with the difference", () => sideBySide(both, studies));
  await test("Study: two models, each with its own head", () => otherModel(both));
  await both.page.close();
  await two.stop();
  await test("Study: roles say on how many texts they rest", () => roleGrounds(binary, context, studies));
  await test("Study: in one file, without a server", () => inOneFile(binary, context, studies));
  await test("Study: without one, the view says how to make one", async () => {
    await open(plain, "view=study", ".study-none");
    assert.match(await plain.page.textContent(".study-none"), /fovea serve --study/);
    await settled(plain.page);
  });
}
