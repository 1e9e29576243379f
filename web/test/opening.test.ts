import assert from "node:assert/strict";
import { test } from "node:test";
import { ColourTable, darkDivergingTable, liftedTable, luminance } from "../src/core/colours";
import { clearestExample, clearestHead } from "../src/core/opening_choice";
import type { Candidate, Texts } from "../src/core/opening_choice";
import { samplesFor } from "../src/core/samples";
import type { HeadOverview, ModelInfo } from "../src/data/types";

const words = ["[CLS]", "the", "animal", "slept", "because", "it", "was", "tired", "."];
const facts = words.map((label) => ({ label, special: label === "[CLS]", glued: false, segment: 0 }));
const texts: Texts = { queries: facts, keys: facts, self: true, causal: false };

// Each row puts `weight` on the key that `at` names, and the rest evenly on the others.
function head(layer: number, role: string, weight: number, at: (i: number) => number): Candidate {
  const n = words.length;
  const data = new Float32Array(n * n).fill((1 - weight) / (n - 1));
  for (let i = 0; i < n; ++i) data[i * n + at(i)] = weight;
  return { layer, head: layer % 3, role, weights: { rows: n, columns: n, data } };
}

const sink = head(0, "sink_share", 0.99, () => 0);
const itself = head(1, "diagonal", 0.99, (i) => i);
const before = head(2, "previous_token", 0.9, (i) => Math.max(0, i - 1));
const reference = head(3, "focused", 0.6, (i) => (i === 5 ? 2 : 0));

test("a page opens on words, not on a sink, a marker or the word itself", () => {
  const chosen = clearestExample([sink, itself, before], texts)!;
  assert.equal(chosen.layer, 2);
  assert.equal(chosen.spot, 3, "slept looks at animal: two words with a meaning of their own");
  assert.equal(chosen.head, 2);
});

test("a pronoun that looks at what it stands for comes before stronger neighbours", () => {
  const chosen = clearestExample([sink, itself, before, reference], texts)!;
  assert.deepEqual([chosen.layer, chosen.spot], [3, 5]);
  const later = head(4, "focused", 0.6, (i) => (i === 5 ? 7 : 0)); // it looks ahead: no reference
  assert.equal(clearestExample([before, later], texts)!.layer, 2);
});

test("a previous-token head is shown by a row that looks one word back", () => {
  const odd = head(5, "previous_token", 0.9, (i) => (i === 3 ? 7 : Math.max(0, i - 1)));
  assert.notEqual(clearestExample([odd], texts)!.spot, 3);
});

test("the first words of a causal model, which see little, are not chosen", () => {
  const causal = { ...texts, causal: true };
  const early = head(6, "focused", 0.9, (i) => (i === 3 ? 2 : i));
  const late = head(7, "focused", 0.7, (i) => (i === 7 ? 6 : i));
  assert.equal(clearestExample([early, late], texts)!.layer, 6);
  late.weights.data.fill(0, 7 * 9, 8 * 9);
  late.weights.data[7 * 9 + 4] = 0.55;
  assert.equal(clearestExample([early, late], texts)!.layer, 6);
  assert.equal(clearestExample([early, late], causal)!.layer, 7);
});

test("a smaller weight between words comes before a larger one on itself, on punctuation, on part of a word or on “named”", () => {
  const word = head(8, "focused", 0.4, (i) => (i === 7 ? 2 : 0)); // tired → animal
  const own = head(9, "focused", 0.9, (i) => (i === 7 ? 7 : 0));
  const full_stop = head(9, "focused", 0.9, (i) => (i === 7 ? 8 : 0));
  assert.equal(clearestExample([own, word], texts)!.layer, 8);
  assert.equal(clearestExample([full_stop, word], texts)!.layer, 8);
  const slept = head(9, "focused", 0.5, (i) => (i === 7 ? 3 : 0)); // tired → slept
  assert.equal(clearestExample([slept, word], texts)!.layer, 9);
  const parts = facts.map((one, i) => ({ ...one, glued: i === 3 }));
  assert.equal(clearestExample([slept, word], { ...texts, keys: parts })!.layer, 8);
  const named = facts.map((one, i) => (i === 3 ? { ...one, label: "named" } : one));
  assert.equal(clearestExample([slept, word], { ...texts, keys: named })!.layer, 8);
});

