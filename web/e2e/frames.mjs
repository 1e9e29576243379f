// What a notebook shows, inside of what notebooks are: JupyterLab's page, VS Code's webview with its policy, Colab's frame of another
// origin, a frame that may run scripts and nothing else, the same under a policy that allows what is inline and nothing else. And a
// served run at its own address.
//   node e2e/frames.mjs FOLDER       FOLDER/frames.json: [{"name", "around", "output" (HTML; around "none": an address), "expects",
//                                    "row" (what is expected of row 4 of L1 H2)}]; pictures go there, too
// Exit code 77: skipped, because there is no Chromium that starts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { openBrowser, results, test } from "./harness.mjs";

const own = "'self' https://*.vscode-cdn.net";
// As VS Code's notebook webview sets it (backLayerWebView.ts).
const policyOfCode = `default-src 'none'; script-src ${own} 'unsafe-inline' 'unsafe-eval'; style-src ${own} 'unsafe-inline';
 img-src ${own} https: http: data:; font-src ${own} https:; connect-src https:; child-src https: data:;`;
// The strictest that a page with its own script can live under: nothing from anywhere.
const strictPolicy = "default-src 'none'; script-src 'unsafe-inline' data: blob:; style-src 'unsafe-inline'; img-src data: blob:; frame-src data: blob:;";
const rightsOf = {
  code: "allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-downloads",
  colab: "allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts",
  bare: "allow-scripts",
};

