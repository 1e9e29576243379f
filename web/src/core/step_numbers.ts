// Every matrix of one head's attention: of a toy example, computed here in double, or of a model, as the model
// computed them in float32 (scores, which no fused kernel keeps, are computed here from its q and k).
import { at, columnsOf, filled, fromRows, product, productTransposed, softmaxParts, zeros } from "./matrix";
import type { NumberEdit } from "./hash";
import type { TensorFile } from "../data/safetensors";
import type { Account, Matrix } from "../data/types";

export interface StepNumbers {
  ofModel: boolean;
  queryTokens: string[];
  keyTokens: string[];
  head: number;
  heads: number;
  scale: number; // what the scores are multiplied by
  scaled: boolean; // false: the model does not scale (T5)
  softcap: number; // 0: off
  firstQuery: number; // position of row 0 of the crop
  firstKey: number;
  allKeys: boolean; // are all keys in the crop?
  x: Matrix | null; // [n, E]; null: q, k, v are given
  memory: Matrix | null; // [m, E]; what keys and values come from
  self: boolean; // x and memory are the same matrix
  wq: Matrix | null; // [E, D]; null: Q = X
  wk: Matrix | null;
  wv: Matrix | null;
  bq: Matrix | null; // [1, D]
  bk: Matrix | null;
  bv: Matrix | null;
  qBefore: Matrix | null; // before the rotation by position
  kBefore: Matrix | null;
  q: Matrix; // [n, D]
  k: Matrix; // [m, D]
  v: Matrix; // [m, Dv]
  scores: Matrix; // [n, m]
  scaledScores: Matrix;
  capped: Matrix | null;
  bias: Matrix | null;
  visible: Matrix | null; // 1 and 0; null: everything visible
  ownMask?: boolean; // the person may change it
  finalScores: Matrix; // with bias, hidden ones −∞
  maximum: Matrix; // [n, 1], over all keys
  exponentials: Matrix;
  sum: Matrix; // [n, 1], over all keys
  weights: Matrix;
  headOutput: Matrix; // [n, Dv]
  concat: Matrix | null; // [n, H·Dv]
  wo: Matrix | null; // [H·Dv, E]
  bo: Matrix | null;
  output: Matrix | null; // [n, E]
}

export interface ToyInputs {
  x: Matrix | null;
  memory: Matrix | null; // null: keys and values come from x
  wq: Matrix | null;
  wk: Matrix | null;
  wv: Matrix | null;
  q: Matrix | null; // given where there is no x
  k: Matrix | null;
  v: Matrix | null;
  wo: Matrix | null;
  mask: Matrix | null; // 0 and −∞
  heads: number;
  scale: number;
  tokens: string[];
  memoryTokens: string[];
}

const numberOf = (value: number | string) =>
  typeof value === "number" ? value : value === "-inf" ? -Infinity : value === "inf" ? Infinity : NaN;

// The inputs of an account; everything else in it follows from them.
export function inputsOf(account: Account): ToyInputs {
  const find = (name: string): Matrix | null => {
    const step = account.steps.find((candidate) => candidate.name === name);
    return step ? fromRows(step.matrix.map((row) => row.map(numberOf))) : null;
  };
  const x = find("x");
  return {
    x,
    memory: find("memory"),
    wq: find("w_q"), wk: find("w_k"), wv: find("w_v"), wo: find("w_o"),
    q: x ? null : find("q"), k: x ? null : find("k"), v: x ? null : find("v"),
    mask: find("mask"),
    heads: account.heads,
    scale: account.scale,
    tokens: account.tokens,
    memoryTokens: account.memory_tokens,
  };
}

// Numbers of the person's own in place of the example's; places that it does not have are left out.
export function withEdits(inputs: ToyInputs, edits: NumberEdit[]): ToyInputs {
  const changed = { ...inputs };
  for (const { matrix: name, row, column, value } of edits) {
    const matrix = changed[name];
    if (!matrix || row >= matrix.rows || column >= matrix.columns) continue;
    const data = Float64Array.from(matrix.data);
    data[row * matrix.columns + column] = value;
    changed[name] = { ...matrix, data };
  }
  return changed;
}

function projected(input: Matrix, weights: Matrix | null): Matrix {
  return weights ? product(input, weights) : input;
}

interface HeadNumbers {
  q: Matrix;
  k: Matrix;
  v: Matrix;
  scores: Matrix;
  scaledScores: Matrix;
  finalScores: Matrix;
  softmax: ReturnType<typeof softmaxParts>;
  output: Matrix;
}

function headOf(inputs: ToyInputs, whole: { q: Matrix; k: Matrix; v: Matrix }, head: number): HeadNumbers {
  const part = (matrix: Matrix) => {
    const width = matrix.columns / inputs.heads;
    return inputs.heads === 1 ? matrix : columnsOf(matrix, head * width, (head + 1) * width);
  };
  const q = part(whole.q);
  const k = part(whole.k);
  const v = part(whole.v);
  const scores = productTransposed(q, k);
  const scaledScores = filled(scores.rows, scores.columns, (i, j) => at(scores, i, j) * inputs.scale);
  const mask = inputs.mask;
  const finalScores = mask
    ? filled(scores.rows, scores.columns, (i, j) => at(scaledScores, i, j) + at(mask, i, j))
    : scaledScores;
  const softmax = softmaxParts(finalScores);
  return { q, k, v, scores, scaledScores, finalScores, softmax, output: product(softmax.weights, v) };
}

