// Predictions, heads switched off, masks that act, what is passed on, texts that go on: the page against the command.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, fovea, hoverAt, libraryWeights, newPage, post, readout, sameDigits, scratch, serve, settled, shown, test } from "./harness.mjs";
import { seriousIssues, views } from "./everywhere.mjs";

const words = "old tree red moon big bird sing new song old tree";
const sentence = "The cat sat on the mat.";
const otherSentence = "A dog ran in the park.";
const percent = (share) => `${(100 * share).toFixed(1)} %`;

// Of the command: whole runs, nothing kept and nothing restarted.
function commandSays(binary, model, text, ...args) {
  return JSON.parse(fovea(binary, "whatif", "--model", model, text, "--top", "10", "--json", ...args)).predictions[0];
}

async function open({ page, url }, hash) {
  await page.goto("about:blank");
  await page.goto(`${url}#${hash}`);
  await page.waitForSelector("main .view");
  await settled(page);
}

const rows = (page) => page.$$eval(".prediction li", (all) => all.map((row) => ({ token: row.querySelector(".token").textContent.replace("␣", ""), percent: row.querySelector("b").textContent, was: row.querySelector(".was")?.textContent ?? "" })));

async function bars({ binary, session, induction }) {
  const { page } = session;
  const want = JSON.parse(fovea(binary, "predict", "--model", "induction", words, "--top", "8", "--json")).predictions[0].top;
  await open(session, `view=text&c=${induction.id}`);
  const got = await rows(page);
  assert.deepEqual(got.map(({ token, percent: text }) => [token, text]), want.map(({ token, probability }) => [token, percent(probability)]));
  await page.click(".chip[data-i='3']"); // after another token
  await shown(page, () => /\(3\)/.test(document.querySelector(".position .where")?.textContent));
  const third = JSON.parse(fovea(binary, "predict", "--model", "induction", words, "--position", "3", "--top", "1", "--json")).predictions[0].top[0];
  await eventually(page, async () => assert.equal((await rows(page))[0].percent, percent(third.probability)));
  assert.equal(await page.locator("[data-continue]").count(), 0, "a text goes on at its end only");
}

async function switched({ binary, session, induction }) {
  const { page } = session;
  await open(session, `view=grid&c=${induction.id}`);
  await page.click("[data-off='1.0']");
  await shown(page, () => location.hash.includes("off=L1H0"));
  await page.focus("[data-off='0.3']"); // by the keyboard, too
  await page.keyboard.press("Enter");
  await shown(page, () => document.querySelectorAll(".change-bar .off-chip").length === 2 && location.hash.includes("off=L0H3!L1H0"));
  await settled(page);
  const want = commandSays(binary, "induction", words, "--ablate", "L1H0,L0H3");
  const bar = await page.textContent(".change-bar .moved");
  const told = `after “tree” (10): “${want.before[0].token}” ${percent(want.before[0].probability)} → “${want.after[0].token}” ${percent(want.after[0].probability)}KL `;
  assert.ok(bar.replaceAll("␣", "").startsWith(told), `${bar} | ${told}`);
  const first = (await rows(page))[0];
  assert.deepEqual([first.token, first.percent], [want.after[0].token, percent(want.after[0].probability)]);
  await page.click(".change-bar button:has-text('before')");
  await shown(page, () => location.hash.includes("before=1"));
  await eventually(page, async () => {
    const was = (await rows(page))[0];
    assert.deepEqual([was.token, was.percent], [want.before[0].token, percent(want.before[0].probability)]);
  });
  // Back undoes it, step by step.
  await page.evaluate(() => history.back());
  await shown(page, () => !location.hash.includes("before") && location.hash.includes("off="));
  await settled(page);
  await page.evaluate(() => history.back());
  await shown(page, () => document.querySelectorAll(".change-bar .off-chip").length === 1);
  await settled(page);
  await page.evaluate(() => history.back());
  await shown(page, () => !document.querySelector(".change-bar"));
  await page.evaluate(() => history.forward());
  await shown(page, () => document.querySelector("[data-off='1.0'][aria-pressed=true]"));
}

