import assert from "node:assert/strict";
import { test } from "node:test";
import { fromRows, toRows } from "../src/core/matrix";
import { stagesOf } from "../src/core/stages";
import { toyNumbers } from "../src/core/step_numbers";
import type { ToyInputs } from "../src/core/step_numbers";
import { pairsHalves, rotationSum } from "../src/core/rotation";
import type { Matrix } from "../src/data/types";

const nothing: ToyInputs = {
  x: null, memory: null, wq: null, wk: null, wv: null, q: null, k: null, v: null, wo: null, mask: null, heads: 1,
  scale: 1, tokens: [], memoryTokens: [],
};

function near(got: Matrix, expected: number[][], digits = 8): void {
  assert.deepEqual([got.rows, got.columns], [expected.length, expected[0].length]);
  toRows(got).forEach((row, i) =>
    row.forEach((value, j) => assert.equal(value.toFixed(digits), expected[i][j].toFixed(digits), `[${i},${j}]`)),
  );
}

// The true numbers were computed in double by NumPy.
test("one query, three keys", () => {
  const numbers = toyNumbers({
    ...nothing, q: fromRows([[1, 0]]), k: fromRows([[1, 0], [0, 1], [1, 0]]), v: fromRows([[10, 0], [0, 20], [30, 0]]),
    scale: 1 / Math.SQRT2,
  }, 0);
  near(numbers.scores, [[1, 0, 1]]);
  near(numbers.scaledScores, [[0.70710678, 0, 0.70710678]]);
  near(numbers.weights, [[0.40111209, 0.19777581, 0.40111209]]);
  near(numbers.headOutput, [[16.04448371, 3.95551629]]);
});

test("exercises 1 and 2", () => {
  const first = toyNumbers({ ...nothing, q: fromRows([[1]]), k: fromRows([[1], [2], [0.5]]), v: fromRows([[10], [20], [5]]) }, 0);
  near(first.weights, [[0.2312239, 0.62853172, 0.14024438]]);
  near(first.headOutput, [[15.58409528]]);
  const second = toyNumbers({
    ...nothing, q: fromRows([[1, 0]]), k: fromRows([[1, 0], [0, 1]]), v: fromRows([[5, 0], [0, 10]]), scale: 1 / Math.SQRT2,
  }, 0);
  near(second.weights, [[0.66976155, 0.33023845]]);
  near(second.headOutput, [[3.34880775, 3.30238451]]);
});

test("我 喜欢 AI", () => {
  const numbers = toyNumbers({ ...nothing, x: fromRows([[1, 0.5], [0.8, 0.6], [0.5, 1]]), scale: 1 / Math.SQRT2 }, 0);
  near({ ...numbers.scaledScores, rows: 1 }, [[0.88388348, 0.77781746, 0.70710678]]);
  near({ ...numbers.weights, rows: 1 }, [[0.3653192, 0.3285554, 0.30612539]]);
  near({ ...numbers.headOutput, rows: 1 }, [[0.78122622, 0.68591824]]);
});

const seed42 = [
  [0.4967141530112327, -0.13826430117118466, 0.6476885381006925, 1.5230298564080254],
  [-0.23415337472333597, -0.23413695694918055, 1.5792128155073915, 0.7674347291529088],
  [-0.4694743859349521, 0.5425600435859647, -0.46341769281246226, -0.46572975357025687],
  [0.24196227156603412, -1.913280244657798, -1.7249178325130328, -0.5622875292409727],
];
const seed42Keys = [
  [-1.0128311203344238, 0.3142473325952739, -0.9080240755212109, -1.4123037013352915],
  [1.465648768921554, -0.22577630048653566, 0.06752820468792384, -1.4247481862134568],
  [-0.5443827245251827, 0.11092258970986608, -1.1509935774223028, 0.37569801834567196],
  [-0.600638689918805, -0.2916937497932768, -0.6017066122293969, 1.8522781845089378],
];

