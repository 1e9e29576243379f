import assert from "node:assert/strict";
import { test } from "node:test";
import { Mask, MaskShapeError, restrictRow } from "../src/core/mask";
import { chainOf, MaskError, parseMask, printMask, treeOf } from "../src/core/mask_expression";

const rowsOf = (text: string, n: number, m = n) => {
  const mask = new Mask(parseMask(text), n, m);
  return Array.from({ length: n }, (_, i) => mask.row(i).join(""));
};

// Every expected row was printed by `fovea mask`.
test("rows as the library prints them", () => {
  const cases: [string, number, number, string][] = [
    ["causal", 4, 4, "1000 1100 1110 1111"],
    ["causal", 2, 4, "1110 1111"],
    ["causal", 6, 4, "0000 0000 1000 1100 1110 1111"],
    ["causal(top_left)", 2, 4, "1000 1100"],
    ["window(2)", 8, 8, "11100000 11110000 11111000 01111100 00111110 00011111 00001111 00000111"],
    ["window(1, 0)", 5, 5, "10000 11000 01100 00110 00011"],
    ["window(1, 2)", 3, 6, "001111 000111 000011"],
    ["sparse(4)", 16, 16, "1111111111111111 1111110010001000 1111111010001000 1111111110001000 1111111111111111 1111111111001000 1011111111101000 1001111111111000 1111111111111111 1000111111111100 1000101111111110 1000100111111111 1111111111111111 1000100011111111 1000100010111111 1000100010011111"],
    ["sparse(3)", 6, 4, "1101 1111 1111 1111 1111 1111"],
    ["sparse(2)", 3, 7, "1111111 1011111 1111111"],
    ["prefix(2)", 5, 5, "11000 11000 11100 11110 11111"],
    ["prefix(2)", 3, 5, "11100 11110 11111"],
    ["padding([1,2,3,0,0])", 5, 5, "11100 11100 11100 11100 11100"],
    ["padding([1,2,3,2], 2)", 3, 4, "1010 1010 1010"],
    ["lengths(2)", 3, 4, "1100 1100 1100"],
    ["documents([0,0,1,1])", 4, 4, "1100 1100 0011 0011"],
    ["documents([0,0,1,1])", 6, 4, "0000 0000 1100 1100 0011 0011"],
    ["documents([0,1,0,2])", 2, 4, "1010 0001"],
    ["causal & padding([1,2,3,0,0])", 5, 5, "10000 11000 11100 11100 11100"],
    ["!causal", 4, 4, "0111 0011 0001 0000"],
    ["causal & window(1) | !sparse(2)", 6, 6, "100000 110001 011000 001100 000110 010011"],
    ["!(causal | window(1))", 5, 5, "00111 00011 00001 00000 00000"],
    ["causal | window(1, 1) & documents([0,0,0,1,1])", 5, 5, "11000 11100 11100 11111 11111"],
    ["none", 2, 3, "111 111"],
  ];
  for (const [text, n, m, rows] of cases) assert.deepEqual(rowsOf(text, n, m), rows.split(" "), text);
});

test("summary: density, tiles, rows that see nothing", () => {
  const combined = new Mask(parseMask("causal & padding([1,2,3,0,0])"), 5, 5).summary();
  assert.equal(combined.density, 0.48);
  assert.deepEqual(combined.rowsSeeingNothing, []);
  assert.ok(Math.abs(new Mask(parseMask("sparse(4)"), 16, 16).summary().density - 0.71875) < 1e-12);
  const long = new Mask(parseMask("causal"), 130, 130).summary();
  assert.deepEqual(long.tiles, { empty: 3, full: 3, partial: 3 });
  const window = new Mask(parseMask("window(0)"), 256, 256).summary();
  assert.deepEqual(window.tiles, { empty: 12, full: 0, partial: 4 });
  const nothing = new Mask(parseMask("causal & !causal"), 3, 3).summary();
  assert.deepEqual([nothing.density, nothing.rowsSeeingNothing.length], [0, 3]);
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

test("what is no mask is refused with its column", () => {
  const column = (text: string) => {
    try {
      parseMask(text);
    } catch (error) {
      assert.ok(error instanceof MaskError, text);
      return error.column;
    }
    throw new Error(`"${text}" was accepted`);
  };
  assert.equal(column("causal &"), 9);
  assert.equal(column("windw(2)"), 1);
  assert.equal(column("window 2"), 8);
  assert.equal(column("sparse(0)"), 8);
  assert.equal(column("causal) | none"), 7);
  assert.equal(column("padding([1,2"), 13);
  assert.equal(column("(".repeat(300) + "causal"), 202);
  assert.throws(() => new Mask(parseMask("padding([1,0])"), 3, 3), MaskShapeError);
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
