// What a picture leaves out and what it joins: special tokens and sinks hidden, sub-tokens merged into words.
// Arithmetic in double; results are rounded to float32 once.
import type { Matrix, Overview } from "../data/types";

// A head rests on a token when at least half of all its weight ends there: the library's threshold of the role "sink".
export const sinkShare = 0.5;
// A token is a sink of a run when at least one head in ten rests on it.
export const sinkHeads = 0.1;

// The keys that are sinks, in order.
export function sinksOf(overview: Overview): number[] {
  const heads = overview.heads.flat();
  const resting = new Map<number, number>();
  for (const { measures, most_attended: key } of heads) {
    if ((measures["sink_share"] ?? 0) >= sinkShare) resting.set(key, (resting.get(key) ?? 0) + 1);
  }
  const needed = Math.max(1, sinkHeads * heads.length);
  return [...resting].filter(([, count]) => count >= needed).map(([key]) => key).sort((a, b) => a - b);
}

// Tokens that are shown as one; those in no group are hidden.
export type Groups = number[][];

export interface Lens {
  queries: Groups;
  keys: Groups;
  queryCount: number; // tokens, before anything was hidden
  keyCount: number;
}

export interface Clean {
  matrix: Matrix; // [groups of queries, groups of keys]
  left: Float64Array; // of each group of queries: the share of its weight on tokens that are shown, before renormalising
}

const wordEnd = /[\p{L}\p{M}\p{N}]$/u;
const wordBegin = /^[\p{L}\p{M}\p{N}]/u;
const apostrophe = /^['’]$/;
const contraction = /^['’]\p{L}/u;
// Scripts that put no spaces between words: a letter beside a letter is no word there.
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

export interface SubToken {
  label: string; // its letters in the text
  glued: boolean; // no space before it
  part: number; // > 1: bytes of the character before it
  token: string; // as the tokenizer writes it
}

const spaced = (letters: string) => !unspaced.test(letters);

// Does token i continue the word of the token before it? Letters and digits that touch do, "##" and bytes of one
// character always do; an apostrophe does between letters. Punctuation stays for itself.
function continues(tokens: SubToken[], i: number): boolean {
  const [before, own, next] = [tokens[i - 1], tokens[i], tokens[i + 1]];
  if (!before || !own.glued) return false;
  if (own.part > 1 || own.token.startsWith("##")) return true;
  const afterLetter = wordEnd.test(before.label) && spaced(before.label.slice(-1));
  if (apostrophe.test(own.label)) return afterLetter && Boolean(next?.glued) && wordBegin.test(next.label);
  if (contraction.test(own.label)) return afterLetter;
  if (!wordBegin.test(own.label) || !spaced(Array.from(own.label)[0])) return false;
  return afterLetter || (apostrophe.test(before.label) && i > 1 && continues(tokens, i - 1));
}

// `words`: sub-tokens joined; `hidden`: left out.
export function groupsOf(tokens: SubToken[], hidden: ReadonlySet<number>, words: boolean): Groups {
  const groups: Groups = [];
  tokens.forEach((_, i) => {
    if (hidden.has(i)) return;
    const last = groups.at(-1);
    if (words && last?.at(-1) === i - 1 && continues(tokens, i)) last.push(i);
    else groups.push([i]);
  });
  return groups;
}

// Of one row: the keys that stay are divided by their sum, those of a group added. Returns that sum.
function cleanRow(row: ArrayLike<number>, keys: Groups, into: Float64Array): number {
  let left = 0;
  keys.forEach((group, k) => {
    let sum = 0;
    for (const key of group) sum += row[key];
    into[k] = sum;
    left += sum;
  });
  if (left > 0) for (let k = 0; k < into.length; ++k) into[k] /= left;
  return left;
}

// Rows renormalised over the keys that stay; sums over the keys of a group, means over its queries (those that have
// weight left; a group without any is a row of zeros).
export function throughLens(matrix: Matrix, lens: Lens): Clean {
  const { columns } = matrix;
  const [rows, keys] = [lens.queries.length, lens.keys.length];
  const result = { rows, columns: keys, data: new Float32Array(rows * keys) };
  const left = new Float64Array(rows);
  const one = new Float64Array(keys);
  const sum = new Float64Array(keys);
  lens.queries.forEach((group, at) => {
    sum.fill(0);
    let seeing = 0;
    let whole = 0;
    for (const query of group) {
      const row = matrix.data.subarray(query * columns, (query + 1) * columns);
      for (let j = 0; j < columns; ++j) whole += row[j];
      const kept = cleanRow(row, lens.keys, one);
      left[at] += kept;
      if (!(kept > 0)) continue;
      ++seeing;
      for (let k = 0; k < keys; ++k) sum[k] += one[k];
    }
    left[at] = whole > 0 ? left[at] / whole : 0;
    if (seeing) for (let k = 0; k < keys; ++k) result.data[at * keys + k] = sum[k] / seeing;
  });
  return { matrix: result, left };
}

// The group of each token; −1: hidden.
export function groupOf(groups: Groups, count: number): Int32Array {
  const of = new Int32Array(count).fill(-1);
  groups.forEach((group, at) => group.forEach((token) => (of[token] = at)));
  return of;
}

// Values of groups at every token of theirs, 0 at hidden ones.
export function spread(values: ArrayLike<number>, groups: Groups, count: number): Float32Array {
  const all = new Float32Array(count);
  groups.forEach((group, at) => group.forEach((token) => (all[token] = values[at])));
  return all;
}

// A pair of groups is visible where one pair of their tokens is.
export function visibleGroups(rowOf: (query: number) => Uint8Array, queries: number[], keys: Groups): Uint8Array {
  const rows = queries.map((query) => rowOf(query).slice());
  return Uint8Array.from(keys, (group) => (rows.some((row) => group.some((key) => row[key])) ? 1 : 0));
}

// The first tokens of the groups: what numbers and links name.
export const firsts = (groups: Groups) => groups.map((group) => group[0]);
