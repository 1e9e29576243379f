import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLink, printLink, readLink, startState } from "../src/core/hash";
import type { LinkState } from "../src/core/hash";

const unlike: LinkState = {
  view: "lines", capture: "c7", model: "mini lm", text: "小明 & 100% #1?\n=“é”", text2: "B=1", kind: "cross", layer: 11, head: "mean",
  direction: "in", tokens: [3, 0, 12], key: 0, spot: 4, mask: "causal & !padding([1,0])", colormap: "magma", range: "log",
  lineHeads: [0, 5], threshold: { by: "top", count: 4 }, segments: "ab", gridSort: "entropy", example: "qkv", step: 3,
  edits: [{ matrix: "v", row: 0, column: 12, value: -2.5 }, { matrix: "wq", row: 3, column: 1, value: 1e21 }], part: [0, 4, 8, 16], size: 8,
  otherModel: "gpt2", otherRunText: "b & c", otherRunText2: "d",
  measureX: "distance", measureY: "entropy", otherCapture: "c2", otherLayer: 2, otherHead: 7, otherMask: "window(2)", comparing: "masks", filmStep: 1200, otherFilmStep: 30,
  clean: true, words: true, own: { tokens: ["我", "a;b"], width: 5, dk: 2, dv: 1, mask: "causal & !window(1, 0)" }, presenting: true,
  study: "s1", otherStudy: "none", learn: "lesson.masks.2",
  more: [12, 0, 31999], off: ["L0H3", "cross.L11H0"], maskAt: "enc.L2H*", before: true, passed: true, temperature: 0.7, topK: 3,
};

test("every field survives the way through the address", () => {
  assert.deepEqual(parseLink(`#${printLink(unlike)}`), unlike);
  for (const name of Object.keys(unlike) as (keyof LinkState)[]) {
    assert.notDeepEqual(unlike[name], startState[name], `${name} is not tested`);
  }
});

test("the start state is an empty address", () => {
  assert.equal(printLink(startState), "");
  assert.deepEqual(parseLink(""), startState);
  assert.deepEqual(parseLink("#"), startState);
});

test("what is not understood is left out", () => {
  const state = parseLink("#view=nonsense&layer=-1&head=x&tokens=1.a&keep=m7&text=%E0%A4%A&unknown=1&key=1e3&=&&layer");
  assert.deepEqual(state, startState);
  assert.equal(parseLink("#layer=2&view=").layer, 2);
  for (const numbers of ["v_0_0", "v_0_0_x", "z_0_0_1", "v_0_0_1_2", "v_-1_0_1", "v_0_0_1!", "v_0_0_Infinity"]) {
    assert.deepEqual(parseLink(`#numbers=${numbers}`).edits, [], numbers);
  }
  assert.deepEqual(parseLink("#part=1.2.3&size=0"), startState);
  for (const off of ["", "L1", "L1H*", "L*H0", "L1H2!", "L1H2,L1H3", "x.L1H2", "L-1H0", "L1H2 "]) assert.deepEqual(parseLink(`#off=${off}`).off, [], off);
  assert.deepEqual(parseLink("#maskat=L1&temp=-1&topk=0&before=0&passed=yes&more=1.x"), startState);
  assert.deepEqual(parseLink("#maskat=everything&temp=5.1&topk=51&temp=&topk=2.5"), startState);
});

test("a text too long for an address is not carried", () => {
  assert.equal(parseLink(printLink({ ...startState, text: "x".repeat(5000), layer: 3 })).text, "");
});

test("what is not understood is named", () => {
  assert.deepEqual(readLink("#view=nonsense&layer=2&tokens=1.a&new=1&&=x").misread, ["view=nonsense", "tokens=1.a", "new=1"]);
  assert.deepEqual(readLink(printLink(unlike)).misread, []);
});
