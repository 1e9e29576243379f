import assert from "node:assert/strict";
import { test } from "node:test";
import { numbersIn, ownFrom, ownInputs, ownMaskError, parseOwn, printOwn, startNumber, startOwn, toggled, tokensOf } from "../src/core/own_example";
import { isProduct, playedCells, pointedTerms, secondsOf } from "../src/core/stage_motion";
import { stagesOf } from "../src/core/stages";
import { toyNumbers, withEdits } from "../src/core/step_numbers";
import { wrapped } from "../src/exports/panels";

test("an own example goes through the link", () => {
  const own = { tokens: ["我", "a;b", "=&"], width: 16, dk: 1, dv: 3, mask: "causal | hand(0.1)" };
  assert.deepEqual(parseOwn(printOwn(own)), own);
  for (const text of ["", "4.2;;a", "0.1.1;;a", "17.1.1;;a", "4.2.3;;", "4.2.3;causal", `4.2.3;;${"a ".repeat(17)}`]) {
    assert.equal(parseOwn(text), undefined, text);
  }
});

test("tokens: between spaces, Chinese letter by letter", () => {
  assert.deepEqual(tokensOf("  I  love AI "), ["I", "love", "AI"]);
  assert.deepEqual(tokensOf("我爱你"), ["我", "爱", "你"]);
  assert.deepEqual(tokensOf("我 喜欢 AI"), ["我", "喜欢", "AI"]);
});

// NumPy: X = [[s(x,i,e)]]; Q = X Wq; S = Q K.T / sqrt(dk); softmax over the visible keys; O = A V
test("an own example is computed as written", () => {
  const own = { ...startOwn, mask: "causal" };
  const inputs = withEdits(ownInputs(own), [{ matrix: "x", row: 0, column: 0, value: 3 }]);
  const numbers = toyNumbers(inputs, 0);
  const [n, width, dk, dv] = [3, 4, 2, 3];
  const x = (i: number, e: number) => (i === 0 && e === 0 ? 3 : startNumber("x", i, e));
  const project = (i: number, d: number, w: "wq" | "wk" | "wv") => [...Array(width).keys()].reduce((sum, e) => sum + x(i, e) * startNumber(w, e, d), 0);
  for (let i = 0; i < n; ++i) {
    const scores = [...Array(i + 1).keys()].map((j) => [...Array(dk).keys()].reduce((sum, d) => sum + project(i, d, "wq") * project(j, d, "wk"), 0) / Math.sqrt(dk));
    const exps = scores.map(Math.exp);
    const total = exps.reduce((a, b) => a + b);
    for (let j = 0; j < n; ++j) {
      const expected = j <= i ? exps[j] / total : 0;
      assert.ok(Math.abs(numbers.weights.data[i * n + j] - expected) < 1e-12, `A[${i},${j}]`);
    }
    for (let d = 0; d < dv; ++d) {
      const expected = exps.reduce((sum, value, j) => sum + (value / total) * project(j, d, "wv"), 0);
      assert.ok(Math.abs(numbers.headOutput.data[i * dv + d] - expected) < 1e-12, `O[${i},${d}]`);
    }
  }
});

test("start numbers are small, and not all alike in any row or column", () => {
  for (const matrix of ["x", "wq", "wk", "wv"] as const) {
    for (let i = 0; i < 4; ++i) {
      const row = [0, 1, 2, 3].map((j) => startNumber(matrix, i, j));
      assert.ok(row.every((value) => Math.abs(value) <= 1 && Number.isInteger(2 * value)));
    }
    const all = [...Array(16).keys()].map((at) => startNumber(matrix, at >> 2, at & 3));
    assert.ok(new Set(all).size >= 4, matrix);
  }
});

test("a mask cell by cell", () => {
  assert.equal(toggled("", 2, 0, 1), "hand(0.1)");
  assert.equal(toggled("hand(0.1)", 2, 0, 1), "");
  assert.equal(toggled("causal", 2, 1, 0), "hand(0.1,1.0)");
  assert.equal(ownMaskError("causal", 3), null);
  assert.equal(ownMaskError("cusal", 3)?.message.startsWith("column 1"), true);
  assert.notEqual(ownMaskError("padding([1,0])", 3), null);
  assert.equal(ownInputs({ ...startOwn, mask: "nonsense" }).mask?.data.every((value) => value === 0), true, "what is no mask hides nothing");
});

test("numbers as text", () => {
  assert.deepEqual(numbersIn("1 2\n3, 4.5", 2, 2), [1, 2, 3, 4.5]);
  assert.deepEqual(numbersIn("[[1; −2],\n[0，1e3]]", 2, 2), [1, -2, 0, 1000]);
  for (const text of ["1 2", "1 2\n3", "1 x\n3 4", "1 2\n3 4\n5 6", ""]) assert.equal(numbersIn(text, 2, 2), null, text);
});

test("an example becomes an own one with the same numbers", () => {
  const inputs = withEdits(ownInputs({ ...startOwn, mask: "causal" }), [{ matrix: "wv", row: 1, column: 2, value: 0.123456789 }]);
  const taken = ownFrom(inputs)!;
  assert.equal(taken.edits.length, 1);
  const again = withEdits(ownInputs(taken.own), taken.edits);
  for (const name of ["x", "wq", "wk", "wv", "mask"] as const) assert.deepEqual(again[name], inputs[name], name);
  assert.equal(ownFrom({ ...inputs, heads: 2 }), null);
  assert.equal(ownFrom({ ...inputs, x: null }), null);
  assert.equal(ownFrom({ ...inputs, scale: 1 }), null);
});

test("products are played cell by cell, from the row of interest on", () => {
  const stages = stagesOf(toyNumbers(ownInputs(startOwn), 0));
  const scores = stages.find(({ name }) => name === "scores")!;
  assert.ok(isProduct(scores) && !isProduct(stages.find(({ name }) => name === "softmax")!));
  assert.deepEqual(playedCells(scores, 2), [{ row: 2, column: 0 }, { row: 2, column: 1 }, { row: 2, column: 2 }]);
  assert.equal(playedCells(scores, 0).length, 6);
  assert.equal(secondsOf(scores, 0, true), 2.5);
  assert.ok(secondsOf(scores, 0, false) > 5);
  assert.deepEqual(pointedTerms(3), [0, 1, 2]);
  assert.equal(pointedTerms(384).length, 16);
});

test("texts of pictures are wrapped, and end in … where they are cut", () => {
  assert.deepEqual(wrapped("aaa bbb ccc", 10, 45, 3), ["aaa bbb", "ccc"]);
  const cut = wrapped("word ".repeat(100), 10, 100, 2);
  assert.equal(cut.length, 2);
  assert.ok(cut[1].endsWith("…"));
  assert.deepEqual(wrapped("", 10, 100, 2), []);
});