// Weights of the changed run, as `fovea attend` would have them: from the server, against the matrix on the screen.
async function everyView({ session, minilm, plain }) {
  const { page, url } = session;
  await open(session, `view=matrix&c=${minilm.id}&layer=4&head=2&tokens=2&key=3`);
  await page.keyboard.press("["); // layer 3
  await page.keyboard.press("x"); // L3 H2 off
  await page.keyboard.press("]");
  await shown(page, () => document.querySelector(".off-chip")?.textContent.startsWith("L3H2"));
  await settled(page);
  const body = await (await page.request.get(`${url}api/captures/${minilm.id}/weights?kind=encoder&layer=4&head=2&off=L3H2`)).body();
  const begin = 8 + Number(body.readBigUInt64LE(0));
  const n = plain.tokens.length;
  const changed = (i, j) => body.readFloatLE(begin + 4 * (i * n + j));
  assert.ok(Math.abs(changed(2, 3) - plain.weights[4][2][2][3]) > 1e-4, "the later layer changed");
  const cell = async () => {
    await hoverAt(page, ".view-matrix .canvas", 0.35, 0.6);
    const match = / (\d+) → .* (\d+): (\d+\.\d{4})/.exec(await readout(page));
    return { i: Number(match[1]), j: Number(match[2]), text: match[3] };
  };
  const after = await cell();
  sameDigits(after.text, changed(after.i, after.j), "after");
  await page.keyboard.press("b");
  await settled(page);
  const before = await cell();
  sameDigits(before.text, plain.weights[4][2][before.i][before.j], "before");
  await page.keyboard.press("b");
  for (const view of views) {
    await open(session, `view=${view}&c=${minilm.id}&layer=4&head=2&off=L3H2!L0H0&by=changed`);
    assert.equal(await page.locator(".change-bar").count(), 1, view);
    assert.equal(await page.locator("main .notice.error").count(), 0, view);
  }
  await open(session, `view=compare&c=${minilm.id}&layer=4&head=2&off=L3H2&by=changed`);
  let largest = 0;
  for (let i = 0; i < n; ++i) for (let j = 0; j < n; ++j) largest = Math.max(largest, Math.abs(changed(i, j) - plain.weights[4][2][i][j]));
  sameDigits(await page.textContent(".facts dd >> nth=0"), largest, "largest difference of before and after");
}

// The page's limits of patience a hundred times as long: what is asserted is the order, and a loaded machine takes longer.
const patient = (page) => page.evaluate(() => {
  const { setTimeout } = window;
  window.impatient = () => (window.setTimeout = setTimeout);
  window.setTimeout = (run, delay, ...rest) => setTimeout(run, delay >= 100 ? 100 * delay : delay, ...rest);
});

// A click on a head: the prediction is asked for before all else, and painted with the change; the rest comes afterwards.
async function predictionFirst({ session, minilm, induction }) {
  const { page } = session;
  for (const [id, view] of [[induction.id, "grid"], [minilm.id, "heads"], [induction.id, "text"]]) {
    await open(session, `view=${view}&c=${id}&layer=0&head=1`);
    await patient(page);
    const order = [];
    const sent = (request) => request.url().includes("off=") && order.push(`ask ${/\w+(?=\?)/.exec(request.url())[0]}`);
    const got = (request) => request.url().includes("off=") && order.push(`get ${/\w+(?=\?)/.exec(request.url())[0]}`);
    page.on("request", sent).on("requestfinished", got);
    const busy = await page.evaluate(() => new Promise((done) => {
      const observer = new MutationObserver(() => {
        if (!document.querySelector(".change-bar")) return;
        observer.disconnect();
        done(document.querySelector(".predictions")?.classList.contains("busy") ?? false);
      });
      observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      dispatchEvent(new KeyboardEvent("keydown", { key: "x" }));
    }));
    await eventually(page, () => assert.ok(order.length > 2, `${view}: what follows is asked for, too`));
    await page.evaluate(() => void window.impatient());
    await settled(page);
    page.off("request", sent).off("requestfinished", got);
    assert.deepEqual(order.slice(0, 2), ["ask predictions", "get predictions"], `${view}: ${order}`);
    assert.equal(order.filter((one) => one === "ask predictions").length, 1, `${view}: once`);
    assert.equal(busy, false, `${view}: the change is shown with its prediction`);
  }
  // A prediction that takes long does not hold the page up.
  await open(session, `view=grid&c=${induction.id}`);
  let letGo = null;
  await page.route("**/predictions?*off=*", (route) => void (letGo = () => route.continue()));
  await page.click("[data-off='1.1']");
  await page.waitForSelector(".off-chip");
  await page.waitForSelector(".predictions.busy");
  await letGo();
  await shown(page, () => !document.querySelector(".predictions.busy"));
  await page.unroute("**/predictions?*off=*");
  // Whoever goes on to another run before the answer is here takes no head along.
  await page.route("**/predictions?*off=*", async (route) => (await new Promise((done) => setTimeout(done, 70)), route.continue().catch(() => undefined)));
  await open(session, `view=grid&c=${induction.id}`);
  await page.evaluate((other) => {
    document.querySelector("[data-off='1.1']").click();
    location.hash = `#view=grid&c=${other}`;
  }, minilm.id);
  await shown(page, () => document.querySelectorAll(".tile").length === 72);
  await settled(page);
  assert.equal(await page.locator(".off-chip").count(), 0);
  await page.unroute("**/predictions?*off=*");
}

