import assert from "node:assert/strict";
import { test } from "node:test";
import { columnLabels, labelSize, labelStep } from "../src/canvas/column_labels";
import { ColourTable, entryOf, entryOfDifference, entryOfWeight } from "../src/core/colours";
import { differenceOf, otherRun } from "../src/core/comparison";
import { chosenKeys, EdgeCollector, edgesIn, passes } from "../src/core/edges";
import { axisRange, exactText, percentText, shortText, wholeText } from "../src/core/numbers";
import { entropyOf, holdingMass, largest, rankOf } from "../src/core/ranking";
import { pooledColumns } from "../src/core/pooling";
import type { Capture } from "../src/data/types";

test("ranks: ties share one", () => {
  const row = [0.1, 0.4, 0.4, 0.1];
  assert.deepEqual(row.map((_, j) => rankOf(row, j)), [3, 1, 1, 3]);
  assert.deepEqual(largest(row, 3), [1, 2, 0]);
  const long = Array.from({ length: 100 }, (_, j) => (j * 37) % 50);
  for (const count of [1, 5, 32, 33, 100, 200]) {
    const sorted = long.map((_, j) => j).sort((a, b) => long[b] - long[a] || a - b);
    assert.deepEqual(largest(long, count), sorted.slice(0, count));
  }
  assert.deepEqual(largest([], 3), []);
});

test("as few keys as hold the mass", () => {
  assert.deepEqual(holdingMass([0.5, 0.3, 0.2], 0.5), [0]);
  assert.deepEqual(holdingMass([0.2, 0.3, 0.5], 0.75), [1, 2]);
  assert.deepEqual(holdingMass([0.2, 0.1, 0.2, 0.2, 0.3], 0.65), [0, 2, 4], "of equal ones the first");
  assert.deepEqual(holdingMass([0, 0], 0.9), []);
  assert.deepEqual(chosenKeys([0, 0.6, 0.4], { by: "top", count: 3 }), [1, 2]);
});

test("lines: none is lost, the strongest first", () => {
  const edges = new EdgeCollector();
  const weights = Array.from({ length: 1000 }, (_, i) => ((i * 389) % 1000) / 1000);
  weights.forEach((weight, i) => edges.add(i, 1000 - i, weight, i % 12));
  const sorted = edgesIn(edges.strongestFirst());
  assert.deepEqual(sorted.map(({ query }) => query).sort((a, b) => a - b), weights.map((_, i) => i));
  for (const [at, { query, key, weight, head }] of sorted.entries()) {
    assert.deepEqual([key, head, weight], [1000 - query, query % 12, Math.fround(weights[query])]);
    if (at > 0) assert.ok(weight <= sorted[at - 1].weight * 1.01, `place ${at}: ${weight} after ${sorted[at - 1].weight}`);
  }
  assert.equal(new EdgeCollector().strongestFirst().count, 0);
});

test("wide matrices: each cell is its largest value, and says where it was", () => {
  const wide = { rows: 2, columns: 5, data: Float32Array.from([1, 5, 2, 2, 0, 0, 0, 3, 9, 4]) };
  const { matrix, begins, at } = pooledColumns(wide, 2);
  assert.deepEqual([matrix.rows, matrix.columns, [...matrix.data], begins, [...at]], [2, 2, [5, 2, 0, 9], [0, 2], [1, 2, 0, 3]]);
  assert.deepEqual([...pooledColumns(wide, 64).matrix.data], [...wide.data], "a narrow one stays");
});

test("entropy in nats", () => {
  assert.ok(Math.abs(entropyOf([0.25, 0.25, 0.25, 0.25]) - Math.log(4)) < 1e-15);
  assert.equal(entropyOf([1, 0]), 0);
});

test("sentence filters", () => {
  assert.deepEqual([passes("ab", 0, 1), passes("ab", 1, 0), passes("bb", 1, 1), passes("all", 1, 0)], [true, false, true, true]);
});

