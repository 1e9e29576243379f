import assert from "node:assert/strict";
import { test } from "node:test";
import { labelPlaces, pointOf } from "../src/canvas/arc_labels";
import type { Curve, Row } from "../src/canvas/arc_labels";

const over = (from: number, to: number, top: number, height: number): Curve => ({ from: [from, top], to: [to, top], via: [from, top - height, to, top - height] });
const across = (from: [number, number], to: [number, number]): Curve => {
  const half = (to[1] - from[1]) / 2;
  return { from, to, via: [from[0], from[1] + half, to[0], to[1] - half] };
};

test("a share stands in the middle of its arc", () => {
  const arc = over(100, 300, 60, 40);
  assert.deepEqual(pointOf(arc, 0), [100, 60]);
  assert.deepEqual(labelPlaces([arc], [16], [[60, 90]], 11), [[200, 30]]);
});

test("shares of arcs that lie on each other do not cover one another", () => {
  const [first, second] = labelPlaces([over(300, 100, 60, 40), over(300, 60, 60, 42)], [16, 16], [[60, 90]], 11);
  assert.ok(first && second);
  assert.ok(Math.abs(first[0] - second[0]) > 32 || Math.abs(first[1] - second[1]) > 12, `${first} ${second}`);
});

test("no share stands on a line of chips that its arc crosses", () => {
  const rows: Row[] = [[0, 40], [62, 102], [124, 164]]; // the arc leaves the last line and ends at the first
  const [place] = labelPlaces([across([20, 124], [200, 42])], [16], rows, 11);
  assert.ok(place && rows.every(([top, bottom]) => place[1] + 4 < top || place[1] - 4 > bottom), String(place));
});

test("where nothing is free only the largest weight has its share", () => {
  const arcs = [over(10, 30, 60, 12), over(10, 32, 60, 12)];
  const [first, second] = labelPlaces(arcs, [16, 16], [[0, 90]], 11);
  assert.deepEqual(first, pointOf(arcs[0], 0.5));
  assert.equal(second, null);
});
