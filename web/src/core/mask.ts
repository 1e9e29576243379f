// Who may see whom. Query i of N stands at position p = i + M − N of M keys.
import type { MaskLeaf, MaskTree } from "./mask_expression";

export const tileSize = 64;

// Fills `row` [M] with 1 (visible) and 0.
type RowFiller = (query: number, row: Uint8Array) => void;

export class MaskShapeError extends Error {
  constructor(
    readonly mask: string,
    readonly got: number,
    readonly expected: number,
  ) {
    super(`${mask} is for ${got} keys, there are ${expected}`);
  }
}

function fillInterval(row: Uint8Array, begin: number, end: number): void {
  row.fill(0);
  row.fill(1, Math.min(Math.max(begin, 0), row.length), Math.min(Math.max(end, 0), row.length));
}

function sparseFiller(stride: number, shift: number): RowFiller {
  return (query, row) => {
    const p = query + shift;
    if (p % stride === 0) {
      row.fill(1);
      return;
    }
    fillInterval(row, p - stride, p + stride + 1);
    for (let key = 0; key < row.length; key += stride) row[key] = 1;
  };
}

function documentsFiller(ids: number[], shift: number): RowFiller {
  return (query, row) => {
    const p = query + shift;
    for (let key = 0; key < row.length; ++key) row[key] = p >= 0 && p < ids.length && ids[key] === ids[p] ? 1 : 0;
  };
}

function handFiller(cells: [number, number][]): RowFiller {
  const hidden = new Map<number, number[]>();
  for (const [query, key] of cells) hidden.set(query, [...(hidden.get(query) ?? []), key]);
  return (query, row) => {
    row.fill(1);
    for (const key of hidden.get(query) ?? []) if (key < row.length) row[key] = 0;
  };
}

function leafFiller(leaf: MaskLeaf, n: number, m: number): RowFiller {
  const shift = m - n;
  const checkKeys = (ids: number[]) => {
    if (ids.length !== m) throw new MaskShapeError(leaf.type, ids.length, m);
    return ids;
  };
  switch (leaf.type) {
    case "none":
      return (_, row) => row.fill(1);
    case "causal":
      return (query, row) => fillInterval(row, 0, (leaf.topLeft ? query : query + shift) + 1);
    case "window":
      return (query, row) => fillInterval(row, query + shift - leaf.before, query + shift + leaf.after + 1);
    case "sparse":
      return sparseFiller(leaf.stride, shift);
    case "prefix":
      return (query, row) => fillInterval(row, 0, Math.max(leaf.length, query + shift + 1));
    case "padding": {
      const real = checkKeys(leaf.ids).map((id) => (id === leaf.pad ? 0 : 1));
      return (_, row) => row.set(real);
    }
    case "lengths":
      if (leaf.length > m) throw new MaskShapeError(leaf.type, leaf.length, m);
      return (_, row) => fillInterval(row, 0, leaf.length);
    case "documents":
      return documentsFiller(checkKeys(leaf.ids), shift);
    case "hand":
      return handFiller(leaf.cells);
  }
}

function filler(tree: MaskTree, n: number, m: number): RowFiller {
  if (tree.type === "not") {
    const inner = filler(tree.inner, n, m);
    return (query, row) => {
      inner(query, row);
      for (let key = 0; key < m; ++key) row[key] ^= 1;
    };
  }
  if (tree.type !== "and" && tree.type !== "or") return leafFiller(tree, n, m);
  const left = filler(tree.left, n, m);
  const right = filler(tree.right, n, m);
  const other = new Uint8Array(m);
  const both = tree.type === "and";
  return (query, row) => {
    left(query, row);
    right(query, other);
    if (both) for (let key = 0; key < m; ++key) row[key] &= other[key];
    else for (let key = 0; key < m; ++key) row[key] |= other[key];
  };
}

export interface MaskSummary {
  density: number;
  rowsSeeingNothing: number[];
  tiles: { empty: number; full: number; partial: number };
}

export class Mask {
  private readonly fill: RowFiller;

  // Throws MaskShapeError if the mask is for another number of keys.
  constructor(
    readonly tree: MaskTree,
    readonly n: number,
    readonly m: number,
  ) {
    this.fill = filler(tree, n, m);
  }

  row(query: number, into = new Uint8Array(this.m)): Uint8Array {
    this.fill(query, into);
    return into;
  }

  // Which queries see a key, [N].
  column(key: number): Uint8Array {
    const row = new Uint8Array(this.m);
    return Uint8Array.from({ length: this.n }, (_, i) => (this.fill(i, row), row[key]));
  }

  // All of it, [N, M].
  bits(): Uint8Array {
    const bits = new Uint8Array(this.n * this.m);
    for (let i = 0; i < this.n; ++i) this.fill(i, bits.subarray(i * this.m, (i + 1) * this.m));
    return bits;
  }

  // One pass over the rows; memory for one band of tiles.
  summary(): MaskSummary {
    const bands = Math.ceil(this.m / tileSize);
    const seen = new Uint32Array(bands);
    const row = new Uint8Array(this.m);
    const tiles = { empty: 0, full: 0, partial: 0 };
    const rowsSeeingNothing: number[] = [];
    let visible = 0;
    for (let i = 0; i < this.n; ++i) {
      this.fill(i, row);
      let inRow = 0;
      for (let j = 0; j < this.m; ++j) {
        inRow += row[j];
        seen[(j / tileSize) | 0] += row[j];
      }
      visible += inRow;
      if (!inRow) rowsSeeingNothing.push(i);
      if ((i + 1) % tileSize === 0 || i + 1 === this.n) {
        this.countTiles(seen, (i % tileSize) + 1, tiles);
        seen.fill(0);
      }
    }
    const pairs = this.n * this.m;
    return { density: pairs ? visible / pairs : 1, rowsSeeingNothing, tiles };
  }

  private countTiles(seen: Uint32Array, height: number, tiles: MaskSummary["tiles"]): void {
    for (let band = 0; band < seen.length; ++band) {
      const width = Math.min(tileSize, this.m - band * tileSize);
      if (seen[band] === 0) ++tiles.empty;
      else if (seen[band] === width * height) ++tiles.full;
      else ++tiles.partial;
    }
  }
}

// Weights under a mask that hides more keys than before: those that stay are divided by their sum. That is the
// softmax over the visible keys exactly, because exp(s)/Σexp(s) over fewer keys differs by one factor per row.
export function restrictRow(weights: Float32Array | Float64Array, visible: Uint8Array): void {
  let sum = 0;
  for (let j = 0; j < weights.length; ++j) {
    if (!visible[j]) weights[j] = 0;
    sum += weights[j];
  }
  if (sum > 0) for (let j = 0; j < weights.length; ++j) weights[j] /= sum;
}