async function maskThrough({ binary, session, induction }) {
  const { page } = session;
  await open(session, `view=masks&c=${induction.id}&layer=0&head=3&mask=${encodeURIComponent("window(0)")}`);
  await page.selectOption(".view-masks select", "L0H3");
  await shown(page, () => location.hash.includes("maskat=L0H3") && /^Mask in L0H3/.test(document.querySelector(".off-chip")?.textContent));
  await settled(page);
  assert.match(await page.textContent(".below"), /ran with this mask in L0H3/);
  // The previous-token head sees only itself: nothing repeats any more. The command says the same of hidden edges.
  const { tokens } = JSON.parse(fovea(binary, "predict", "--model", "induction", words, "--json"));
  const edges = tokens.flatMap((_, i) => Array.from({ length: i }, (__, j) => ["--block", `L0H3:${i}->${j}`])).flat();
  const want = commandSays(binary, "induction", words, ...edges);
  const moved = (await page.textContent(".change-bar .moved")).replaceAll("␣", "");
  assert.ok(moved.includes(`→ “${want.after[0].token}” ${percent(want.after[0].probability)}`), `${moved} | ${JSON.stringify(want.after[0])}`);
  assert.ok(want.kl > 1, "it matters");
  await page.click(".off-chip");
  await shown(page, () => !document.querySelector(".change-bar"));
}

async function passedOn({ session, minilm }) {
  const { page } = session;
  await open(session, `view=matrix&c=${minilm.id}&layer=2&head=7`);
  await page.click(".selection button:has-text('Passed on')");
  await shown(page, () => location.hash.includes("passed=1"));
  await settled(page);
  assert.match(await page.textContent(".lens-note"), /norm of weight × value × W_O/);
  const steps = await (await page.request.get(`${session.url}api/captures/${minilm.id}/steps?kind=encoder&layer=2&head=7`)).body();
  const header = JSON.parse(steps.subarray(8, 8 + Number(steps.readBigUInt64LE(0))).toString());
  const start = 8 + Number(steps.readBigUInt64LE(0));
  const tensor = (name) => {
    const { shape, data_offsets: [from, to] } = header[name];
    return { shape, data: new Float32Array(steps.buffer.slice(steps.byteOffset + start + from, steps.byteOffset + start + to)) };
  };
  const [v, wo, weights] = ["v", "w_o", "weights"].map(tensor);
  const [keys, width] = v.shape;
  const outputs = wo.shape[1];
  const norms = Array.from({ length: keys }, (_, j) => {
    let squares = 0;
    for (let e = 0; e < outputs; ++e) {
      let sum = 0;
      for (let d = 0; d < width; ++d) sum += v.data[j * width + d] * wo.data[(7 * width + d) * outputs + e];
      squares += sum * sum;
    }
    return Math.sqrt(squares);
  });
  await hoverAt(page, ".view-matrix .canvas", 0.3, 0.7);
  const match = / (\d+) → .* (\d+): (\d+\.\d{4})/.exec(await readout(page));
  const row = Array.from({ length: keys }, (_, j) => weights.data[Number(match[1]) * keys + j] * norms[j]);
  sameDigits(match[3], row[Number(match[2])] / row.reduce((a, b) => a + b), "share passed on");
  for (const view of views) {
    await open(session, `view=${view}&c=${minilm.id}&layer=2&head=7&passed=1`);
    assert.equal(await page.locator("main .notice.error").count(), 0, view);
    assert.equal(await page.locator(".lens-note").count(), 1, view);
  }
  await open(session, `view=text&c=${minilm.id}&layer=2&head=7&passed=1&tokens=2`);
  assert.match(await page.textContent(".seen"), /of what reaches cat comes from/);
}

