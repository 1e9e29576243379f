// The account of one head as a row of stages: operands, result, and how each number of the result came about.
import {
  exponentialSum, finalScoreSum, headOutputSum, maximumSum, productSum, scaleSum, scoreSum, sumSum, weightSum,
} from "./cell_sums";
import type { CellSum } from "./cell_sums";
import { rotationSum } from "./rotation";
import { transposed } from "./matrix";
import type { StepNumbers, ToyInputs } from "./step_numbers";
import type { Matrix } from "../data/types";

export type StageName =
  | "input" | "queries" | "keys" | "values" | "rotation" | "scores" | "scale" | "bias" | "softmax" | "mix"
  | "concat" | "output";

export interface Box {
  name: string; // "Q"
  matrix: Matrix;
  rowLabels: string[];
  columnLabels: string[];
  shape: string; // in letters: "N × D"
  input?: keyof ToyInputs; // the person may change the numbers
  sum?: (row: number, column: number) => CellSum;
  marked?: [number, number]; // columns [begin, end) of this head
}

export interface Stage {
  name: StageName;
  formula: string;
  boxes: Box[];
  operators: string[]; // between the boxes
}

interface Labels {
  queries: string[];
  keys: string[];
}

type Projection = { letter: "Q" | "K" | "V"; stage: StageName; weights: keyof ToyInputs };

function inputStage(numbers: StepNumbers, labels: Labels): Stage {
  if (!numbers.x) {
    const box = (name: string, matrix: Matrix, rowLabels: string[], shape: string, input: keyof ToyInputs): Box => ({
      name, matrix, rowLabels, columnLabels: [], shape, input,
    });
    return {
      name: "input",
      formula: "Q, K, V",
      boxes: [
        box("Q", numbers.q, labels.queries, "N × D", "q"),
        box("K", numbers.k, labels.keys, "M × D", "k"),
        box("V", numbers.v, labels.keys, "M × Dv", "v"),
      ],
      operators: [",", ","],
    };
  }
  const editable = numbers.ofModel ? undefined : ("x" as const);
  const boxes: Box[] = [
    { name: "X", matrix: numbers.x, rowLabels: labels.queries, columnLabels: [], shape: "N × E", input: editable },
  ];
  if (!numbers.self && numbers.memory) {
    const input = numbers.ofModel ? undefined : ("memory" as const);
    boxes.push({ name: "Y", matrix: numbers.memory, rowLabels: labels.keys, columnLabels: [], shape: "M × E", input });
  }
  return { name: "input", formula: boxes.map((box) => box.name).join(", "), boxes, operators: [","] };
}

function projectionStage(numbers: StepNumbers, labels: Labels, which: Projection): Stage | null {
  const { letter } = which;
  const [weights, bias, result] = {
    Q: [numbers.wq, numbers.bq, numbers.qBefore ?? numbers.q] as const,
    K: [numbers.wk, numbers.bk, numbers.kBefore ?? numbers.k] as const,
    V: [numbers.wv, numbers.bv, numbers.v] as const,
  }[letter];
  const from = letter === "Q" ? numbers.x : numbers.memory;
  if (!weights || !from) return null;
  const rows = letter === "Q" ? labels.queries : labels.keys;
  const fromName = letter === "Q" || numbers.self ? "X" : "Y";
  const small = letter.toLowerCase();
  const extent = letter === "Q" ? "N" : "M";
  const width = letter === "V" ? "Dv" : "D";
  const left = { name: fromName, matrix: from };
  const right = { name: `W_${small}`, matrix: weights };
  const added = bias ? { name: `b_${small}`, matrix: bias } : null;
  // One head of several: its columns cannot be changed alone.
  const input = numbers.ofModel || numbers.heads > 1 ? undefined : which.weights;
  const boxes: Box[] = [
    { name: fromName, matrix: from, rowLabels: rows, columnLabels: [], shape: `${extent} × E` },
    { name: right.name, matrix: weights, rowLabels: [], columnLabels: [], shape: `E × ${width}`, input },
  ];
  if (added) boxes.push({ name: added.name, matrix: added.matrix, rowLabels: [], columnLabels: [], shape: `1 × ${width}` });
  boxes.push({
    name: letter, matrix: result, rowLabels: rows, columnLabels: [], shape: `${extent} × ${width}`,
    sum: (i, j) => productSum({ name: letter, matrix: result }, left, right, added, i, j, numbers.ofModel),
  });
  const formula = `${letter} = ${fromName} · W_${small}${added ? ` + b_${small}` : ""}`;
  return { name: which.stage, formula, boxes, operators: added ? ["·", "+", "="] : ["·", "="] };
}

