import assert from "node:assert/strict";
import { test } from "node:test";
import { FirstAnswer } from "../src/data/first_answer";

const tick = () => new Promise((done) => setImmediate(done));

function answer() {
  let [come, fail] = [(_: string) => undefined as void, (_: Error) => undefined as void];
  const promise = new Promise<string>((resolve, reject) => ([come, fail] = [resolve, reject]));
  return { promise, come, fail };
}

// Is it this change's turn?
async function free(first: FirstAnswer, change: string): Promise<boolean> {
  let came = false;
  void Promise.resolve(first.turn(change)).then(() => (came = true));
  await tick();
  return came;
}

test("all else of a change waits until its prediction is on the screen", async () => {
  const [prediction, paint] = [answer(), answer()];
  const first = new FirstAnswer(() => paint.promise.then(() => undefined));
  const led = first.lead("L0H1", prediction.promise);
  assert.equal(await free(first, "L0H1"), false);
  assert.equal(await free(first, "L0H2"), true, "another change");
  assert.equal(await free(first, ""), true, "no change");
  prediction.come("said");
  assert.equal(await led, "said");
  assert.equal(await free(first, "L0H1"), false, "here, but not painted");
  paint.come("");
  await tick();
  assert.equal(await free(first, "L0H1"), true);
  assert.equal(first.turn("L0H1"), undefined, "nothing is kept");
});

test("a prediction that fails, or is left, holds nobody up", async () => {
  const prediction = answer();
  const first = new FirstAnswer(() => new Promise(() => undefined));
  const led = first.lead("L0H1", prediction.promise);
  prediction.fail(new Error("left"));
  await assert.rejects(led, /left/);
  assert.equal(await free(first, "L0H1"), true);
});

test("of two predictions of a change the later one leads", async () => {
  const [one, two] = [answer(), answer()];
  const first = new FirstAnswer(() => Promise.resolve());
  void first.lead("L0H1", one.promise);
  void first.lead("L0H1", two.promise);
  one.come("");
  await tick();
  assert.equal(await free(first, "L0H1"), false);
  two.come("");
  await tick();
  assert.equal(await free(first, "L0H1"), true);
});

test("a prediction without a change leads nobody", () => {
  const first = new FirstAnswer(() => Promise.resolve());
  void first.lead("", new Promise(() => undefined));
  assert.equal(first.turn(""), undefined);
});
