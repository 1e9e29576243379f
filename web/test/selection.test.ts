import assert from "node:assert/strict";
import { test } from "node:test";
import { patchOf } from "../src/core/selection";

test("what a notebook selects is read as an address is", () => {
  assert.deepEqual(patchOf({ view: "lines", kind: "decoder", layer: 2, head: "mean", tokens: [3, 5], key: 4 }), {
    view: "lines", kind: "decoder", layer: 2, head: "mean", tokens: [3, 5], key: 4,
  });
  assert.deepEqual(patchOf({ head: 7 }), { head: 7 }, "fields that were not named stay as they are");
  assert.deepEqual(patchOf({}), {});
});

test("nothing selected is told as -1 and as an empty list", () => {
  assert.deepEqual(patchOf({ key: -1, tokens: [] }), { key: -1, tokens: [] });
});

test("what is no selection changes nothing", () => {
  assert.deepEqual(patchOf({ view: "pie", layer: "x", head: -3, tokens: ["a"], kind: "left", key: "2x" }), {});
  assert.deepEqual(patchOf({ view: "pie", layer: 3 }), { layer: 3 });
  assert.deepEqual(patchOf({ mask: "causal", c: "c9", text: "evil" }), {});
  assert.deepEqual(patchOf({ view: "lines&mask=causal" }), {}, "a value cannot bring another field");
});
