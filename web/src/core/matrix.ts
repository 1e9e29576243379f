// Small matrices in double, sums in the order in which they are written.
import type { Matrix } from "../data/types";

export function zeros(rows: number, columns: number): Matrix {
  return { rows, columns, data: new Float64Array(rows * columns) };
}

export function fromRows(values: number[][]): Matrix {
  const matrix = zeros(values.length, values[0]?.length ?? 0);
  values.forEach((row, i) => row.forEach((value, j) => (matrix.data[i * matrix.columns + j] = value)));
  return matrix;
}

export function toRows(matrix: Matrix): number[][] {
  return Array.from({ length: matrix.rows }, (_, i) =>
    Array.from(matrix.data.subarray(i * matrix.columns, (i + 1) * matrix.columns)),
  );
}

export const at = (matrix: Matrix, row: number, column: number) => matrix.data[row * matrix.columns + column];

export function filled(rows: number, columns: number, value: (row: number, column: number) => number): Matrix {
  const matrix = zeros(rows, columns);
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) matrix.data[i * columns + j] = value(i, j);
  }
  return matrix;
}

// a [n, e] · b [e, d]
export function product(a: Matrix, b: Matrix): Matrix {
  return filled(a.rows, b.columns, (i, j) => {
    let sum = 0;
    for (let e = 0; e < a.columns; ++e) sum += at(a, i, e) * at(b, e, j);
    return sum;
  });
}

// a [n, d] · bᵀ, b [m, d]
export function productTransposed(a: Matrix, b: Matrix): Matrix {
  return filled(a.rows, b.rows, (i, j) => {
    let sum = 0;
    for (let d = 0; d < a.columns; ++d) sum += at(a, i, d) * at(b, j, d);
    return sum;
  });
}

export function columnsOf(matrix: Matrix, begin: number, end: number): Matrix {
  return filled(matrix.rows, end - begin, (i, j) => at(matrix, i, begin + j));
}

export function transposed(matrix: Matrix): Matrix {
  return filled(matrix.columns, matrix.rows, (i, j) => at(matrix, j, i));
}

export interface Softmax {
  maximum: Matrix; // [n, 1]
  exponentials: Matrix; // [n, m], exp(s − maximum of the row)
  sum: Matrix; // [n, 1]
  weights: Matrix; // [n, m]; a row that sees nothing is 0
}

export function softmaxParts(scores: Matrix): Softmax {
  const { rows, columns } = scores;
  const maximum = filled(rows, 1, (i) => {
    let largest = -Infinity;
    for (let j = 0; j < columns; ++j) largest = Math.max(largest, at(scores, i, j));
    return largest;
  });
  const exponentials = filled(rows, columns, (i, j) => {
    const score = at(scores, i, j);
    return score === -Infinity ? 0 : Math.exp(score - maximum.data[i]);
  });
  const sum = filled(rows, 1, (i) => {
    let total = 0;
    for (let j = 0; j < columns; ++j) total += at(exponentials, i, j);
    return total;
  });
  const weights = filled(rows, columns, (i, j) => (sum.data[i] > 0 ? at(exponentials, i, j) / sum.data[i] : 0));
  return { maximum, exponentials, sum, weights };
}
