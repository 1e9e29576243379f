// Decoded weights, kept as long as there is room: whole heads where they are small, else rows and columns.
import { Mask, restrictRow } from "./mask";
import { parseMask } from "./mask_expression";
import { runOf } from "./film_frames";
import { statisticsOf } from "./row_statistics";
import { captures, source } from "./state";
import type { Crop, HeadAddress, KindInfo, Matrix } from "../data/types";

export { statisticsOf };

// Heads up to this many cells are fetched whole: 512 tokens, 1 MB.
export const wholeCells = 512 * 512;
const roomInCells = 48 * 1024 * 1024;

interface Entry {
  promise: Promise<Matrix>;
  matrix: Matrix | null;
}

const entries = new Map<string, Entry>(); // the one used last stands last
let cells = 0;

function remember(key: string, load: () => Promise<Matrix>): Entry {
  const known = entries.get(key);
  if (known) {
    entries.delete(key);
    entries.set(key, known);
    return known;
  }
  const entry: Entry = { promise: load(), matrix: null };
  entries.set(key, entry);
  entry.promise.then(
    (matrix) => {
      entry.matrix = matrix;
      cells += matrix.data.length;
      makeRoom();
    },
    () => entries.delete(key),
  );
  return entry;
}

function makeRoom(): void {
  for (const [key, entry] of entries) {
    if (cells <= roomInCells) return;
    if (!entry.matrix) continue;
    cells -= entry.matrix.data.length;
    entries.delete(key);
  }
}

export function infoOf(head: HeadAddress): KindInfo {
  const capture = runOf(captures.peek(), head.capture);
  const info = capture?.kinds.find((candidate) => candidate.kind === head.kind);
  if (!info) throw new Error(`no ${head.kind} attention in capture ${head.capture}`);
  return info;
}

export function fitsWhole(info: KindInfo): boolean {
  return info.queries * info.keys <= wholeCells;
}

function keyOf(head: HeadAddress, part: string, mask: string): string {
  return [head.capture, head.kind, head.layer, head.head, part, mask].join("|");
}

// Whole rows from `firstRow` on, restricted to what the mask leaves.
function restricted(matrix: Matrix, firstRow: number, mask: string, info: KindInfo): Matrix {
  if (!mask) return matrix;
  const visible = new Mask(parseMask(mask), info.queries, info.keys);
  const copy = { ...matrix, data: matrix.data.slice() };
  const row = new Uint8Array(info.keys);
  for (let i = 0; i < copy.rows; ++i) {
    restrictRow(copy.data.subarray(i * info.keys, (i + 1) * info.keys), visible.row(firstRow + i, row));
  }
  return copy;
}

function fetchCrop(head: HeadAddress, crop: Crop, mask: string): Promise<Matrix> {
  const from = source.peek();
  if (!from) return Promise.reject(new Error("no source"));
  return from.weights(head, crop, mask);
}

function wholeEntry(head: HeadAddress, mask: string): Entry {
  const info = infoOf(head);
  const crop = { rowBegin: 0, rowEnd: info.queries, keyBegin: 0, keyEnd: info.keys };
  const raw = remember(keyOf(head, "whole", ""), () => fetchCrop(head, crop, ""));
  if (!mask) return raw;
  return remember(keyOf(head, "whole", mask), async () => restricted(await raw.promise, 0, mask, info));
}

export function whole(head: HeadAddress, mask: string): Promise<Matrix> {
  return wholeEntry(head, mask).promise;
}

// The whole of a short text's head, at once if it is here.
export function wholeNow(head: HeadAddress, mask: string): Matrix | Promise<Matrix> {
  const entry = wholeEntry(head, mask);
  return entry.matrix ?? entry.promise;
}

// The heads that are one key away, one after the other, so that whoever steps through them waits for nothing.
export async function fetchNeighbours(head: HeadAddress): Promise<void> {
  const info = infoOf(head);
  if (head.head === "mean" || !fitsWhole(info)) return;
  const { layer, head: own } = head;
  const beside = (at: number, by: number, count: number) => (at + by + count) % count;
  const neighbours = [1, -1].flatMap((by) => [
    { ...head, head: beside(own, by, info.heads) },
    { ...head, layer: beside(layer, by, info.layers) },
  ]);
  for (const neighbour of neighbours) await whole(neighbour, "");
}

// The weights of one query over all keys, at once if they are here.
export function row(head: HeadAddress, query: number, mask: string): Float32Array | Promise<Float32Array> {
  const info = infoOf(head);
  const cut = (matrix: Matrix) =>
    matrix.data.subarray(query * info.keys, (query + 1) * info.keys) as Float32Array;
  if (fitsWhole(info)) {
    const entry = wholeEntry(head, mask);
    return entry.matrix ? cut(entry.matrix) : entry.promise.then(cut);
  }
  const crop = { rowBegin: query, rowEnd: query + 1, keyBegin: 0, keyEnd: info.keys };
  const entry = remember(keyOf(head, `row${query}`, mask), async () =>
    restricted(await fetchCrop(head, crop, ""), query, mask, info),
  );
  return entry.matrix ? (entry.matrix.data as Float32Array) : entry.promise.then((m) => m.data as Float32Array);
}

// The weights that all queries give to one key.
export function column(head: HeadAddress, key: number, mask: string): Float32Array | Promise<Float32Array> {
  const info = infoOf(head);
  const cut = (matrix: Matrix) => {
    const values = new Float32Array(info.queries);
    for (let i = 0; i < info.queries; ++i) values[i] = matrix.data[i * info.keys + key];
    return values;
  };
  if (fitsWhole(info)) {
    const entry = wholeEntry(head, mask);
    return entry.matrix ? cut(entry.matrix) : entry.promise.then(cut);
  }
  const crop = { rowBegin: 0, rowEnd: info.queries, keyBegin: key, keyEnd: key + 1 };
  const entry = remember(keyOf(head, `key${key}`, mask), () => fetchCrop(head, crop, mask));
  return entry.matrix ? (entry.matrix.data as Float32Array) : entry.promise.then((m) => m.data as Float32Array);
}

const receivedOf = new WeakMap<Matrix, Float32Array>();

// What each key gets, mean over all queries; null: not known (a long text under a mask of the person).
export function received(head: HeadAddress, mask: string): Float32Array | Promise<Float32Array> | null {
  const info = infoOf(head);
  const mean = (sums: Float32Array) => sums.map((sum) => sum / info.queries);
  const ofMatrix = (matrix: Matrix) => {
    const known = receivedOf.get(matrix) ?? mean(statisticsOf(matrix).received);
    receivedOf.set(matrix, known);
    return known;
  };
  if (fitsWhole(info)) {
    const entry = wholeEntry(head, mask);
    return entry.matrix ? ofMatrix(entry.matrix) : entry.promise.then(ofMatrix);
  }
  if (mask) return null;
  const entry = remember(keyOf(head, "received", ""), async () => {
    const { received: sums } = await source.peek()!.rows(head);
    return { rows: 1, columns: info.keys, data: mean(sums) };
  });
  return entry.matrix ? (entry.matrix.data as Float32Array) : entry.promise.then(({ data }) => data as Float32Array);
}

export function cropOf(head: HeadAddress, crop: Crop, mask: string): Promise<Matrix> {
  const part = `${crop.rowBegin}:${crop.rowEnd},${crop.keyBegin}:${crop.keyEnd}`;
  return remember(keyOf(head, part, mask), () => fetchCrop(head, crop, mask)).promise;
}