test("a word that looks into the other sentence comes before one that looks as far within its own", () => {
  const pair = facts.map((one, i) => ({ ...one, segment: i < 4 ? 0 : 1 }));
  const within = head(10, "focused", 0.5, (i) => (i === 7 ? 4 : 0)); // tired → because
  const other = head(11, "focused", 0.45, (i) => (i === 7 ? 2 : 0)); // tired → animal
  assert.equal(clearestExample([within, other], texts)!.layer, 10);
  assert.equal(clearestExample([within, other], { ...texts, queries: pair, keys: pair })!.layer, 11);
});

test("only sinks: still something; nothing at all: nothing", () => {
  assert.equal(clearestExample([sink], texts)!.layer, 0);
  assert.equal(clearestExample([], texts), null);
});

test("of a long text the measures choose the head", () => {
  const name = { en: "", zh: "" };
  const measured = (id: string, measures: Record<string, number>): HeadOverview => ({ measures, role: { id, name, rule: name }, most_attended: 0 });
  const heads = [
    [measured("sink_share", { confidence: 0.95, sink_share: 0.95 }), measured("special_tokens", { confidence: 0.9 })],
    [measured("previous_token", { previous_token: 0.8 }), measured("broad", { previous_token: 0.1 })],
  ];
  const chosen = clearestHead({ heads, measures_of: "all" })!;
  assert.deepEqual([chosen.layer, chosen.head, chosen.role], [1, 0, "previous_token"]);
  assert.equal(clearestHead({ heads: [], measures_of: "all" }), null);
});

test("a lifted table begins with its ground, ends as it was and does not get darker", () => {
  const grey = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0").repeat(3)).join("");
  const lifted = new ColourTable(liftedTable(grey, "202020", 96));
  assert.equal(lifted.css[0], "#202020");
  assert.deepEqual(lifted.css.slice(96), new ColourTable(grey).css.slice(96));
  for (let i = 1; i < 256; ++i) assert.ok(lifted.css[i] >= lifted.css[i - 1], `entry ${i}`);
});

test("in the dark no difference is the ground, and the larger one is the brighter", () => {
  const used: Record<number, string> = { 51: "c03020", 77: "ff8040", 178: "40a0ff", 204: "2060c0" };
  const table = darkDivergingTable(Array.from({ length: 256 }, (_, i) => used[i] ?? "ffffff").join(""), "202020");
  const css = new ColourTable(table).css;
  const bright = css.map((one) => luminance(...([1, 3, 5].map((at) => parseInt(one.slice(at, at + 2), 16)) as [number, number, number])));
  assert.deepEqual([css[127].slice(0, 3), css[128].slice(0, 3)], ["#21", "#20"]);
  assert.deepEqual([css[0], css[255]], ["#ff8040", "#40a0ff"]);
  for (let i = 1; i < 128; ++i) assert.ok(bright[i] <= bright[i - 1] && bright[255 - i] <= bright[256 - i], `entry ${i}`);
});

test("three samples for every kind of model, pairs where a model reads two texts", () => {
  const model = (family: string, id = "m") => ({ id, name: id, family }) as ModelInfo;
  for (const family of ["BERT", "GPT-2", "Llama", "T5"]) assert.equal(samplesFor(model(family)).length, 3, family);
  assert.ok(samplesFor(model("T5")).every(({ text2 }) => text2));
  assert.ok(samplesFor(model("Llama")).every(({ text2 }) => !text2));
  assert.match(samplesFor(model("BERT", "bert-base-chinese"))[0].text, /小明/);
  assert.doesNotMatch(samplesFor(model("BERT", "minilm"))[0].text, /[\u4e00-\u9fff]/);
});
