import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Mask, MaskShapeError, restrictRow } from "../src/core/mask";
import { chainOf, MaskError, parseMask, printMask, treeOf } from "../src/core/mask_expression";

const rowsOf = (text: string, n: number, m = n) => {
  const mask = new Mask(parseMask(text), n, m);
  return Array.from({ length: n }, (_, i) => mask.row(i).join(""));
};

// The library's own answers, of the command that was built (library_masks.mjs).
interface LibraryMask { expression: string; n: number; m: number; density: number; rows: string[] }
interface Refusal { expression: string; n: number; m: number; column: number }
const library: { masks: LibraryMask[]; refused: Refusal[] } = JSON.parse(readFileSync(process.env.FOVEA_LIBRARY_MASKS!, "utf8"));

test("rows are the library's", () => {
  assert.ok(library.masks.length > 90);
  for (const { expression, n, m, rows } of library.masks) {
    assert.equal(rows.length, n);
    assert.deepEqual(rowsOf(expression, n, m), rows, `${expression}, ${n} × ${m}`);
  }
});

// Tiles of 64 × 64, counted in the library's rows.
function tilesOf({ n, m, rows }: LibraryMask) {
  const tiles = { empty: 0, full: 0, partial: 0 };
  for (let i = 0; i < n; i += 64) {
    for (let j = 0; j < m; j += 64) {
      const cells = rows.slice(i, i + 64).map((row) => row.slice(j, j + 64)).join("");
      ++tiles[!cells.includes("1") ? "empty" : !cells.includes("0") ? "full" : "partial"];
    }
  }
  return tiles;
}

test("summary: density, tiles and rows that see nothing are the library's", () => {
  for (const each of library.masks) {
    const what = `${each.expression}, ${each.n} × ${each.m}`;
    const summary = new Mask(parseMask(each.expression), each.n, each.m).summary();
    assert.ok(Math.abs(summary.density - each.density) < 1e-12, what);
    assert.deepEqual(summary.rowsSeeingNothing, each.rows.flatMap((row, i) => (row.includes("1") ? [] : [i])), what);
    assert.deepEqual(summary.tiles, tilesOf(each), what);
  }
});

test("bits equal the rows", () => {
  const mask = new Mask(parseMask("sparse(3) & !window(1)"), 7, 9);
  const bits = mask.bits();
  for (let i = 0; i < 7; ++i) assert.deepEqual([...bits.subarray(9 * i, 9 * i + 9)], [...mask.row(i)]);
});

test("cells hidden by hand", () => {
  assert.deepEqual(rowsOf("hand(0.1,2.2)", 3), ["101", "111", "110"]);
  assert.deepEqual(rowsOf("causal | !hand(0.2)", 3), ["101", "110", "111"]);
});

test("a printed mask is read as the same mask", () => {
  const texts = [
    "causal", "causal(top_left)", "window(2)", "window(2, 0)", "sparse(4) | padding([1,0,1])", "!causal & window(1)",
    "(causal | window(1)) & !(sparse(2) | prefix(1))", "documents([0,0,1]) & hand(0.1,1.2)", "padding([5,0,5], 5)", "lengths(2)",
    "causal & (window(1) & sparse(2))", "none",
  ];
  for (const text of texts) {
    assert.equal(printMask(parseMask(text)), text);
    assert.deepEqual(parseMask(printMask(parseMask(text))), parseMask(text));
  }
  assert.equal(printMask(parseMask("not causal and window( 1 ,1)or  none")), "!causal & window(1) | none");
});

test("chains are what the builder can edit", () => {
  const terms = chainOf(parseMask("causal & !window(1) | sparse(2)"));
  assert.deepEqual(terms?.map(({ join, negated, leaf }) => [join, negated, leaf.type]), [
    ["and", false, "causal"], ["and", true, "window"], ["or", false, "sparse"],
  ]);
  assert.equal(printMask(treeOf(terms!)), "causal & !window(1) | sparse(2)");
  assert.equal(chainOf(parseMask("causal & (window(1) | sparse(2))")), null);
  assert.equal(printMask(treeOf(chainOf(parseMask("(causal | window(1)) & sparse(2)"))!)), "(causal | window(1)) & sparse(2)");
  assert.deepEqual(treeOf([]), { type: "none" });
});

test("what is no mask is refused where the library refuses it", () => {
  for (const { expression, n, m, column } of library.refused) {
    const refusal = (error: unknown) =>
      column === 0 ? error instanceof MaskShapeError : error instanceof MaskError && error.column === column;
    assert.throws(() => new Mask(parseMask(expression), n, m), refusal, `${expression.slice(0, 40)} (column ${column})`);
  }
});

test("restricted weights are the softmax over the keys that stay", () => {
  const scores = [1, 2, 0.5, -1];
  const softmax = (values: number[]) => {
    const sum = values.reduce((total, value) => total + Math.exp(value), 0);
    return values.map((value) => Math.exp(value) / sum);
  };
  const weights = Float64Array.from(softmax(scores));
  restrictRow(weights, Uint8Array.from([1, 0, 1, 1]));
  const expected = softmax([1, 0.5, -1]);
  [expected[0], 0, expected[1], expected[2]].forEach((value, j) => assert.ok(Math.abs(weights[j] - value) < 1e-15));
  restrictRow(weights, new Uint8Array(4));
  assert.deepEqual([...weights], [0, 0, 0, 0]);
});

test("who sees a key: the columns of the mask", () => {
  const mask = new Mask(parseMask("causal & window(1, 0)"), 4, 4);
  assert.deepEqual([0, 3].map((key) => mask.column(key).join("")), ["1100", "0001"]);
});
