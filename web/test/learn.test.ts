import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../src/learn/marked";
import { placeOf, placeText } from "../src/learn/place";
import { readProgress } from "../src/learn/progress";
import { answerText, numberOf, numbersIn } from "../src/learn/typed";

test("marks of the lessons' texts", () => {
  assert.deepEqual(partsOf("**Step 1:** a *name*, 2 * 3"), [
    { text: "Step 1:", as: "strong" }, { text: " a ", as: "plain" }, { text: "name", as: "name" }, { text: ", 2 * 3", as: "plain" },
  ]);
  assert.deepEqual(partsOf("**open <b>"), [{ text: "**open <b>", as: "plain" }]);
  assert.deepEqual(partsOf(""), []);
});

test("places survive the way through the address, and nonsense leads to the path", () => {
  for (const text of ["", "lesson.masks", "lesson.masks.2", "exercise.deep-ml-self", "question.formula", "reading"]) {
    assert.equal(placeText(placeOf(text)), text);
  }
  assert.deepEqual(placeOf("lesson.masks.0"), { page: "lesson", id: "masks", step: 1 });
  assert.deepEqual(placeOf("lesson.masks.x"), { page: "lesson", id: "masks", step: 1 });
  for (const text of ["lesson", "lesson.", "nonsense.masks", "exercise"]) assert.deepEqual(placeOf(text), { page: "path" }, text);
});

test("progress is read from whatever stands in the storage", () => {
  const nothing = { lessons: [], exercises: [], questions: [] };
  for (const text of [null, "", "null", "7", "[]", "{", '{"lessons": "masks"}', '{"lessons": {"0": "a"}}']) assert.deepEqual(readProgress(text), nothing, String(text));
  assert.deepEqual(readProgress('{"lessons": ["masks", 3, null], "more": 1}'), { ...nothing, lessons: ["masks"] });
});

test("numbers as people type and paste them", () => {
  for (const minus of ["-", "−", "–", "－"]) assert.equal(numberOf(`${minus}0.5`), -0.5, minus);
  for (const [text, number] of [["0.231", 0.231], [" −1.5 ", -1.5], [".5", 0.5], ["+2.", 2], ["1e-3", 0.001], ["０．５", 0.5], ["0。25", 0.25]] as const) {
    assert.equal(numberOf(text), number, text);
  }
  for (const text of ["", " ", "1,5", "0x10", "1e999", "NaN", "--1", "1 2", "e3"]) assert.equal(numberOf(text), null, text);
  assert.deepEqual(numbersIn("[[0.231, -0.629],\n [1e-3 .5]]"), ["0.231", "-0.629", "1e-3", ".5"]);
  assert.equal(answerText([" .500", "−2.", "+1.0e-2", "0.140"]), "0.500 -2 1.0e-2 0.140", "zeros at the end count");
});