function rotationStage(numbers: StepNumbers, labels: Labels): Stage | null {
  const { qBefore, kBefore } = numbers;
  if (!qBefore || !kBefore) return null;
  const pair = (name: string, before: Matrix, after: Matrix, rowLabels: string[], extent: string): Box[] => [
    { name, matrix: before, rowLabels, columnLabels: [], shape: `${extent} × D` },
    {
      name: `${name}ᵣ`, matrix: after, rowLabels, columnLabels: [], shape: `${extent} × D`,
      sum: (i, d) => rotationSum(name, before, after, i, d),
    },
  ];
  return {
    name: "rotation",
    formula: "(a, b) → (a cos θ − b sin θ, a sin θ + b cos θ)",
    boxes: [
      ...pair("Q", qBefore, numbers.q, labels.queries, "N"),
      ...pair("K", kBefore, numbers.k, labels.keys, "M"),
    ],
    operators: ["→", ",", "→"],
  };
}

function scoreStages(numbers: StepNumbers, labels: Labels): Stage[] {
  const square = { rowLabels: labels.queries, columnLabels: labels.keys, shape: "N × M" };
  const input = (name: "q" | "k") => (numbers.x || numbers.ofModel ? undefined : name);
  const stages: Stage[] = [{
    name: "scores",
    formula: "S = Q · Kᵀ",
    boxes: [
      { name: "Q", matrix: numbers.q, rowLabels: labels.queries, columnLabels: [], shape: "N × D", input: input("q") },
      { name: "Kᵀ", matrix: transposed(numbers.k), rowLabels: [], columnLabels: labels.keys, shape: "D × M" },
      { name: "S", matrix: numbers.scores, ...square, sum: (i, j) => scoreSum(numbers, i, j) },
    ],
    operators: ["·", "="],
  }];
  const scaledBox = { name: "S′", matrix: numbers.scaledScores, ...square };
  stages.push({
    name: "scale",
    formula: numbers.scaled ? "S′ = S / √d" : "S′ = S",
    boxes: [
      { name: "S", matrix: numbers.scores, ...square },
      { ...scaledBox, sum: (i, j) => scaleSum(numbers, i, j) },
    ],
    operators: ["→"],
  });
  if (!numbers.bias && !numbers.visible && !numbers.capped) return stages;
  const boxes: Box[] = [scaledBox];
  if (numbers.bias) boxes.push({ name: "B", matrix: numbers.bias, ...square });
  if (numbers.visible) boxes.push({ name: "mask", matrix: numbers.visible, ...square, ...(numbers.ownMask ? { input: "mask" as const } : {}) });
  boxes.push({ name: "Z", matrix: numbers.finalScores, ...square, sum: (i, j) => finalScoreSum(numbers, i, j) });
  const operators = [...boxes.slice(2).map(() => "+"), "="];
  const parts = [numbers.capped ? "c·tanh(S′/c)" : "S′", numbers.bias && "B", numbers.visible && "mask"];
  stages.push({ name: "bias", formula: `Z = ${parts.filter(Boolean).join(" + ")}`, boxes, operators });
  return stages;
}

