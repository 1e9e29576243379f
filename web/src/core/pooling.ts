// Wide matrices, made narrow enough to be looked at.
import type { Matrix } from "../data/types";

export interface Pooled {
  matrix: Matrix; // at most `most` columns: of the columns that each stands for, the largest value
  begins: number[]; // the first column each stands for
  at: Int32Array; // [rows · columns]: which column had that value
}

export function pooledColumns({ rows, columns, data }: Matrix, most: number): Pooled {
  const narrow = Math.min(most, columns);
  const begins = Array.from({ length: narrow + 1 }, (_, cell) => Math.floor((cell * columns) / narrow));
  const matrix = { rows, columns: narrow, data: new Float32Array(rows * narrow) };
  const at = new Int32Array(rows * narrow);
  for (let i = 0; i < rows; ++i) {
    for (let cell = 0; cell < narrow; ++cell) {
      let best = begins[cell];
      for (let j = best + 1; j < begins[cell + 1]; ++j) if (data[i * columns + j] > data[i * columns + best]) best = j;
      matrix.data[i * narrow + cell] = data[i * columns + best];
      at[i * narrow + cell] = best;
    }
  }
  return { matrix, begins: begins.slice(0, narrow), at };
}
