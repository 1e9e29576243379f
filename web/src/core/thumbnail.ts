// One head's small picture, through the lens where every cell is one weight.
import type { Lens } from "./lens";
import { cleaned } from "./shown";
import type { Thumbnails } from "../data/source";
import type { Matrix } from "../data/types";

export const thumbnailTokens = 48; // thumbnails of longer texts hold several weights per cell

const cut = new WeakMap<Float32Array, Map<number, Matrix>>(); // so that each is the same object whenever it is asked for

export function thumbnailOf({ rows, columns, heads, max }: Thumbnails, layer: number, head: number, through: Lens | null): Matrix {
  const at = layer * heads + head;
  const known = cut.get(max) ?? new Map<number, Matrix>();
  cut.set(max, known);
  const begin = at * rows * columns;
  const matrix = known.get(at) ?? { rows, columns, data: max.subarray(begin, begin + rows * columns) };
  known.set(at, matrix);
  const single = through && rows === through.queryCount && columns === through.keyCount && Math.max(rows, columns) <= thumbnailTokens;
  return single ? cleaned(matrix, through).matrix : matrix;
}
