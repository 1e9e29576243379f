// Hiding, renormalising and merging, against numbers worked out by hand (and by the NumPy lines beside them).
import assert from "node:assert/strict";
import { test } from "node:test";
import { groupOf, groupsOf, sinksOf, spread, throughLens, visibleGroups } from "../src/core/lens";
import type { SubToken } from "../src/core/lens";
import { bestHeads } from "../src/core/best_heads";
import type { HeadOverview, Overview } from "../src/data/types";

const matrix = (rows: number[][]) => ({ rows: rows.length, columns: rows[0].length, data: Float32Array.from(rows.flat()) });
const close = (got: ArrayLike<number>, expected: number[], what = "") => {
  assert.equal(got.length, expected.length, what);
  expected.forEach((value, i) => assert.ok(Math.abs(got[i] - value) < 1e-7, `${what} ${i}: ${got[i]}, expected ${value}`));
};
const alone = (count: number, without: number[] = []) => groupsOf(tokensOf(Array(count).fill("a")), new Set(without), false);
const tokensOf = (labels: string[], glued: number[] = [], marks: Record<number, Partial<SubToken>> = {}): SubToken[] =>
  labels.map((label, i) => ({ label, glued: glued.includes(i), part: 0, token: label, ...marks[i] }));

const weights = matrix([
  [0.5, 0.2, 0.2, 0.1],
  [0.8, 0.05, 0.05, 0.1],
  [0.25, 0.25, 0.25, 0.25],
  [0.1, 0.4, 0.3, 0.2],
]);

test("hidden keys and queries are gone, rows sum to 1 again", () => {
  // w = W[1:, 1:]; w / w.sum(1, keepdims=True)
  const lens = { queries: alone(4, [0]), keys: alone(4, [0]), queryCount: 4, keyCount: 4 };
  const { matrix: clean, left } = throughLens(weights, lens);
  close(clean.data, [0.25, 0.25, 0.5, 1 / 3, 1 / 3, 1 / 3, 0.4 / 0.9, 0.3 / 0.9, 0.2 / 0.9]);
  close(left, [0.2, 0.75, 0.9], "what was left of each row");
});

test("words: sum over keys, mean over queries", () => {
  // tokens 1 and 2 are one word: k = np.stack([W[:,0], W[:,1]+W[:,2], W[:,3]], 1); rows [k[0], (k[1]+k[2])/2, k[3]]
  const groups = [[0], [1, 2], [3]];
  const { matrix: merged, left } = throughLens(weights, { queries: groups, keys: groups, queryCount: 4, keyCount: 4 });
  close(merged.data, [0.5, 0.4, 0.1, (0.8 + 0.25) / 2, (0.1 + 0.5) / 2, (0.1 + 0.25) / 2, 0.1, 0.7, 0.2]);
  close(left, [1, 1, 1]);
});

test("both: each row is renormalised before the mean over queries", () => {
  // w = W[1:, 1:]; w /= w.sum(1, keepdims=True); keys {1,2} {3}; queries {1,2} {3}
  const groups = [[1, 2], [3]];
  const { matrix: both, left } = throughLens(weights, { queries: groups, keys: groups, queryCount: 4, keyCount: 4 });
  close(both.data, [(0.5 + 2 / 3) / 2, (0.5 + 1 / 3) / 2, 0.7 / 0.9, 0.2 / 0.9]);
  close(left, [(0.2 + 0.75) / 2, 0.9]);
});

test("rows with nothing left are zero, and do not count in a mean", () => {
  const causal = matrix([[1, 0, 0], [1, 0, 0], [0.5, 0.25, 0.25]]);
  const lens = { queries: [[1, 2]], keys: [[1], [2]], queryCount: 3, keyCount: 3 };
  close(throughLens(causal, lens).matrix.data, [0.5, 0.5]);
  const first = throughLens(causal, { ...lens, queries: [[1]] });
  close(first.matrix.data, [0, 0]);
  close(first.left, [0]);
});

test("sums are taken in double", () => {
  const row = new Float32Array(4096).fill(1 / 4096);
  const all = { rows: 1, columns: 4096, data: row };
  const { matrix: one } = throughLens(all, { queries: [[0]], keys: [[...row.keys()]], queryCount: 1, keyCount: 4096 });
  assert.equal(one.data[0], 1);
});