async function goesOn({ session, induction }) {
  const { page } = session;
  await open(session, `view=text&c=${induction.id}&temp=0`);
  await page.click("[data-continue=one]");
  await shown(page, () => location.hash.includes("more=40") && document.querySelectorAll(".chip").length === 12);
  await settled(page);
  assert.equal(await page.textContent(".chip[data-i='11']"), "red");
  assert.match(await page.textContent(".seen"), /^red puts/, "the attention of the new token");
  assert.match(await page.textContent(".where"), /^after “red” \(11\)/);
  await page.click(".prediction li:nth-child(2) button"); // any other token
  await shown(page, () => document.querySelectorAll(".chip").length === 13);
  await settled(page);
  await page.evaluate(() => history.back());
  await shown(page, () => document.querySelectorAll(".chip").length === 12);
  const link = await page.evaluate(() => location.hash);
  await page.click("[data-continue=many]");
  await shown(page, () => document.querySelectorAll(".chip").length >= 15);
  assert.deepEqual(await page.$$eval(".chip", (chips) => chips.slice(11, 15).map((chip) => chip.textContent)), ["red", "moon", "big", "bird"]);
  await page.click("[data-continue=stop]");
  await settled(page);
  await open(session, link.slice(1)); // a link carries the tokens
  assert.equal(await page.locator(".chip").count(), 12);
  await page.click(".drawing .plain");
  await shown(page, () => document.querySelectorAll(".chip").length === 11);
}

async function vectors({ binary, session, minilm, other }) {
  const { page } = session;
  await open(session, `view=compare&c=${minilm.id}&by=texts&c2=${other.id}`);
  const want = JSON.parse(fovea(binary, "predict", "--model", "minilm", sentence, otherSentence, "--json"));
  sameDigits(await page.textContent(".cosine dd"), want.cosine, "cosine");
  await open(session, `view=compare&c=${minilm.id}&by=texts&c2=${other.id}&off=L5H0!L5H1!L5H2!L5H3`);
  const text = await page.textContent(".cosine dd");
  assert.match(text, /before/);
  sameDigits(/before (-?[\d.]+)/.exec(text)[1], want.cosine, "cosine before");
  await open(session, `view=text&c=${minilm.id}&off=L0H0`);
  assert.match(await page.textContent(".predictions .moved"), /Cosine with the vector before: 0\.\d{4}/);
}

async function masked({ session, bert }) {
  const { page } = session;
  await open(session, `view=text&c=${bert.id}`);
  const answer = await (await page.request.get(`${session.url}api/captures/${bert.id}/predictions?top=50`)).json();
  assert.equal(answer.predicts, "masked");
  assert.match(await page.textContent("#prediction-title"), /mask/);
  assert.deepEqual((await rows(page)).map(({ percent: text }) => text), answer.positions[0].top.slice(0, 8).map(({ probability }) => percent(probability)));
  assert.equal(await page.locator("[data-continue]").count(), 0);
}

// Links of other models, heads that are not there, answers that do not come.
async function refused({ session, minilm, induction }) {
  const { page, url } = session;
  await open(session, `view=text&c=${minilm.id}&off=L9H9!L0H1`);
  await shown(page, () => document.querySelectorAll(".off-chip").length === 1);
  await open(session, `view=text&c=${induction.id}&off=nonsense`);
  assert.match(await page.textContent("main .notice"), /Not understood in the address: off=nonsense/);
  await page.route("**/predictions?*off=*", (route) => route.abort());
  await open(session, `view=text&c=${induction.id}&off=L0H1`);
  await page.waitForSelector(".predictions .notice.error");
  await page.unroute("**/predictions?*off=*");
  session.problems.splice(0); // the browser's own word on the request that was cut
  // A second switch while the first is computed: the last one counts.
  await open(session, `view=grid&c=${minilm.id}`);
  for (let head = 0; head < 6; ++head) await page.click(`[data-off='0.${head}']`);
  await settled(page);
  assert.equal(await page.locator(".off-chip").count(), 6);
  const last = await (await page.request.get(`${url}api/captures/${minilm.id}/predictions?off=L0H0,L0H1,L0H2,L0H3,L0H4,L0H5`)).json();
  sameDigits(/(\d\.\d{4})/.exec(await page.textContent(".change-bar .moved"))[1], last.cosine, "the last switch counts");
}