const page = (head, body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

// As notebooks put an output into their page: by innerHTML.
const cell = (output) => `<div id="cell"></div><script>document.getElementById("cell").innerHTML = ${JSON.stringify(output).replace(/</g, "\\u003c")};</script>`;

// A whole page in a frame without an origin: as its text, or as a blob.
const strictly = (html, way) => `<iframe sandbox="allow-scripts" style="width:1250px;height:760px"></iframe><script>
const html = ${JSON.stringify(html).replace(/</g, "\\u003c")}, frame = document.querySelector("iframe");
${way === "strict" ? "frame.srcdoc = html" : 'frame.src = URL.createObjectURL(new Blob([html], { type: "text/html" }))'};</script>`;

const listen = (answer) => new Promise((resolve) => {
  const server = createServer((request, response) => {
    const found = answer(new URL(request.url, "http://notebook").pathname.slice(1));
    response.writeHead(found ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
    response.end(found ?? "");
  });
  server.listen(0, "127.0.0.1", () => resolve({ server, port: server.address().port }));
});

// One server under two names: the notebook, and the frame that it puts outputs into.
async function notebooks(frames) {
  const { server, port } = await listen((path) => {
    const [what, name] = path.split("/");
    const frame = frames.find((each) => each.name === name);
    if (!frame) return null;
    const head = frame.around === "code" ? `<meta http-equiv="Content-Security-Policy" content="${policyOfCode}">` : "";
    if (frame.around.startsWith("strict")) return page(`<meta http-equiv="Content-Security-Policy" content="${strictPolicy}">`, strictly(frame.output, frame.around));
    if (what === "output" || frame.around === "jupyter") return page(head, cell(frame.output));
    return page("", `<iframe sandbox="${rightsOf[frame.around]}" src="http://localhost:${port}/output/${name}" style="width:1250px;height:760px"></iframe>`);
  });
  return { url: (name) => `http://127.0.0.1:${port}/notebook/${name}`, stop: () => server.close() };
}

// The innermost frame: what fovea made.
async function innermost(tab) {
  await tab.waitForFunction(() => document.querySelector("iframe"));
  let frame = tab.mainFrame();
  for (let deeper = frame; deeper; deeper = frame.childFrames()[0]) {
    frame = deeper;
    await frame.waitForLoadState("load");
    await frame.waitForSelector("iframe, #app, #word", { state: "attached" });
    if (await frame.$("iframe")) await frame.waitForFunction(() => window.frames.length > 0);
  }
  return frame;
}

const views = ["text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow"];

const storage = (frame, name) => frame.evaluate((which) => { try { return String(window[which].length); } catch (error) { return error.name; } }, name);

async function showsTheRun(frame, { served = false, more = [] } = {}) {
  await frame.waitForSelector(".chip");
  const offered = [...views, ...more];
  assert.deepEqual(await frame.$$eval(".views button", (all) => all.map((one) => one.dataset.view)), offered, "no view that has nothing to show");
  if (!served) for (const name of ["localStorage", "sessionStorage"]) assert.equal(await storage(frame, name), "SecurityError");
  for (const view of offered) {
    await frame.click(`.views button[data-view=${view}]`);
    await frame.waitForSelector(`.view-${view}`);
    await frame.waitForFunction(() => !document.querySelector("main .notice")?.textContent.includes("Loading"));
    assert.equal(await frame.locator("main [role=alert]").count(), 0, `${view}: ${await frame.textContent("main")}`);
  }
  await frame.click(".views button[data-view=text]");
  await frame.hover(".chip >> nth=4");
  await frame.waitForFunction(() => / 4 → .*: 0\.\d{4}/.test(document.querySelector(".readout").textContent));
  await frame.press("main", "0"); // Learn's key where there are lessons
  if (!more.includes("study")) await frame.press("main", "s");
  await frame.waitForSelector(".view-text");
  await frame.click("button.language"); // is not remembered, and works
  await frame.waitForFunction(() => document.querySelector("h1").textContent === "文本");
  await frame.click("button.language");
  await frame.waitForFunction(() => document.querySelector("h1").textContent === "Text" && !/[\u4e00-\u9fff]/.test(document.querySelector("main").textContent));
}

// Another head is chosen, and its numbers are shown.
async function choosesAHead(frame, row) {
  await frame.click(".views button[data-view=grid]");
  await frame.click(".tile[data-head='1.2']");
  await frame.waitForSelector(".tile[data-head='1.2'][aria-pressed=true]");
  await frame.click(".views button[data-view=text]");
  await frame.hover(".chip >> nth=4");
  await frame.waitForFunction((largest) => { // a file stores float16
    const shown = / 4 → .*: (0\.\d{4})/.exec(document.querySelector(".readout").textContent);
    return shown && Math.abs(Number(shown[1]) - largest) < 2 ** -12 + 6e-5;
  }, Math.max(...row));
}

const expectations = {
  run: (frame) => showsTheRun(frame),
  // As a file; nothing at all is asked for once the page around it is there.
  file: async (frame, tab, { row }, requests) => {
    assert.equal(await frame.evaluate(() => origin), "null");
    await showsTheRun(frame);
    await choosesAHead(frame, row);
    assert.equal(requests.length, 1, requests.join(", "));
  },
  // At its own address, and by links to what is not there.
  address: async (frame, tab, { output, row }) => {
    await showsTheRun(frame, { served: true });
    await choosesAHead(frame, row);
    for (const view of ["learn", "study"]) {
      await tab.goto("about:blank");
      await tab.goto(`${output}#view=${view}`);
      await tab.waitForSelector(".chip");
      assert.equal(await tab.locator(`.view-${view}`).count(), 0);
    }
  },
  address_with_study: async (frame, tab, { output }) => {
    await showsTheRun(frame, { served: true, more: ["study"] });
    await tab.goto("about:blank");
    await tab.goto(`${output}#view=study&layer=1&head=2`);
    await tab.waitForSelector(".study-card[data-head='1.2'] .study-mostly");
    assert.match(await tab.textContent(".study-card h2"), /L1 H2 over 3 texts/);
    await tab.click(".study-tiles button[data-head='0.1']");
    await tab.waitForSelector(".study-card[data-head='0.1'] .study-histogram");
  },
  // The model is there: what it predicts is asked of the server, with a head and without it.
  served: async (frame) => {
    await frame.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//);
    await showsTheRun(frame, { served: true });
    await frame.waitForSelector(".predictions li, .predictions tr");
    const before = await frame.textContent(".predictions");
    await frame.press("main", "x");
    await frame.waitForFunction((text) => document.querySelector(".predictions").textContent !== text, before);
    assert.equal(await frame.locator("main [role=alert]").count(), 0, await frame.textContent("main"));
  },
  // Nothing of the model is offered.
  served_without_model: async (frame) => {
    await frame.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\//);
    await showsTheRun(frame, { served: true });
    assert.equal(await frame.locator(".run, .predictions").count(), 0);
  },
  gone: async (frame) => {
    await frame.waitForFunction(() => /Python process .* does not answer/.test(document.getElementById("word").textContent));
  },
  // The page tells the notebook what is selected, and follows it; from anybody else it takes nothing.
  selection: async (frame, tab) => {
    await frame.waitForSelector(".chip");
    const send = (message) => tab.evaluate((data) => document.querySelector("iframe").contentWindow.postMessage(data, "*"), message);
    const last = (layer, head) => tab.waitForFunction(([l, h]) => {
      const { selection } = window.heard.at(-1) ?? {};
      return selection?.layer === l && selection.head === h;
    }, [layer, head]);
    await send({ fovea: "select", selection: { layer: 1, head: 1, view: "matrix", tokens: [2] } });
    await frame.waitForSelector(".view-matrix");
    await last(1, 1);
    await send({ fovea: "select", selection: { layer: "x", head: -3, view: "pie" } });
    await send({ fovea: "other", selection: { layer: 0 } });
    await frame.evaluate(() => postMessage({ fovea: "select", selection: { head: 0 } }, "*")); // from itself, not from the notebook
    await send({ fovea: "select", selection: { head: "mean" } });
    await last(1, "mean");
    const told = await tab.evaluate(() => window.heard);
    assert.ok(told.every(({ fovea }) => fovea === "selection"));
    assert.deepEqual(told[0], { fovea: "selection", ready: true }, "who asks before that is not heard");
    assert.equal(told.filter(({ ready }) => ready).length, 1);
    assert.deepEqual(told.at(-1).selection.tokens, [2]);
    const later = told.slice(told.findIndex(({ selection }) => selection?.head === 1 && selection.layer === 1));
    assert.ok(later.every(({ selection }) => selection.layer === 1 && selection.head !== 0), JSON.stringify(later));
  },
};

async function looksAt(context, notebook, frame, folder) {
  const tab = await context.newPage();
  const problems = [];
  tab.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  tab.on("pageerror", (error) => problems.push(String(error)));
  const requests = []; // over a network
  tab.on("request", (request) => !/^(data:|blob:|about:)/.test(request.url()) && requests.push(request.url()));
  tab.on("response", (response) => response.status() >= 400 && problems.push(`${response.status()} ${response.url()}`));
  tab.on("request", (request) => !/^(http:\/\/(127\.0\.0\.1|localhost):|data:|blob:|about:)/.test(request.url()) && problems.push(request.url()));
  await tab.addInitScript(() => {
    window.heard = []; // what the frame tells the page around it
    addEventListener("message", ({ data, source }) => source === document.querySelector("iframe")?.contentWindow && window.heard.push(data));
  });
  await tab.goto(frame.around === "none" ? frame.output : notebook.url(frame.name));
  const shown = frame.around === "none" ? tab.mainFrame() : await innermost(tab);
  if (frame.around === "none") await tab.click(".tour .skip"); // a page of its own offers the tour
  await expectations[frame.expects](shown, tab, frame, requests);
  await tab.screenshot({ path: join(folder, `${frame.name}.png`) });
  if (frame.expects !== "gone") assert.deepEqual(problems, []); // there the refused connection is an error on the console
  await tab.close();
}

async function main() {
  const folder = process.argv[2];
  const frames = JSON.parse(readFileSync(join(folder, "frames.json"), "utf8"));
  const context = await openBrowser({ newcomer: true }).catch((error) => {
    console.error(`needs a Chromium that starts: ${error.message.split("\n")[0]}`);
    process.exit(77);
  });
  context.setDefaultTimeout(30_000);
  const notebook = await notebooks(frames);
  for (const frame of frames) await test(frame.name, () => looksAt(context, notebook, frame, folder));
  await context.close();
  notebook.stop();
  process.exitCode = results() ? 1 : 0;
}

await main();
