import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { followAddress, record } from "../src/core/history";

mock.timers.enable({ apis: ["setTimeout"] });

// A browser's address: what a person or Back does is told one task later.
let onHash = () => undefined as void;
const entries: string[] = [];
const browser = {
  location: { hash: "" },
  history: {
    pushState: (_: unknown, __: string, hash: string) => (entries.push(hash), (browser.location.hash = hash)),
    replaceState: (_: unknown, __: string, hash: string) => (entries.splice(-1, 1, hash), (browser.location.hash = hash)),
  },
  addEventListener: (name: string, run: () => void) => name === "hashchange" && (onHash = run),
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });

let state = "";
const read: string[] = [];
followAddress((hash) => (read.push(hash), (state = hash)));

function becomes(next: string, quietly: boolean): void {
  const before = state;
  state = next;
  record(() => before, () => state, quietly);
}

function arrive(hash: string): void {
  browser.location.hash = hash;
  onHash();
}

beforeEach(async () => {
  mock.timers.tick(1000);
  await Promise.resolve();
  arrive("#start");
  entries.splice(0, Infinity, "#start");
  read.length = 0;
});

test("what a person does is a step, what goes on by itself is none", async () => {
  becomes("view=grid", false);
  mock.timers.tick(1);
  assert.deepEqual(entries, ["#start", "#view=grid"]);
  await Promise.resolve();
  becomes("view=grid&layer=1", true);
  mock.timers.tick(149);
  assert.equal(browser.location.hash, "#view=grid");
  mock.timers.tick(1);
  assert.deepEqual(entries, ["#start", "#view=grid&layer=1"]);
});

test("a write that waits does not undo a link or Back that came before it", () => {
  becomes("start&layer=1", true);
  browser.location.hash = "#view=lines"; // not told yet, when
  mock.timers.tick(150); // the write is due
  assert.equal(browser.location.hash, "#view=lines");
  onHash();
  assert.deepEqual(read, ["view=lines"]);
  assert.equal(state, "view=lines");
});

test("nor does a step", () => {
  becomes("start&layer=2", false);
  browser.location.hash = "#view=flow";
  mock.timers.tick(1);
  onHash();
  assert.deepEqual([browser.location.hash, state], ["#view=flow", "view=flow"]);
});

test("afterwards the address follows again, also where the browser spells it otherwise", async () => {
  browser.location.hash = "#text=a%20b";
  onHash();
  await Promise.resolve();
  becomes("text=a b&layer=3", true);
  mock.timers.tick(150);
  assert.equal(browser.location.hash, "#text=a b&layer=3");
});
