import assert from "node:assert/strict";
import { test } from "node:test";
import { chances, drawn } from "../src/core/sampling";
import { baseRun, covers, fitting, isChange, isThere, noChange, parsePlace, placeName, readVariant, toggledOff, variantName } from "../src/core/whatif";
import type { Capture, KindInfo, PredictedToken } from "../src/data/types";

const kind = (name: KindInfo["kind"], layers: number, heads: number) => ({ kind: name, layers, heads }) as KindInfo;
const bert = { id: "c1", kinds: [kind("encoder", 6, 12)] } as Capture;
const t5 = { id: "c2", kinds: [kind("encoder", 2, 4), kind("decoder", 3, 4), kind("cross", 3, 4)] } as Capture;

test("places are read and written as the library does", () => {
  assert.deepEqual(parsePlace("L2H3"), { kind: "", layer: 2, head: 3 });
  assert.deepEqual(parsePlace("cross.L*H0"), { kind: "cross", layer: -1, head: 0 });
  for (const wrong of ["", "L2", "H3", "l2h3", "L2H3 ", "L99999H0", "encoder.L0H0", "L2H3,L2H4"]) assert.equal(parsePlace(wrong), null, wrong);
  assert.equal(placeName(bert, "encoder", 2, 3), "L2H3");
  assert.equal(placeName(t5, "decoder", 1, "*"), "dec.L1H*");
  assert.equal(placeName(t5, "cross", "*", "*"), "cross.L*H*");
});

test("only what a run has can be changed", () => {
  assert.ok(isThere(bert, "L5H11") && isThere(t5, "dec.L2H3") && isThere(bert, "L*H*"));
  for (const [run, place] of [[bert, "L6H0"], [bert, "L0H12"], [bert, "dec.L0H0"], [t5, "L0H0"], [t5, "enc.L2H0"]] as const) {
    assert.ok(!isThere(run, place), place);
  }
  assert.deepEqual(fitting(bert, { off: ["L0H0", "L9H0"], hide: "L1H*", visible: "causal" }), { off: ["L0H0"], hide: "L1H*", visible: "causal" });
  assert.deepEqual(fitting(bert, { off: [], hide: "L9H*", visible: "causal" }), noChange);
  assert.deepEqual(fitting(bert, { off: [], hide: "L1H*", visible: "" }), noChange);
  assert.ok(!isChange(noChange) && isChange({ ...noChange, off: ["L0H0"] }) && isChange({ ...noChange, hide: "L0H0", visible: "causal" }));
});

test("a mask covers the heads it names", () => {
  assert.ok(covers(bert, "L3H*", "encoder", 3, 7) && covers(bert, "L*H*", "encoder", 0, "mean") && covers(bert, "L3H7", "encoder", 3, 7));
  assert.ok(!covers(bert, "L3H*", "encoder", 4, 7) && !covers(bert, "L3H7", "encoder", 3, "mean") && !covers(bert, "L3H7", "encoder", 3, 6) && !covers(bert, "L3H7", "encoder", 3, 8));
  assert.ok(covers(t5, "cross.L1H*", "cross", 1, 0) && !covers(t5, "cross.L1H*", "decoder", 1, 0));
});

test("heads are switched off and on, in the order of the model", () => {
  assert.deepEqual(toggledOff(["L10H0"], "L2H11"), ["L2H11", "L10H0"]);
  assert.deepEqual(toggledOff(["L2H11"], "L2H3"), ["L2H3", "L2H11"]);
  assert.deepEqual(toggledOff(["L2H3", "L2H11"], "L2H3"), ["L2H11"]);
});

test("a changed run has a name that says the change", () => {
  assert.equal(variantName("c1", noChange, false), "c1");
  const change = { off: ["L0H1", "L2H3"], hide: "L3H*", visible: "causal & window(2, 0)" };
  const { run, values } = readVariant(variantName("c1", change, true));
  assert.equal(run, "c1");
  assert.deepEqual(values, { off: "L0H1,L2H3", hide: "L3H*", visible: "causal & window(2, 0)", show: "passed" });
  assert.equal(baseRun(variantName("c12", change, false)), "c12");
  assert.deepEqual(readVariant("f0x12"), { run: "f0x12", values: {} });
  assert.notEqual(variantName("c1", change, false), variantName("c1", { ...change, off: ["L0H1"] }, false));
});

const token = (id: number, logit: number) => ({ id, logit, token: String(id), probability: 0 }) as PredictedToken;

test("temperature and top-k", () => {
  const tokens = [token(7, 0), token(3, Math.log(3)), token(5, Math.log(6))];
  const near = (got: number[], want: number[]) => got.forEach((value, i) => assert.ok(Math.abs(value - want[i]) < 1e-12, `${got} ${want}`));
  near(chances(tokens, 1, 50), [0.1, 0.3, 0.6]);
  near(chances(tokens, 1, 2), [0, 1 / 3, 2 / 3]);
  near(chances(tokens, 0.5, 50), [1 / 46, 9 / 46, 36 / 46]);
  near(chances(tokens, 0, 50), [0, 0, 1]);
  near(chances([token(9, 2), token(4, 2)], 0, 2), [0, 1]); // equal ones: the lower id
  near(chances([token(1, 1000), token(2, 1000)], 1, 2), [0.5, 0.5]);
  assert.deepEqual(chances([], 1, 3), []);
});

test("a number falls on a share", () => {
  const shares = [0.1, 0, 0.3, 0.6];
  assert.deepEqual([0, 0.099, 0.1, 0.39, 0.41, 0.999999].map((uniform) => drawn(shares, uniform)), [0, 0, 2, 2, 3, 3]);
  assert.equal(drawn([0.3, 0.7, 0], 1 - 1e-17), 1); // what rounding leaves falls on the last that has a share
});