async function inAFile({ binary, context }) {
  const file = join(scratch(), "page.html");
  fovea(binary, "view", "--model", "induction", words, "-o", file);
  assert.ok(readFileSync(file).length > 1000);
  const url = `file://${file}`;
  const { page, problems } = await newPage(context, url);
  await page.goto(`${url}#view=grid&off=L0H3&passed=1`);
  await page.waitForSelector(".view-grid .tile");
  await shown(page, () => /No model can be run here: fovea serve can/.test(document.querySelector("main .notice")?.textContent));
  assert.equal(await page.locator(".change-bar, .head-toggle, .head-switch, .predictions").count(), 0);
  await page.keyboard.press("x");
  await page.keyboard.press("v");
  await settled(page);
  assert.equal(await page.locator(".change-bar, .lens-note").count(), 0);
  assert.deepEqual(problems, []);
  await page.close();
}

async function looks({ context, url, induction, minilm }) {
  for (const dark of [false, true]) {
    const session = await newPage(context, url, { dark });
    for (const view of ["text", "grid", "heads", "masks"]) {
      await open(session, `view=${view}&c=${induction.id}&off=L0H3&passed=1&temp=0.5${view === "masks" ? "&mask=causal&maskat=L1H*" : ""}`);
      assert.deepEqual(await seriousIssues(session.page), [], `${view}, ${dark ? "dark" : "light"}`);
    }
    await session.page.close();
  }
  const narrow = await newPage(context, url, { width: 390 });
  for (const view of views) {
    await open(narrow, `view=${view}&c=${minilm.id}&off=L0H3!L1H2!L2H2!L3H0!L3H11!L5H5&passed=1`);
    const width = await narrow.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${view} is ${width} pixels wide`);
  }
  await narrow.page.click("button.language");
  await open(narrow, `view=text&c=${induction.id}&off=L0H3&maskat=L0H1&mask=window(1)&temp=0.5`);
  const left = await narrow.page.evaluate(() => document.querySelector("main").innerText.match(/\b(Switched|before|after|Continue|Temperature|drawn|Mask)\b/g));
  assert.equal(left, null, `English is left: ${left}`);
  await narrow.page.click("button.language");
  assert.deepEqual(narrow.problems, []);
  await narrow.page.close();
}

export async function whatif(world) {
  const { binary, context, root } = world;
  const server = await serve(binary, "--model", join(root, "tests/data/models/bert"));
  const { url } = server;
  const session = await newPage(context, url);
  const here = {
    binary, context, url, session,
    minilm: await post(url, { model: "minilm", text: sentence }),
    other: await post(url, { model: "minilm", text: otherSentence }),
    bert: await post(url, { model: "bert", text: "the [MASK] sat" }),
    induction: await post(url, { model: "induction", text: words }),
    plain: libraryWeights(binary, "minilm", sentence),
  };
  await test("What if: the next token, and the one after any other", () => bars(here));
  await test("What if: heads switched off by mouse and keys, before and after, Back and Forward", () => switched(here));
  await test("What if: the prediction comes first", () => predictionFirst(here));
  await test("What if: every view has the changed run", () => everyView(here));
  await test("What if: a mask goes through all that follows", () => maskThrough(here));
  await test("What if: weights or what is passed on, in every view", () => passedOn(here));
  await test("What if: a text goes on token by token", () => goesOn(here));
  await test("What if: vectors of texts, alike and moved", () => vectors(here));
  await test("What if: masked tokens are filled", () => masked(here));
  await test("What if: what is not there, does not come, or came too late", () => refused(here));
  await test("What if: in a file nothing can be changed, and that is told", () => inAFile(here));
  await test("What if: accessible, narrow, Chinese", () => looks(here));
  await test("What if: no error on the console", () => assert.deepEqual(session.problems, []));
  await session.page.close();
  await test("What if: its server ends cleanly", async () => assert.equal(await server.stop(), 0));
}
