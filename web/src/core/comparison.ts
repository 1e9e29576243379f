// Two matrices of weights and what lies between them.
import type { Capture, Matrix } from "../data/types";

export interface Difference {
  matrix: Matrix; // second − first
  largest: number; // in absolute value
  mean: number; // of the absolute values
  divergence: number; // Jensen–Shannon in nats, mean over the rows
}

// Of rows brought to a sum of 1; a row that sees nothing in both does not count.
function rowDivergence(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  const sum = (row: ArrayLike<number>) => Array.prototype.reduce.call(row, (x, y) => (x as number) + (y as number), 0) as number;
  const [sumA, sumB] = [sum(a), sum(b)];
  if (sumA <= 0 && sumB <= 0) return null;
  if (sumA <= 0 || sumB <= 0) return Math.log(2);
  let total = 0;
  for (let j = 0; j < a.length; ++j) {
    const [p, q] = [a[j] / sumA, b[j] / sumB];
    const middle = (p + q) / 2;
    if (p > 0) total += 0.5 * p * Math.log(p / middle);
    if (q > 0) total += 0.5 * q * Math.log(q / middle);
  }
  return total;
}

// Null if the shapes differ.
export function differenceOf(first: Matrix, second: Matrix): Difference | null {
  const { rows, columns } = first;
  if (rows !== second.rows || columns !== second.columns) return null;
  const data = new Float32Array(rows * columns);
  let [largest, sum, divergence, counted] = [0, 0, 0, 0];
  for (let i = 0; i < data.length; ++i) {
    data[i] = second.data[i] - first.data[i];
    largest = Math.max(largest, Math.abs(data[i]));
    sum += Math.abs(data[i]);
  }
  for (let i = 0; i < rows; ++i) {
    const part = (matrix: Matrix) => matrix.data.subarray(i * columns, (i + 1) * columns);
    const one = rowDivergence(part(first), part(second));
    if (one === null) continue;
    divergence += one;
    ++counted;
  }
  return { matrix: { rows, columns, data }, largest, mean: data.length ? sum / data.length : 0, divergence: counted ? divergence / counted : 0 };
}

// The run to compare with: the one that was chosen; else one of the same model, best of as many tokens, the last one
// made. Null: the person has to choose.
export function otherRun(all: Capture[], first: Capture, chosen: string): Capture | null {
  const others = all.filter(({ id }) => id !== first.id);
  const named = others.find(({ id }) => id === chosen);
  if (named) return named;
  const alike = others.filter(({ model }) => model === first.model);
  const extent = ({ kinds }: Capture) => kinds.map(({ kind, queries, keys }) => `${kind} ${queries} ${keys}`).join();
  return alike.filter((one) => extent(one) === extent(first)).at(-1) ?? alike.at(-1) ?? null;
}
