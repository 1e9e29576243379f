// What the pictures show: the run's weights as they are, or through the lens that the person chose.
import { computed, effect, signal } from "@preact/signals";
import { firsts, groupOf, groupsOf, sinksOf, spread, throughLens, visibleGroups } from "./lens";
import type { Clean, Groups, Lens } from "./lens";
import { overviewOf } from "./overviews";
import { capture, keyNames, kindInfo, now, queryNames, sequenceOf, source, visibility } from "./state";
import { pieces, shortened, unknownName, unknownParts } from "./tokens";
import { column, fitsWhole, received, row, wholeNow } from "./weights";
import type { Capture, HeadAddress, KindInfo, Matrix, Side } from "../data/types";

// The sinks of a run, once its heads are measured.
const measured = signal<{ key: string; sinks: number[] } | null>(null);

effect(() => {
  const [of, info] = [capture.value, kindInfo.value];
  if (!now.clean.value || !of || !info || !source.value || !fitsWhole(info)) return;
  const key = `${of.id}|${info.kind}`;
  if (measured.peek()?.key === key) return;
  const keep = (sinks: number[]) => {
    if (capture.peek()?.id === of.id && kindInfo.peek()?.kind === info.kind) measured.value = { key, sinks };
  };
  overviewOf(of.id, info.kind).then((overview) => keep(sinksOf(overview)), () => keep([]));
});

export const sinks = computed<number[] | null>(() => {
  const known = measured.value;
  return known && known.key === `${capture.value?.id}|${kindInfo.value?.kind}` ? known.sinks : null;
});

export const lensWanted = computed(() => now.clean.value || now.words.value);

function subTokens(of: Capture, side: Side) {
  const sequence = sequenceOf(of, side);
  return pieces(of, side, sequence).map(({ label, glued, part }, i) => ({ label, glued, part, token: sequence.tokens[i] }));
}

function lensOf(of: Capture, info: KindInfo): Lens {
  const self = info.query_side === info.key_side;
  const hidden = (side: Side, more: number[]) => {
    const { special } = sequenceOf(of, side);
    return new Set(now.clean.value ? [...special.keys()].filter((i) => special[i]).concat(more) : []);
  };
  const resting = (now.clean.value && sinks.value) || [];
  const keys = groupsOf(subTokens(of, info.key_side), hidden(info.key_side, resting), now.words.value);
  const queries = groupsOf(subTokens(of, info.query_side), hidden(info.query_side, self ? resting : []), now.words.value);
  return { queries, keys, queryCount: info.queries, keyCount: info.keys };
}

// Null: nothing is hidden or joined; of long texts nothing can be, because their weights are not here as a whole.
export const lens = computed<Lens | null>(() => {
  const [of, info] = [capture.value, kindInfo.value];
  if (!lensWanted.value || !of || !info || !fitsWhole(info)) return null;
  const made = lensOf(of, info);
  return made.queries.length && made.keys.length ? made : null;
});

// Names of groups: a word of several tokens by its letters, all others by the names they have.
export function groupNames(names: string[], groups: Groups, side: Side): string[] {
  const of = capture.peek();
  if (!of) return [];
  const list = pieces(of, side, sequenceOf(of, side));
  return groups.map((group) => {
    if (group.length === 1) return names[group[0]];
    const letters = shortened(group.map((token) => (list[token].part > 1 ? "" : list[token].label)).join(""), 40);
    const unknown = group.map((token) => unknownParts(names[token])?.[1]).find(Boolean);
    return unknown ? unknownName(letters, unknown) : letters;
  });
}