test("words are found in sub-tokens", () => {
  const words = (labels: string[], glued: number[], marks = {}) =>
    groupsOf(tokensOf(labels, glued, marks), new Set(), true).map((group) => group.map((i) => labels[i]).join("+"));
  assert.deepEqual(words(["un", "believ", "able", "!", "Yes"], [1, 2, 3]), ["un+believ+able", "!", "Yes"]);
  assert.deepEqual(words(["don", "'", "t", "'", "quoted", "'"], [1, 2, 4, 5]), ["don+'+t", "'", "quoted", "'"]);
  assert.deepEqual(words(["do", "n", "'t"], [1, 2]), ["do+n+'t"]);
  assert.deepEqual(words(["19", "84"], [1]), ["19+84"]);
  assert.deepEqual(words(["小", "明", "把"], [1, 2]), ["小", "明", "把"], "no spaces, no words");
  assert.deepEqual(words(["AI", "技", "术"], [1, 2]), ["AI", "技", "术"]);
  assert.deepEqual(words(["小", "明"], [1], { 1: { token: "##明" } }), ["小+明"], "but where the tokenizer says so");
  assert.deepEqual(words(["😀", "·2/4", "·3/4"], [1, 2], { 0: { part: 1 }, 1: { part: 2 }, 2: { part: 3 } }), ["😀+·2/4+·3/4"]);
  const hidden = groupsOf(tokensOf(["a", "b", "c"], [1, 2]), new Set([1]), true);
  assert.deepEqual(hidden, [[0], [2]], "nothing is merged across a hidden token");
});

test("tokens and groups", () => {
  const groups = [[1, 2], [4]];
  assert.deepEqual([...groupOf(groups, 5)], [-1, 0, 0, -1, 1]);
  assert.deepEqual([...spread([0.5, 0.25], groups, 5)], [0, 0.5, 0.5, 0, 0.25]);
  const rows = [[1, 0, 0], [1, 1, 0], [1, 1, 1]].map((row) => Uint8Array.from(row));
  assert.deepEqual([...visibleGroups((i) => rows[i], [0, 1], [[0], [1, 2]])], [1, 1]);
  assert.deepEqual([...visibleGroups((i) => rows[i], [0], [[0], [1, 2]])], [1, 0]);
});

const head = (measures: Record<string, number | null>, most_attended = 0): HeadOverview => ({
  measures, most_attended, role: { id: "mixed", name: { en: "", zh: "" }, rule: { en: "", zh: "" } },
});

test("a sink: one head in ten rests on it with half of its weight or more", () => {
  const heads = [...Array(20)].map((_, i) => head({ sink_share: i < 2 ? 0.5 : i === 2 ? 0.9 : 0.3 }, i < 2 ? 7 : i === 2 ? 4 : 1));
  const overview: Overview = { heads: [heads.slice(0, 10), heads.slice(10)], measures_of: "all" };
  assert.deepEqual(sinksOf(overview), [7], "2 of 20 heads on 7; 1 on 4 is not enough; 0.3 is no rest");
  assert.deepEqual(sinksOf({ heads: [[head({ sink_share: 0.6 }, 3)]], measures_of: "all" }), [3]);
  assert.deepEqual(sinksOf({ heads: [[head({ sink_share: null }, 3)]], measures_of: "all" }), []);
});

test("the best head of a measure", () => {
  const overview: Overview = {
    heads: [[head({ previous_token: 0.2, induction_lift: null, punctuation: 0 }), head({ previous_token: 0.9 })], [head({ previous_token: 0.9, sink_share: 0.1 }), head({})]],
    measures_of: "all",
  };
  const found = Object.fromEntries(bestHeads(overview).map(({ measure, best }) => [measure, best]));
  assert.deepEqual(found["previous_token"], { layer: 0, head: 1, value: 0.9 }, "of equals the first");
  assert.deepEqual(found["sink_share"], { layer: 1, head: 0, value: 0.1 });
  assert.equal(found["induction_lift"], null);
  assert.equal(found["punctuation"], null, "nothing to look at");
});
