// End-to-end tests in headless Chromium:
//   npm run e2e -- --fovea BINARY [--screenshots DIR] [--only NAME,NAME] [--slow 6]
// --slow N: as on a machine that is N times slower, with answers that come late: finds tests that do not wait.
// Exit code 77: skipped, because MiniLM or a Chromium that starts is not at hand.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { cleanAndTeach } from "./clean_and_teach.mjs";
import { everywhere, views } from "./everywhere.mjs";
import { exports_ } from "./exports.mjs";
import { firstScreen } from "./first_screen.mjs";
import { film } from "./film.mjs";
import { fovea, libraryWeights, newPage, open, openBrowser, post, results, scratch, serve, settled, slowDown, test } from "./harness.mjs";
import { journeys } from "./journeys.mjs";
import { learn } from "./learn.mjs";
import { readingViews } from "./reading_views.mjs";
import { singleFile } from "./single_file.mjs";
import { speed } from "./speed.mjs";
import { study } from "./study.mjs";
import { thinkingViews } from "./thinking_views.mjs";
import { truths } from "./truths.mjs";
import { whatif } from "./whatif.mjs";

const { values: options } = parseArgs({
  options: { fovea: { type: "string" }, screenshots: { type: "string" }, only: { type: "string" }, slow: { type: "string", default: "1" } },
});
slowDown(Number(options.slow));
if (!options.fovea) {
  console.error("usage: npm run e2e -- --fovea BINARY [--screenshots DIR] [--only reading,thinking,exports,everywhere,first,journeys,truths,file,film,study,learn,clean,whatif,speed]");
  process.exit(2);
}
const chosen = options.only?.split(",");
const binary = resolve(options.fovea);
const screenshots = options.screenshots && resolve(options.screenshots);
const models = JSON.parse(fovea(binary, "model", "list", "--json"));
if (!models.find(({ name }) => name === "minilm")?.there) {
  console.error('needs the model minilm: make run ARGS="model get minilm"');
  process.exit(77);
}

const text = "The quick brown fox jumps over the lazy dog because it was late.";
const otherText = "The quick brown dog jumps over the lazy fox because it was late.";

// Every matrix of every example, computed by the page's own code, against the library's account.
async function examplesAgree({ session }) {
  const out = join(scratch(), "step_numbers.mjs");
  const here = dirname(fileURLToPath(import.meta.url));
  await build({ entryPoints: [join(here, "../src/core/step_numbers.ts")], bundle: true, format: "esm", outfile: out, logLevel: "error" });
  const { inputsOf, toyNumbers } = await import(pathToFileURL(out).href);
  const { examples } = await (await session.page.request.get(`${session.url}api/examples`)).json();
  assert.ok(examples.length >= 12);
  const names = { scores: "scores", scaled: "scaledScores", weights: "weights", head: "headOutput" };
  for (const account of examples) {
    for (let head = 0; head < account.heads; ++head) {
      const numbers = toyNumbers(inputsOf(account), head);
      const last = numbers.output ?? numbers.concat ?? numbers.headOutput;
      for (const step of account.steps) {
        if ((step.head ?? -1) >= 0 && step.head !== head) continue;
        const got = step.name === "output" ? last : names[step.name] && numbers[names[step.name]];
        if (!got) continue;
        const flat = step.matrix.flat();
        assert.equal(got.data.length, flat.length, `${account.id} ${step.name}`);
        flat.forEach((value, i) => assert.ok(Math.abs(got.data[i] - value) <= 1e-12 * Math.max(1, Math.abs(value)), `${account.id} ${step.name} ${i}`));
      }
    }
  }
}

async function takeScreenshots({ context, url }) {
  const extra = {
    text: "tokens=4&layer=1&head=4", matrix: "tokens=4&key=9&layer=3&head=11", lines: "layer=1&head=4", steps: "layer=3&head=5&step=1&tokens=4",
    masks: "mask=causal%20%26%20window(3%2C%200)&layer=3&head=11", heads: "layer=1&head=8", compare: "layer=1&head=4&layer2=1&head2=8", flow: "tokens=4&layer=5",
  };
  const take = async (session, view, name) => {
    await open(session, `view=${view}&${extra[view] ?? ""}`);
    await settled(session.page);
    await session.page.screenshot({ path: join(screenshots, `${name}.png`) });
  };
  const wide = { width: 1440, height: 860 };
  const light = { ...(await newPage(context, url, wide)), capture: "c1" };
  for (const view of views) await take(light, view, view);
  await open(light, "layer=0&head=0");
  await light.page.screenshot({ path: join(screenshots, "text-start.png") });
  await light.page.close();
  const dark = { ...(await newPage(context, url, { ...wide, dark: true })), capture: "c1" };
  await take(dark, "matrix", "matrix-dark");
  await dark.page.click("button.language");
  await take(dark, "text", "text-dark-zh");
  await dark.page.click("button.language");
  await dark.page.close();
}

// A second server, for the groups that run texts and forget them: MiniLM, and a small causal model of 40 tokens.
function secondServer(folder) {
  let server = null;
  const start = async () => {
    server = await serve(binary, "--model", folder);
    const { url } = server;
    const run = (body) => post(url, { model: "minilm", ...body });
    return {
      url,
      first: await run({ text }),
      other: await run({ text: otherText }),
      linked: await run({ text: "A link carries its text." }),
      gpt2: await post(url, { model: "gpt2", text: "Hi 😀 fox, the dog ran" }),
      run,
    };
  };
  let started = null;
  return { second: () => (started ??= start()), stopSecond: async () => (server ? server.stop() : 0) };
}

async function main() {
  const context = await openBrowser().catch((error) => {
    console.error(`needs a Chromium that starts: scripts/setup ci, or CHROMIUM=PATH make test (${error.message.split("\n")[0]})`);
    process.exit(77);
  });
  const server = await serve(binary, "--model", "minilm", text);
  const { url } = server;
  const session = { ...(await newPage(context, url)), capture: "c1" };
  const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
  const gpt2 = join(root, "tests/data/models/gpt2");
  const world = {
    binary, context, url, session, text, screenshots, root, figures: {},
    library: libraryWeights(binary, "minilm", text),
    otherLibrary: libraryWeights(binary, "minilm", otherText),
    other: await post(url, { model: "minilm", text: otherText }),
    pair: await post(url, { model: "minilm", text: "The cat sat on the mat.", text2: "It was very tired." }),
    gpt2: existsSync(gpt2) ? gpt2 : null,
  };
  if (screenshots) mkdirSync(screenshots, { recursive: true });
  const { second, stopSecond } = secondServer(gpt2);
  world.second = second;
  const groups = {
    reading: readingViews, thinking: thinkingViews, exports: exports_, everywhere, first: firstScreen, journeys, truths,
    file: singleFile, film, study, learn, clean: cleanAndTeach, whatif, speed,
  };
  await test("Examples: the page computes every account as the library does", () => examplesAgree(world));
  for (const [name, run] of Object.entries(groups)) if (!chosen || chosen.includes(name)) await run(world);
  await test("No error on the console, no foreign request", () => assert.deepEqual(session.problems, []));
  if (screenshots) await test("Screenshots", () => takeScreenshots(world));
  await context.close();
  await test("The servers end cleanly", async () => assert.deepEqual([await server.stop(), await stopSecond()], [0, 0]));
  console.log(JSON.stringify(world.figures, null, 1));
  process.exitCode = results() ? 1 : 0;
}

await main();