export interface Axes {
  queries: string[];
  keys: string[];
  queryAt: number[]; // the (first) token of each row
  keyAt: number[];
  rowOf: (token: number) => number; // −1: hidden
  columnOf: (token: number) => number;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const same = (token: number) => token;

// Rows and columns of the pictures.
export const axes = computed<Axes>(() => {
  const [info, through] = [kindInfo.value, lens.value];
  if (!through || !info) {
    const [queries, keys] = [queryNames.value, keyNames.value];
    return { queries, keys, queryAt: upTo(queries.length), keyAt: upTo(keys.length), rowOf: same, columnOf: same };
  }
  const [rows, columns] = [groupOf(through.queries, through.queryCount), groupOf(through.keys, through.keyCount)];
  return {
    queries: groupNames(queryNames.value, through.queries, info.query_side),
    keys: groupNames(keyNames.value, through.keys, info.key_side),
    queryAt: firsts(through.queries), keyAt: firsts(through.keys),
    rowOf: (token) => rows[token] ?? -1, columnOf: (token) => columns[token] ?? -1,
  };
});

// Who may see whom, in rows and columns of the pictures; null: everything is visible.
export const shownVisibility = computed<((row: number) => Uint8Array) | null>(() => {
  const [mask, through] = [visibility.value, lens.value];
  if (!mask) return null;
  if (!through) return (i) => mask.row(i);
  return (i) => visibleGroups((query) => mask.row(query), through.queries[i], through.keys);
});

const results = new WeakMap<Matrix, { lens: Lens; clean: Clean }>();

export function cleaned(matrix: Matrix, through: Lens): Clean {
  const known = results.get(matrix);
  if (known?.lens === through) return known.clean;
  const clean = throughLens(matrix, through);
  results.set(matrix, { lens: through, clean });
  return clean;
}

export const shownMatrix = (matrix: Matrix, through: Lens | null) => (through ? cleaned(matrix, through).matrix : matrix);

type Later<T> = T | Promise<T>;

function later<T>(matrix: Later<Matrix>, use: (matrix: Matrix) => T): Later<T> {
  return matrix instanceof Promise ? matrix.then(use) : use(matrix);
}

// One row of the picture, over its columns.
export function pictureRow(head: HeadAddress, at: number, mask: string, through: Lens | null): Later<Float32Array> {
  if (!through) return row(head, at, mask);
  return later(wholeNow(head, mask), (whole) => {
    const { matrix } = cleaned(whole, through);
    return matrix.data.subarray(at * matrix.columns, (at + 1) * matrix.columns) as Float32Array;
  });
}

export function pictureColumn(head: HeadAddress, at: number, mask: string, through: Lens | null): Later<Float32Array> {
  if (!through) return column(head, at, mask);
  return later(wholeNow(head, mask), (whole) => {
    const { rows, columns, data } = cleaned(whole, through).matrix;
    return Float32Array.from({ length: rows }, (_, i) => data[i * columns + at]);
  });
}

// The same at every token of the text: all tokens of a word have its value, hidden ones 0.
export function tokenRow(head: HeadAddress, token: number, mask: string, through: Lens | null): Later<Float32Array> {
  if (!through) return row(head, token, mask);
  const at = axes.peek().rowOf(token);
  if (at < 0) return new Float32Array(through.keyCount);
  return laterValues(pictureRow(head, at, mask, through), (values) => spread(values, through.keys, through.keyCount));
}

export function tokenColumn(head: HeadAddress, token: number, mask: string, through: Lens | null): Later<Float32Array> {
  if (!through) return column(head, token, mask);
  const at = axes.peek().columnOf(token);
  if (at < 0) return new Float32Array(through.queryCount);
  return laterValues(pictureColumn(head, at, mask, through), (values) => spread(values, through.queries, through.queryCount));
}

// What each key gets, mean over the queries that are shown.
export function tokenReceived(head: HeadAddress, mask: string, through: Lens | null): Later<Float32Array> | null {
  if (!through) return received(head, mask);
  return later(wholeNow(head, mask), (whole) => {
    const { rows, columns, data } = cleaned(whole, through).matrix;
    const sums = new Float64Array(columns);
    for (let i = 0; i < rows; ++i) for (let j = 0; j < columns; ++j) sums[j] += data[i * columns + j] / rows;
    return spread(sums, through.keys, through.keyCount);
  });
}

function laterValues(values: Later<Float32Array>, use: (values: Float32Array) => Float32Array): Later<Float32Array> {
  return values instanceof Promise ? values.then(use) : use(values);
}

// The tokens that stand for a group: the first of each. Null: all of them.
export function leaders(groups: Groups | undefined, count: number): Uint8Array | null {
  if (!groups) return null;
  const flags = new Uint8Array(count);
  for (const token of firsts(groups)) flags[token] = 1;
  return flags;
}

// Of the run on the screen: tokens that are hidden, with why.
export const hiddenTokens = computed<{ name: string; at: number; sink: boolean }[]>(() => {
  const [of, info, through] = [capture.value, kindInfo.value, lens.value];
  if (!of || !info || !through || !now.clean.value) return [];
  const { special } = sequenceOf(of, info.key_side);
  const shown = groupOf(through.keys, through.keyCount);
  return upTo(through.keyCount).filter((key) => shown[key] < 0).map((at) => ({ name: keyNames.value[at], at, sink: !special[at] }));
});
