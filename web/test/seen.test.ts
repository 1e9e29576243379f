import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reading, Texts } from "../src/core/seen";

// What the chosen language asks of a browser.
const browser = {
  document: { documentElement: { lang: "" } },
  navigator: { language: "en-US" },
  matchMedia: () => ({ matches: false, addEventListener: () => undefined }),
  location: { search: "" },
};
for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value, configurable: true });
const { language, t } = await import("../src/core/language");
const { seenSentence } = await import("../src/core/seen");

const tokens = ["<s>", "girl", "named", "L", "ily", ".", "She", "loved"];
const sequence = { tokens, special: tokens.map((_, i) => i === 0), segments: [0, 0, 0, 0, 0, 0, 0, 1] };
const texts = {
  queries: tokens, keys: tokens, querySequence: sequence, keySequence: sequence, self: true,
  glued: [false, false, false, false, true, true, false, false],
} as unknown as Texts;

function seen(from: number, to: number): string {
  const reading: Reading = { tokens: [from], direction: "out", values: tokens.map((_, i) => (i === to ? 0.51 : 0.07)) };
  const [key, values] = seenSentence(reading, texts)!;
  return t(key, values);
}

test("a distance is told in words where there are only words", () => {
  assert.equal(seen(2, 1), "named puts 51 % of its attention on girl, the word before it.");
  assert.equal(seen(1, 3), "girl puts 51 % of its attention on L, 2 words ahead.");
});

test("and in tokens where parts of words or punctuation are counted", () => {
  assert.equal(seen(6, 2), "She puts 51 % of its attention on named, 4 tokens back.");
  assert.equal(seen(4, 3), "ily puts 51 % of its attention on L, the token before it.");
  assert.equal(seen(3, 4), "L puts 51 % of its attention on ily, the token after it.");
});

test("markers, other sentences, itself", () => {
  assert.equal(seen(2, 0), "named puts 51 % of its attention on <s>, a marker that is not a word of the text.");
  assert.equal(seen(7, 2), "loved puts 51 % of its attention on named, in the other sentence.");
  assert.equal(seen(2, 2), "named puts 51 % of its attention on itself.");
});

test("in Chinese", () => {
  language.value = "zh";
  assert.equal(seen(6, 2), "She 把 51% 的注意力放在往前第 4 个词元 named 上。");
  assert.equal(seen(2, 1), "named 把 51% 的注意力放在前一个词 girl 上。");
  language.value = "en";
});