export function toyNumbers(inputs: ToyInputs, head: number): StepNumbers {
  const memory = inputs.memory ?? inputs.x;
  const whole = {
    q: inputs.q ?? projected(inputs.x!, inputs.wq),
    k: inputs.k ?? projected(memory!, inputs.wk),
    v: inputs.v ?? projected(memory!, inputs.wv),
  };
  const all = Array.from({ length: inputs.heads }, (_, h) => headOf(inputs, whole, h));
  const chosen = all[head];
  const part = (weights: Matrix | null) => {
    const width = (weights?.columns ?? 0) / inputs.heads;
    return weights && inputs.heads > 1 ? columnsOf(weights, head * width, (head + 1) * width) : weights;
  };
  const concat = inputs.heads > 1 ? besideEachOther(all.map((one) => one.output)) : null;
  const last = concat ?? chosen.output;
  const { mask } = inputs;
  return {
    ofModel: false,
    queryTokens: inputs.tokens, keyTokens: inputs.memoryTokens,
    head, heads: inputs.heads,
    scale: inputs.scale, scaled: inputs.scale !== 1 || whole.q.columns / inputs.heads === 1, softcap: 0,
    firstQuery: 0, firstKey: 0, allKeys: true,
    x: inputs.x, memory, self: inputs.memory === null,
    wq: part(inputs.wq), wk: part(inputs.wk), wv: part(inputs.wv), bq: null, bk: null, bv: null,
    qBefore: null, kBefore: null,
    q: chosen.q, k: chosen.k, v: chosen.v,
    scores: chosen.scores, scaledScores: chosen.scaledScores, capped: null, bias: null,
    visible: mask && filled(mask.rows, mask.columns, (i, j) => (at(mask, i, j) === -Infinity ? 0 : 1)),
    finalScores: chosen.finalScores,
    maximum: chosen.softmax.maximum, exponentials: chosen.softmax.exponentials, sum: chosen.softmax.sum,
    weights: chosen.softmax.weights, headOutput: chosen.output,
    concat, wo: inputs.wo, bo: null, output: inputs.wo ? product(last, inputs.wo) : null,
  };
}

function besideEachOther(parts: Matrix[]): Matrix {
  const width = parts[0].columns;
  return filled(parts[0].rows, width * parts.length, (i, j) => at(parts[Math.floor(j / width)], i, j % width));
}

export interface ModelStepContext {
  queryTokens: string[]; // of the rows of the crop
  keyTokens: string[];
  head: number;
  heads: number;
  scale: number;
  scaled: boolean;
  firstQuery: number;
  firstKey: number;
  keys: number; // all of them
  self: boolean;
}

export function modelNumbers(file: TensorFile, context: ModelStepContext): StepNumbers {
  const read = (name: string): Matrix | null => {
    if (!file.has(name)) return null;
    const shape = file.shape(name);
    const columns = shape[shape.length - 1];
    const rows = shape.length === 1 ? 1 : shape[0];
    return { rows, columns, data: Float64Array.from(file.floats(name)) };
  };
  const q = read("q") ?? zeros(0, 0);
  const k = read("k") ?? zeros(0, 0);
  const softcap = Number(file.metadata["softcap"] ?? 0) || 0;
  const scores = productTransposed(q, k);
  const scaledScores = filled(q.rows, k.rows, (i, j) => at(scores, i, j) * context.scale);
  const capped = softcap
    ? filled(q.rows, k.rows, (i, j) => softcap * Math.tanh(at(scaledScores, i, j) / softcap))
    : null;
  const bias = read("bias");
  const seen = read("visible");
  const visible = seen?.data.some((value) => value === 0) ? seen : null;
  const finalScores = filled(q.rows, k.rows, (i, j) => {
    if (visible && at(visible, i, j) === 0) return -Infinity;
    return at(capped ?? scaledScores, i, j) + (bias ? at(bias, i, j) : 0);
  });
  const largest = file.floats("maximum_score");
  const maximum = filled(q.rows, 1, (i) => largest[i]);
  const logSum = file.floats("logsumexp");
  const hasRow = (i: number) => Number.isFinite(maximum.data[i]);
  return {
    ...context,
    ofModel: true,
    softcap,
    allKeys: k.rows === context.keys,
    x: read("x"), memory: read("memory"),
    wq: read("w_q"), wk: read("w_k"), wv: read("w_v"), bq: read("b_q"), bk: read("b_k"), bv: read("b_v"),
    qBefore: read("q_projected"), kBefore: read("k_projected"),
    q, k, v: read("v") ?? zeros(0, 0),
    scores, scaledScores, capped, bias, visible, finalScores, maximum,
    exponentials: filled(q.rows, k.rows, (i, j) => (hasRow(i) ? Math.exp(at(finalScores, i, j) - maximum.data[i]) : 0)),
    sum: filled(q.rows, 1, (i) => (hasRow(i) ? Math.exp(logSum[i] - maximum.data[i]) : 0)),
    weights: read("weights") ?? zeros(0, 0),
    headOutput: read("head_output") ?? zeros(0, 0),
    concat: read("concat"), wo: read("w_o"), bo: read("b_o"), output: read("output"),
  };
}