test("colours are picked as the library picks them", () => {
  assert.deepEqual([entryOf(0), entryOf(-1), entryOf(NaN), entryOf(1), entryOf(2), entryOf(0.5), entryOf(1 / 256)], [0, 0, 0, 255, 255, 128, 1]);
  assert.equal(entryOfWeight(0.25, "row", 0.5), 128);
  assert.equal(entryOfWeight(0.01, "log", 1), 128);
  assert.equal(entryOfWeight(0, "log", 1), 0);
  assert.deepEqual([entryOfDifference(0, 1), entryOfDifference(1, 1), entryOfDifference(-1, 1), entryOfDifference(0, 0)], [128, 255, 0, 128]);
  const table = new ColourTable("ff8000".repeat(255) + "000000");
  assert.deepEqual([table.css[0], table.pixels[0], table.darkText[0], table.darkText[255]], ["#ff8000", 0xff0080ff, true, false]);
  assert.throws(() => new ColourTable("zz"));
});

test("differences and divergence", () => {
  const matrix = (...data: number[]) => ({ rows: 2, columns: 2, data: Float64Array.from(data) });
  const difference = differenceOf(matrix(1, 0, 0.5, 0.5), matrix(0, 1, 0.5, 0.5));
  assert.deepEqual([difference?.largest, difference?.mean], [1, 0.5]);
  assert.ok(Math.abs(difference!.divergence - Math.log(2) / 2) < 1e-15);
  assert.equal(differenceOf(matrix(1, 0, 0, 1), { rows: 1, columns: 2, data: new Float32Array(2) }), null);
});

test("numbers as people read them", () => {
  assert.deepEqual([0, 0.12345, -1.5, 123.456, 1e-7, 123456, -Infinity, NaN].map(shortText), ["0", "0.1235", "−1.5000", "123.46", "1.000e−7", "1.235e+5", "−∞", "NaN"]);
  assert.equal(exactText(0.1 + 0.2), "0.3");
  assert.equal(percentText(0.1234), "12.3 %");
  assert.equal(wholeText(1234567), "1,234,567");
});

test("names of columns never run into each other", () => {
  for (let cell = 0.05; cell <= 60; cell += 0.05) {
    const labels = columnLabels(cell);
    const apart = labelStep(labels, cell) * cell * Math.sin(labels.angle); // between the lines on which they stand
    assert.ok(apart >= labelSize() + 2, `${apart} pixels between names of cells of ${cell}`);
  }
  assert.equal(labelStep(columnLabels(14), 14), 1, "upright, all have room");
});

test("axes of measures do not begin where nothing can be", () => {
  assert.equal(axisRange([0.3, 2.1])[0], 0, "nothing is negative");
  assert.deepEqual(axisRange([0, 0.5, 1]), [0, 1]);
  assert.deepEqual(axisRange([-1, 0.99]), [-1, 1]);
  const [low, high] = axisRange([-4, 6]);
  assert.ok(low < -4 && high > 6, "room where there is some");
  assert.deepEqual(axisRange([NaN]), [0, 1]);
});

test("compared with: the chosen run, else the last comparable one of the same model", () => {
  const run = (id: string, model: string, keys: number) => ({ id, model, kinds: [{ kind: "encoder", queries: keys, keys }] }) as unknown as Capture;
  const all = [run("c1", "minilm", 16), run("c2", "gpt2", 16), run("c3", "minilm", 16), run("c4", "minilm", 9), run("c5", "gpt2", 16)];
  const other = (first: string, chosen = "") => otherRun(all, all.find(({ id }) => id === first)!, chosen)?.id ?? null;
  assert.equal(other("c1"), "c3", "as many tokens, though c4 is newer");
  assert.equal(other("c3"), "c1");
  assert.equal(other("c4"), "c3", "the newest of the model");
  assert.equal(other("c1", "c5"), "c5", "the person's choice");
  assert.equal(other("c1", "c1"), "c3", "not with itself");
  assert.equal(otherRun([all[0], all[1]], all[0], ""), null, "another model's run is never taken unasked");
});
