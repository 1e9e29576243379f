import assert from "node:assert/strict";
import { test } from "node:test";
import { pieces, placed, runsLeft, tokenLabel, tokenNames, unknownParts } from "../src/core/tokens";
import type { Capture, Sequence } from "../src/data/types";

test("tokens become the text's own letters", () => {
  assert.deepEqual(["Ġfox", "▁fox", "Ċ", "<0x0A>", "##ing", " "].map(tokenLabel), ["fox", "fox", "⏎", "⏎", "##ing", "␣"]);
  const text = "Café été";
  const sequence = {
    tokens: ["[CLS]", "ca", "##fe", "ete", "[SEP]"], ids: [], begins: [0, 0, 2, 6, 0], ends: [0, 2, 5, 11, 0],
    segments: [0, 0, 0, 0, 0], special: [true, false, false, false, true],
  };
  const capture = { text, text2: null, sequences: { encoder: sequence } } as unknown as Capture;
  assert.deepEqual(pieces(capture, "encoder", sequence).map(({ label, glued }) => [label, glued]), [
    ["[CLS]", false], ["Ca", false], ["fé", true], ["été", false], ["[SEP]", false],
  ]);
});

function captureOf(text: string, parts: [string, number, number, boolean?][]): { capture: Capture; sequence: Sequence } {
  const sequence: Sequence = {
    tokens: parts.map(([token]) => token), ids: [], begins: parts.map(([, begin]) => begin), ends: parts.map(([, , end]) => end),
    segments: parts.map(() => 0), special: parts.map(() => false), unknown: parts.map(([, , , unknown]) => unknown ?? false),
  };
  return { capture: { text, text2: null, sequences: { encoder: sequence } } as unknown as Capture, sequence };
}

test("letters written as bytes are letters, if they are whole", () => {
  assert.deepEqual(["ä½ł", "ĠcafÃ©", "café", "ä½", "Ġ"].map(tokenLabel), ["你", "café", "café", "ä½", "␣"]);
});

test("the bytes of a character: it appears once, whichever way a tokenizer tells where they stand", () => {
  const whole = captureOf("a😀b", [["a", 0, 1], ["<0xF0>", 1, 5], ["<0x9F>", 1, 5], ["<0x98>", 1, 5], ["<0x80>", 1, 5], ["b", 5, 6]]);
  const single = captureOf("a😀b", [["a", 0, 1], ["ð", 1, 2], ["ŁĺĢ", 2, 5], ["b", 5, 6]]);
  const mixed = captureOf("a😀b", [["að", 0, 2], ["ŁĺĢ", 2, 5], ["b", 5, 6]]);
  const labels = ({ capture, sequence }: typeof whole) => pieces(capture, "encoder", sequence).map(({ label }) => label);
  assert.deepEqual(labels(whole), ["a", "😀", "·2/4", "·3/4", "·4/4", "b"]);
  assert.deepEqual(labels(single), ["a", "😀", "·2/2", "b"]);
  assert.deepEqual(labels(mixed), ["a😀", "·2/2", "b"]);
  assert.deepEqual(labels(captureOf("a😀b", [["að", 0, 2], ["ŁĺĢb", 2, 6]])), ["a😀", "b"]);
  assert.deepEqual(tokenNames(single.capture, "encoder", single.sequence), ["a", "😀", "·2/2", "b"], "in every view");
  assert.deepEqual(pieces(whole.capture, "encoder", whole.sequence).map(({ glued }) => glued), [false, true, true, true, true, true]);
});

test("bytes that stand for letters are shown as letters; tokens that differ from the text by intent stay", () => {
  const { capture, sequence } = captureOf("明 The été", [["æĺİ", 0, 3], ["the", 4, 7], ["##ete", 8, 13]]);
  assert.deepEqual(tokenNames(capture, "encoder", sequence), ["明", "the", "##ete"]);
});

test("unknown tokens: what was written and what was read", () => {
  const { capture, sequence } = captureOf("小 [UNK]", [["[UNK]", 0, 3, true], ["[UNK]", 4, 9, true], ["[UNK]", 0, 0, true]]);
  const names = tokenNames(capture, "encoder", sequence);
  assert.deepEqual(names.map(unknownParts), [["小", "[UNK]"], null, null], "nothing to add where [UNK] itself was written");
  assert.equal(unknownParts("fox"), null);
});

test("what cannot be seen has a number", () => {
  assert.deepEqual(["\u200d", "\u00ad", "\u0301", "a\u0301"].map(tokenLabel), ["U+200D", "U+00AD", "U+0301", "a\u0301"]);
});

test("a giant token is cut, by whole characters", () => {
  assert.equal(tokenLabel("😀".repeat(1000)), `${"😀".repeat(39)}…`);
  const { capture, sequence } = captureOf("x".repeat(5000), [["[UNK]", 0, 5000, true]]);
  assert.equal(pieces(capture, "encoder", sequence)[0].label.length, 40);
});

test("right to left: by the first letter; names do not turn the line they stand in", () => {
  assert.deepEqual(["שלום world", "123 مرحبا", "hello שלום", "😀 12", ""].map(runsLeft), [true, true, false, false, false]);
  assert.equal(placed("fox", 4), "fox 4");
  assert.equal(placed("שלום", 4), "\u2068שלום\u2069 4");
});
