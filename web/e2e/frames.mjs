// What a notebook shows, inside of what notebooks are: JupyterLab's page, VS Code's webview with its policy, Colab's frame of another
// origin, a frame that may run scripts and nothing else.
//   node e2e/frames.mjs FOLDER       FOLDER/frames.json: [{"name", "around", "output" (HTML), "expects"}]; pictures go there, too
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
const rightsOf = {
  code: "allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-downloads",
  colab: "allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-same-origin allow-scripts",
  bare: "allow-scripts",
};

const page = (head, body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">${head}</head><body>${body}</body></html>`;

// As notebooks put an output into their page: by innerHTML.
const cell = (output) => `<div id="cell"></div><script>document.getElementById("cell").innerHTML = ${JSON.stringify(output).replace(/</g, "\\u003c")};</script>`;

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

async function showsTheRun(frame, { served = false } = {}) {
  await frame.waitForSelector(".chip");
  assert.deepEqual(await frame.$$eval(".views button", (all) => all.map((one) => one.dataset.view)), views, "no view that has nothing to show");
  if (!served) assert.equal(await frame.evaluate(() => { try { return String(localStorage.length); } catch (error) { return error.name; } }), "SecurityError");
  for (const view of views) {
    await frame.click(`.views button[data-view=${view}]`);
    await frame.waitForSelector(`.view-${view}`);
    await frame.waitForFunction(() => !document.querySelector("main .notice")?.textContent.includes("Loading"));
    assert.equal(await frame.locator("main [role=alert]").count(), 0, `${view}: ${await frame.textContent("main")}`);
  }
  await frame.click(".views button[data-view=text]");
  await frame.hover(".chip >> nth=4");
  await frame.waitForFunction(() => / 4 → .*: 0\.\d{4}/.test(document.querySelector(".readout").textContent));
  await frame.press("main", "0"); // Learn's key where there are lessons
  await frame.press("main", "s");
  await frame.waitForSelector(".view-text");
  await frame.click("button.language"); // is not remembered, and works
  await frame.waitForFunction(() => document.querySelector("h1").textContent === "文本");
  await frame.click("button.language");
  await frame.waitForFunction(() => document.querySelector("h1").textContent === "Text" && !/[\u4e00-\u9fff]/.test(document.querySelector("main").textContent));
}

const expectations = {
  run: (frame) => showsTheRun(frame),
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
  tab.on("request", (request) => !/^(http:\/\/(127\.0\.0\.1|localhost):|data:|blob:|about:)/.test(request.url()) && problems.push(request.url()));
  await tab.addInitScript(() => {
    window.heard = []; // what the frame tells the page around it
    addEventListener("message", ({ data, source }) => source === document.querySelector("iframe")?.contentWindow && window.heard.push(data));
  });
  await tab.goto(notebook.url(frame.name));
  const shown = await innermost(tab);
  await expectations[frame.expects](shown, tab);
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
