// What every end-to-end test needs: a server, a browser, the library's numbers, and ways to read the page.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const flags = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

const patience = 90_000; // ms until something counts as missing: a machine that also compiles takes its time

export function scratch() {
  return mkdtempSync(join(tmpdir(), "fovea-e2e-"));
}

export function findChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  return execFileSync("which", ["chromium"], { encoding: "utf8" }).trim();
}

// Requests under way, by page. Playwright's own "networkidle" is over once for all when a document has been loaded: it
// says nothing of what a click asks for.
const underWay = new WeakMap(); // page → {requests, count}
const trafficOf = (page) => underWay.get(page) ?? underWay.set(page, { requests: new Set(), count: 0 }).get(page);

function pageOf(request) {
  try {
    return request.frame().page();
  } catch {
    return null; // of a frame that is not there yet, or of no page
  }
}

function began(request) {
  const page = pageOf(request);
  if (!page) return;
  const traffic = trafficOf(page);
  if (request.isNavigationRequest() && request.frame() === page.mainFrame()) traffic.requests.clear(); // those of the document before
  traffic.requests.add(request);
  ++traffic.count;
}

function ended(request) {
  const page = pageOf(request);
  if (page) trafficOf(page).requests.delete(request);
}

// Somebody who has seen the tour, unless `options.newcomer`; the rest of the options is Playwright's.
export async function openBrowser({ newcomer = false, ...options } = {}) {
  const context = await chromium.launchPersistentContext(scratch(), {
    executablePath: findChromium(), args: flags, viewport: { width: 1280, height: 800 }, locale: "en-US", acceptDownloads: true, ...options,
  });
  context.setDefaultTimeout(patience);
  context.on("request", began).on("requestfinished", ended).on("requestfailed", ended);
  if (!newcomer) await context.addInitScript(() => location.protocol !== "about:" && localStorage.setItem("fovea.tour", "seen"));
  return context;
}

export function fovea(binary, ...args) {
  return execFileSync(binary, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
}

// Resolves with {url, stop}.
export function serve(binary, ...args) {
  const child = spawn(binary, ["serve", "--no-browser", "--port", "0", "--json", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let out = "";
    let errors = "";
    const ended = new Promise((end) => child.on("exit", (code) => end(code)));
    child.stderr.on("data", (data) => (errors += data));
    child.on("exit", (code) => reject(new Error(`fovea serve ended with ${code}: ${errors}`)));
    child.stdout.on("data", (data) => {
      out += data;
      const line = out.indexOf("\n");
      if (line < 0) return;
      const { url } = JSON.parse(out.slice(0, line));
      resolve({ url, stop: () => (child.kill("SIGTERM"), ended) });
    });
  });
}

// Every head's weights of a text, [layer][head][query][key], as `fovea attend` writes them.
export function libraryWeights(binary, model, ...texts) {
  const file = join(scratch(), "weights.json");
  fovea(binary, "attend", "--model", model, ...texts, "-o", file);
  const { attentions, tokens } = JSON.parse(readFileSync(file, "utf8"));
  return { weights: attentions.map((layer) => layer[0]), tokens: tokens[0] };
}

let slowness = 1; // what a slow machine shows: the page's processor divided by this, answers that come late
export const slowDown = (factor) => (slowness = factor);

async function slowed(page) {
  const debugger_ = await page.context().newCDPSession(page);
  await debugger_.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  await page.route("**/api/**", async (route) => {
    await new Promise((done) => setTimeout(done, 40 * slowness * Math.random()));
    await route.continue().catch(() => undefined); // the page is gone
  });
}

// A page that remembers what must not happen: errors, and requests to anywhere else.
export async function newPage(context, url, options = {}) {
  const page = await context.newPage();
  if (slowness > 1) await slowed(page);
  const problems = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error.stack)));
  page.on("request", (request) => {
    const known = request.url().startsWith(url) || /^(data|blob|about):/.test(request.url());
    if (!known) problems.push(`request to ${request.url()}`);
  });
  if (options.width) await page.setViewportSize({ width: options.width, height: options.height ?? 740 });
  await page.emulateMedia({ colorScheme: options.dark ? "dark" : "light", reducedMotion: "reduce" });
  return { page, problems, url };
}