function softmaxStage(numbers: StepNumbers, labels: Labels): Stage {
  const square = { rowLabels: labels.queries, columnLabels: labels.keys, shape: "N × M" };
  const perRow = { rowLabels: labels.queries, columnLabels: [], shape: "N × 1" };
  const scores = numbers.finalScores === numbers.scaledScores || (!numbers.bias && !numbers.visible && !numbers.capped);
  return {
    name: "softmax",
    formula: "A = exp(Z − max) / Σ exp(Z − max)",
    boxes: [
      { name: scores ? "S′" : "Z", matrix: numbers.finalScores, ...square },
      { name: "max", matrix: numbers.maximum, ...perRow, sum: (i) => maximumSum(numbers, i) },
      { name: "E", matrix: numbers.exponentials, ...square, sum: (i, j) => exponentialSum(numbers, i, j) },
      { name: "Σ", matrix: numbers.sum, ...perRow, sum: (i) => sumSum(numbers, i) },
      { name: "A", matrix: numbers.weights, ...square, sum: (i, j) => weightSum(numbers, i, j) },
    ],
    operators: ["→", "→", "→", "→"],
  };
}

function outputStages(numbers: StepNumbers, labels: Labels): Stage[] {
  const rows = { rowLabels: labels.queries, columnLabels: [] };
  const value = numbers.x || numbers.ofModel ? undefined : ("v" as const);
  const head: Box = { name: "O", matrix: numbers.headOutput, ...rows, shape: "N × Dv" };
  const stages: Stage[] = [{
    name: "mix",
    formula: "O = A · V",
    boxes: [
      { name: "A", matrix: numbers.weights, rowLabels: labels.queries, columnLabels: labels.keys, shape: "N × M" },
      { name: "V", matrix: numbers.v, rowLabels: labels.keys, columnLabels: [], shape: "M × Dv", input: value },
      { ...head, sum: (i, d) => headOutputSum(numbers, i, d) },
    ],
    operators: ["·", "="],
  }];
  const { concat, wo, output } = numbers;
  const width = numbers.headOutput.columns;
  const marked: [number, number] = [numbers.head * width, (numbers.head + 1) * width];
  if (concat) {
    const box: Box = { name: "C", matrix: concat, ...rows, shape: "N × H·Dv", marked };
    stages.push({ name: "concat", formula: "C = [O₀ … O_H₋₁]", boxes: [head, box], operators: ["→"] });
  }
  if (!wo || !output) return stages;
  const left = concat ? { name: "C", matrix: concat } : { name: "O", matrix: numbers.headOutput };
  const right = { name: "W_o", matrix: wo };
  const bias = numbers.bo ? { name: "b_o", matrix: numbers.bo } : null;
  const boxes: Box[] = [
    { ...left, ...rows, shape: "N × H·Dv", ...(concat ? { marked } : {}) },
    { ...right, rowLabels: [], columnLabels: [], shape: "H·Dv × E", ...(numbers.ofModel ? {} : { input: "wo" as const }) },
  ];
  if (bias) boxes.push({ ...bias, rowLabels: [], columnLabels: [], shape: "1 × E" });
  boxes.push({
    name: "Out", matrix: output, ...rows, shape: "N × E",
    sum: (i, j) => productSum({ name: "Out", matrix: output }, left, right, bias, i, j, numbers.ofModel),
  });
  const formula = `Out = ${left.name} · W_o${bias ? " + b_o" : ""}`;
  stages.push({ name: "output", formula, boxes, operators: bias ? ["·", "+", "="] : ["·", "="] });
  return stages;
}

export function stagesOf(numbers: StepNumbers): Stage[] {
  const labels = { queries: numbers.queryTokens, keys: numbers.keyTokens };
  const projections: Projection[] = [
    { letter: "Q", stage: "queries", weights: "wq" },
    { letter: "K", stage: "keys", weights: "wk" },
    { letter: "V", stage: "values", weights: "wv" },
  ];
  const projected = projections.map((which) => projectionStage(numbers, labels, which));
  const stages = [inputStage(numbers, labels), ...projected, rotationStage(numbers, labels)];
  return [
    ...stages.filter((stage): stage is Stage => stage !== null),
    ...scoreStages(numbers, labels),
    softmaxStage(numbers, labels),
    ...outputStages(numbers, labels),
  ];
}