test("I love AI: projections, scores, weights", () => {
  const numbers = toyNumbers({
    ...nothing, x: fromRows([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]), wq: fromRows(seed42), wk: fromRows(seed42Keys),
    wv: fromRows(seed42Keys), scale: 0.5,
  }, 0);
  near({ ...numbers.q, rows: 1 }, [[0.02723977, 0.40429574, 0.18427085, 1.0573001]]);
  assert.deepEqual(toRows(numbers.scores)[1].map((value) => value.toFixed(8)), ["-1.67564976", "5.13407167", "0.89138608"]);
  near(numbers.weights, [
    [0.22695843, 0.52620171, 0.24683985], [0.02880233, 0.86724101, 0.10395666], [0.06333749, 0.80579188, 0.13087063],
  ]);
});

test("the exercises in Deep-ML's manner", () => {
  const identity = fromRows([[1, 0], [0, 1]]);
  const single = toyNumbers({ ...nothing, x: identity, wq: identity, wk: identity, wv: fromRows([[1, 2], [3, 4]]), scale: 1 / Math.SQRT2 }, 0);
  near(single.headOutput, [[1.6604769, 2.6604769], [2.3395231, 3.3395231]], 7);
  const several = toyNumbers({ ...nothing, q: identity, k: identity, v: identity, heads: 2 }, 0);
  near(several.concat!, [[0.7311, 0.5], [0.5, 0.7311]], 4);
});

test("a mask hides, and a row that sees nothing is zero", () => {
  const x = fromRows([[1, 0.5], [0.8, 0.6]]);
  const numbers = toyNumbers({ ...nothing, x, mask: fromRows([[-Infinity, -Infinity], [0, -Infinity]]) }, 0);
  near(numbers.weights, [[0, 0], [1, 0]]);
  near(numbers.headOutput, [[0, 0], [1, 0.5]]);
});

test("every sum that is shown gives the number it explains", () => {
  const inputs: ToyInputs = {
    ...nothing, x: fromRows([[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]]), wq: fromRows(seed42), wk: fromRows(seed42Keys),
    wv: fromRows(seed42), wo: fromRows(seed42Keys), heads: 2, scale: 1 / Math.SQRT2, tokens: ["I", "love", "AI"],
    memoryTokens: ["I", "love", "AI"], mask: fromRows([[0, -Infinity, 0], [0, 0, 0], [0, 0, -Infinity]]),
  };
  for (const head of [0, 1]) {
    const stages = stagesOf(toyNumbers(inputs, head));
    assert.deepEqual(stages.map((stage) => stage.name), [
      "input", "queries", "keys", "values", "scores", "scale", "bias", "softmax", "mix", "concat", "output",
    ]);
    let sums = 0;
    for (const { boxes } of stages) {
      for (const { matrix, sum, name } of boxes) {
        if (!sum) continue;
        for (let i = 0; i < matrix.rows; ++i) {
          for (let j = 0; j < matrix.columns; ++j, ++sums) {
            const value = matrix.data[i * matrix.columns + j];
            const shown: number = sum(i, j).result;
            assert.ok(shown === value || Math.abs(shown - value) < 1e-12, `${name}[${i},${j}] ${shown} ${value}`);
          }
        }
      }
    }
    assert.ok(sums > 80);
  }
});

test("rotation: the pairs are recognised and the sum gives the rotated number", () => {
  const before = fromRows([[1, 2, 3, 4], [0.5, -1, 2, 0.25]]);
  const turn = (a: number, b: number, angle: number) => [
    a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle),
  ];
  const neighbours = fromRows(toRows(before).map(([a, b, c, d], i) => [...turn(a, b, i + 1), ...turn(c, d, 0.1 * (i + 1))]));
  const halves = fromRows(toRows(before).map(([a, b, c, d], i) => {
    const [first, second] = [turn(a, c, i + 1), turn(b, d, 0.1 * (i + 1))];
    return [first[0], second[0], first[1], second[1]];
  }));
  assert.equal(pairsHalves(before, neighbours), false);
  assert.equal(pairsHalves(before, halves), true);
  for (const after of [neighbours, halves]) {
    for (let i = 0; i < 2; ++i) {
      for (let d = 0; d < 4; ++d) {
        assert.ok(Math.abs(rotationSum("Q", before, after, i, d).result - after.data[4 * i + d]) < 1e-12);
      }
    }
  }
});
