// What a matrix of weights says of its rows and columns.
import { entropyOf } from "./ranking";
import type { RowStatistics } from "../data/source";
import type { Matrix } from "../data/types";

export function statisticsOf(matrix: Matrix): RowStatistics {
  const entropy = new Float32Array(matrix.rows);
  const received = new Float32Array(matrix.columns);
  const { rows, columns, data } = matrix;
  for (let i = 0; i < rows; ++i) {
    entropy[i] = entropyOf(data.subarray(i * columns, (i + 1) * columns));
    for (let j = 0; j < columns; ++j) received[j] += data[i * columns + j];
  }
  return { entropy, received };
}
