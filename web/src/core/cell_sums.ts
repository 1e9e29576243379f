// How one number of a step came about: its terms, in order, and their sum in double.
import { at } from "./matrix";
import { exactText, shortText } from "./numbers";
import type { StepNumbers } from "./step_numbers";
import type { Matrix } from "../data/types";

export interface Term {
  label: string; // "X[2,0] · W_q[0,5]"
  numbers: string; // "1 · 0.4967"
  value: number;
}

export interface CellSum {
  name: string; // "Q[2,5]"
  formula: string;
  terms: Term[];
  result: number; // computed here, in double
  stored: number | null; // what the model computed, in float32
  rest: number | null; // what keys outside of the crop add
}

export interface Operand {
  name: string;
  matrix: Matrix;
}

const cell = (name: string, row: number, column: number) => `${name}[${row},${column}]`;

function times(aName: string, a: number, bName: string, b: number): Term {
  return { label: `${aName} · ${bName}`, numbers: `${shortText(a)} · ${shortText(b)}`, value: a * b };
}

function summed(name: string, formula: string, terms: Term[], stored: number | null): CellSum {
  let result = 0;
  for (const term of terms) result += term.value;
  return { name, formula, terms, result, stored, rest: null };
}

// result[i,j] = Σ_e left[i,e] · right[e,j] (+ bias[j])
export function productSum(
  result: Operand, left: Operand, right: Operand, bias: Operand | null, i: number, j: number, stored: boolean,
): CellSum {
  const terms: Term[] = [];
  for (let e = 0; e < left.matrix.columns; ++e) {
    const a = at(left.matrix, i, e);
    const b = at(right.matrix, e, j);
    terms.push(times(cell(left.name, i, e), a, cell(right.name, e, j), b));
  }
  if (bias) {
    const value = bias.matrix.data[j];
    terms.push({ label: `${bias.name}[${j}]`, numbers: shortText(value), value });
  }
  const formula = `Σₑ ${left.name}[${i},e] · ${right.name}[e,${j}]${bias ? ` + ${bias.name}[${j}]` : ""}`;
  return summed(cell(result.name, i, j), formula, terms, stored ? at(result.matrix, i, j) : null);
}

// scores[i,j] = Σ_d Q[i,d] · K[j,d]
export function scoreSum(numbers: StepNumbers, i: number, j: number): CellSum {
  const terms: Term[] = [];
  for (let d = 0; d < numbers.q.columns; ++d) {
    terms.push(times(cell("Q", i, d), at(numbers.q, i, d), cell("K", j, d), at(numbers.k, j, d)));
  }
  return summed(cell("S", i, j), `Σ_d Q[${i},d] · K[${j},d]`, terms, null);
}

function single(name: string, formula: string, numbers: string, result: number, stored: number | null): CellSum {
  return { name, formula, terms: [{ label: formula, numbers, value: result }], result, stored, rest: null };
}

export function scaleSum(numbers: StepNumbers, i: number, j: number): CellSum {
  const score = at(numbers.scores, i, j);
  const formula = `S[${i},${j}] · ${exactText(numbers.scale)}`;
  const text = `${exactText(score)} · ${exactText(numbers.scale)}`;
  return single(cell("S′", i, j), formula, text, at(numbers.scaledScores, i, j), null);
}

export function finalScoreSum(numbers: StepNumbers, i: number, j: number): CellSum {
  const terms: Term[] = [];
  const scaled = at(numbers.scaledScores, i, j);
  if (numbers.capped) {
    const c = shortText(numbers.softcap);
    const text = `${c} · tanh(${shortText(scaled)} / ${c})`;
    terms.push({ label: `${c} · tanh(S′[${i},${j}] / ${c})`, numbers: text, value: at(numbers.capped, i, j) });
  } else {
    terms.push({ label: cell("S′", i, j), numbers: shortText(scaled), value: scaled });
  }
  if (numbers.bias) {
    const value = at(numbers.bias, i, j);
    terms.push({ label: cell("B", i, j), numbers: shortText(value), value });
  }
  if (numbers.visible) {
    const value = at(numbers.visible, i, j) ? 0 : -Infinity;
    terms.push({ label: cell("mask", i, j), numbers: shortText(value), value });
  }
  return summed(cell("Z", i, j), terms.map((term) => term.label).join(" + "), terms, null);
}

export function exponentialSum(numbers: StepNumbers, i: number, j: number): CellSum {
  const text = `exp(${shortText(at(numbers.finalScores, i, j))} − ${shortText(numbers.maximum.data[i])})`;
  return single(cell("E", i, j), `exp(Z[${i},${j}] − max[${i}])`, text, at(numbers.exponentials, i, j), null);
}

export function maximumSum(numbers: StepNumbers, i: number): CellSum {
  const row = Array.from({ length: numbers.k.rows }, (_, j) => at(numbers.finalScores, i, j));
  const text = row.slice(0, 12).map(shortText).join(", ") + (row.length > 12 || !numbers.allKeys ? ", …" : "");
  return single(`max[${i}]`, `max(Z[${i},·])`, text, numbers.maximum.data[i], null);
}

export function sumSum(numbers: StepNumbers, i: number): CellSum {
  const terms = Array.from({ length: numbers.k.rows }, (_, j) => {
    const value = at(numbers.exponentials, i, j);
    return { label: cell("E", i, j), numbers: shortText(value), value };
  });
  const sum = summed(`Σ[${i}]`, `Σ_j E[${i},j]`, terms, numbers.sum.data[i]);
  return withRest(sum, numbers);
}

export function weightSum(numbers: StepNumbers, i: number, j: number): CellSum {
  const e = at(numbers.exponentials, i, j);
  const sum = numbers.sum.data[i];
  const result = sum > 0 ? e / sum : 0;
  const stored = numbers.ofModel ? at(numbers.weights, i, j) : null;
  return single(cell("A", i, j), `E[${i},${j}] / Σ[${i}]`, `${shortText(e)} / ${shortText(sum)}`, result, stored);
}

export function headOutputSum(numbers: StepNumbers, i: number, d: number): CellSum {
  const terms = Array.from({ length: numbers.v.rows }, (_, j) =>
    times(cell("A", i, j), at(numbers.weights, i, j), cell("V", j, d), at(numbers.v, j, d)),
  );
  const name = cell("O", i, d);
  const sum = summed(name, `Σ_j A[${i},j] · V[j,${d}]`, terms, numbers.ofModel ? at(numbers.headOutput, i, d) : null);
  return withRest(sum, numbers);
}

// Where not all keys are in the crop, the rest of the sum is what is missing from the stored result.
function withRest(sum: CellSum, numbers: StepNumbers): CellSum {
  if (numbers.allKeys || sum.stored === null) return sum;
  return { ...sum, rest: sum.stored - sum.result, result: sum.stored };
}
