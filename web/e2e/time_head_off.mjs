// From the click on a head to its prediction on the screen, by the browser's clock: stories15m, 126 tokens.
//   chrt -f 10 npm run time-head-off -- --fovea BINARY [--heads 18]
// Prints median, largest and all times of Grid, Heads and Text, and what of them the server took. At real-time priority
// what else runs on the machine hardly counts.
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { newPage, open, openBrowser, post, serve, settled } from "./harness.mjs";

const { values: options } = parseArgs({ options: { fovea: { type: "string" }, heads: { type: "string", default: "18" } } });
if (!options.fovea) {
  console.error("usage: npm run time-head-off -- --fovea BINARY [--heads 18]");
  process.exit(2);
}
const story =
  "Once upon a time there was a little fox who lived in the deep green forest. The fox liked to run and jump over the " +
  "lazy dog near the river. One day the fox found a shiny red ball under a tree and wanted to play with it all day long. " +
  "The dog saw the ball and wanted it, too. They played until the sun went down, and then they went home to sleep. In the " +
  "morning the ball was gone. The fox looked behind the tree and under the big grey stone. It was not there. The fox was very sad and sat down by the";

// In the page: the head's button, or its key where it has none; until the bar names this head, the prediction is that
// of the changed run, and the frame with both is done.
function switchOff([layer, head]) {
  const place = `L${layer}H${head}`;
  const there = () => document.querySelector(".off-chip")?.textContent.startsWith(place) && document.querySelector(".predictions:not(.busy) .prediction .was");
  return new Promise((done) => {
    let begin = 0;
    const observer = new MutationObserver(() => {
      if (!there()) return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel(); // a task after the frame
        port1.onmessage = () => {
          const all = performance.now() - begin;
          const asked = performance.getEntriesByType("resource").findLast(({ name }) => /predictions\?.*off=/.test(name));
          done({ all, sent: asked.requestStart - begin, server: asked.responseStart - asked.requestStart });
        };
        port2.postMessage(null);
      });
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    const button = document.querySelector(`[data-off='${layer}.${head}']`);
    begin = performance.now();
    if (button) button.click();
    else dispatchEvent(new KeyboardEvent("keydown", { key: "x" }));
  });
}

const context = await openBrowser();
const server = await serve(options.fovea, "--model", "stories15m");
const session = await newPage(context, server.url);
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
for (const view of ["grid", "heads", "text"]) {
  const run = await post(server.url, { model: "stories15m", text: story }); // of which the server has no changed run yet
  const { keys: tokens, layers, heads } = run.kinds[0];
  assert.ok(tokens >= 120 && tokens <= 128, `${tokens} tokens`);
  const times = [];
  for (let i = 0; i < Number(options.heads); ++i) {
    const place = [i % layers, (5 * i + Math.floor(i / layers)) % heads];
    await open(session, `view=${view}&c=${run.id}&layer=${place[0]}&head=${place[1]}`);
    await session.page.waitForSelector(".predictions:not(.busy) .prediction li");
    times.push(await session.page.evaluate(switchOff, place));
    await settled(session.page);
  }
  const column = (name) => times.map((one) => Math.round(10 * one[name]) / 10);
  console.log(`${view}, ${tokens} tokens: median ${middle(column("all"))} ms, largest ${Math.max(...column("all"))} ms (server ${middle(column("server"))}, largest ${Math.max(...column("server"))}; sent after ${middle(column("sent"))})`);
  console.log(`  ${column("all").join(" ")}`);
}
assert.deepEqual(session.problems, []);
await context.close();
await server.stop();