// The session's capture, unless the link names one.
export async function open(session, hash, ready = "main .view") {
  const capture = session.capture && !/(^|&)c=/.test(hash) ? `&c=${session.capture}` : "";
  await session.page.goto("about:blank");
  await session.page.goto(`${session.url}#${hash}${capture}`);
  await session.page.waitForSelector(ready);
  await settled(session.page);
}

// 120 ms and two frames in which nothing was asked for and nothing changed on the page: the answers are there, and drawn.
export async function settled(page) {
  await page.waitForLoadState("networkidle");
  const traffic = trafficOf(page);
  const limit = performance.now() + patience;
  for (;;) {
    const before = traffic.count;
    const still = await page.evaluate(async () => {
      let changes = 0;
      const observer = new MutationObserver(() => ++changes);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      await new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 120));
      observer.disconnect();
      return changes === 0;
    });
    if (still && traffic.requests.size === 0 && traffic.count === before) return;
    const open = [...traffic.requests].map((request) => request.url());
    if (performance.now() > limit) throw new Error(`the page does not come to rest: ${open.join(" ") || "it changes all the time"}`);
  }
}

// An assertion about what the page is on the way to: tried again in every frame, until it holds or has failed for so long.
export async function eventually(page, check) {
  const limit = performance.now() + patience;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > limit) throw error;
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  }
}

// Until the page shows it, looked at in every frame.
export const shown = (page, look, value) => page.waitForFunction(look, value);

export async function post(url, body) {
  const response = await fetch(`${url}api/captures`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.equal(response.status, 201);
  return response.json();
}

export const readout = (page) => page.textContent(".readout");

// "fox 4 → dog 9: 0.1234 (12.3 %), rank 2 of 12"
export function parseReadout(text) {
  const match = /^(.*) (\d+) ([→←]) (.*) (\d+): (\d+\.\d{4})(?: \([\d.]+ %\))?(?:, rank (\d+) of (\d+))?/.exec(text ?? "");
  assert.ok(match, `the readout says: ${text}`);
  return { from: Number(match[2]), arrow: match[3], to: Number(match[5]), value: match[6], rank: Number(match[7]), name: match[1] };
}

export function rankIn(row, index) {
  return 1 + row.filter((value) => value > row[index]).length;
}

// Numbers on the screen have so many digits: they must be the library's, rounded to them. Float32 weights that lie
// on an edge of rounding may go either way.
export function sameDigits(shown, value, what = "") {
  const digits = shown.split(".")[1]?.length ?? 0;
  const error = Math.abs(Number(shown) - value);
  assert.ok(error <= 0.5000001 * 10 ** -digits + 2e-7, `${what}: ${shown} on the screen, ${value} of the library`);
}

// Moves the pointer over a canvas, at shares of its width and height.
export async function hoverAt(page, selector, x, y) {
  const element = page.locator(selector).first();
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  await page.mouse.move(box.x + box.width * x, box.y + box.height * y);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

const tests = [];

export async function test(name, run) {
  const begin = performance.now();
  try {
    await run();
    tests.push({ name, ok: true });
    console.log(`ok   ${name} (${Math.round(performance.now() - begin)} ms)`);
  } catch (error) {
    tests.push({ name, ok: false });
    console.log(`FAIL ${name}\n${String(error?.stack ?? error).replace(/^/gm, "     ")}`);
  }
}

export function results() {
  const failed = tests.filter(({ ok }) => !ok);
  console.log(`${tests.length - failed.length} of ${tests.length} tests passed`);
  return failed.length;
}
