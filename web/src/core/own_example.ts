// The person's own example in Steps: tokens, sizes and mask; its numbers are the start numbers and the link's edits.
import { Mask, MaskShapeError } from "./mask";
import { MaskError, parseMask, printMask } from "./mask_expression";
import { filled } from "./matrix";
import type { NumberEdit } from "./hash";
import type { ToyInputs } from "./step_numbers";
import type { Matrix } from "../data/types";

export const ownId = "own";
export const mostTokens = 16;
export const widest = 16;

export interface OwnExample {
  tokens: string[];
  width: number; // E
  dk: number;
  dv: number;
  mask: string; // an expression; "": everything visible
}

export const startOwn: OwnExample = { tokens: ["I", "love", "AI"], width: 4, dk: 2, dv: 3, mask: "" };

// "4.2.3;causal;I love AI"
export function printOwn({ tokens, width, dk, dv, mask }: OwnExample): string {
  return `${width}.${dk}.${dv};${mask};${tokens.join(" ")}`;
}

export function parseOwn(text: string): OwnExample | undefined {
  const match = /^(\d{1,2})\.(\d{1,2})\.(\d{1,2});([^;]*);([^]*)$/.exec(text);
  if (!match) return undefined;
  const [width, dk, dv] = match.slice(1, 4).map(Number);
  const tokens = tokensOf(match[5]);
  const sized = [width, dk, dv].every((size) => size >= 1 && size <= widest);
  return sized && tokens.length >= 1 && tokens.length <= mostTokens ? { tokens, width, dk, dv, mask: match[4] } : undefined;
}

// Words between spaces; Chinese without spaces letter by letter.
export function tokensOf(text: string): string[] {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const [only] = words;
  return words.length === 1 && /^\p{Script=Han}{2,}$/u.test(only) ? Array.from(only) : words;
}

// The numbers an own example starts with: −1, −0.5, 0, 0.5, 1 in an order without a pattern to the eye, the same for everybody.
export function startNumber(matrix: "x" | "wq" | "wk" | "wv", row: number, column: number): number {
  const offset = { x: 4, wq: 1, wk: 3, wv: 2 }[matrix];
  return (((7 * row + 3 * column + 2 * row * column + offset) % 5) - 2) / 2;
}

// 0 and −∞ of an expression; null: everything visible, or not a mask (its error is thrown by readOwnMask only).
export function ownMask(expression: string, n: number): Matrix | null {
  if (!expression.trim()) return null;
  try {
    const mask = new Mask(parseMask(expression), n, n);
    return filled(n, n, (i, j) => (mask.row(i)[j] ? 0 : -Infinity));
  } catch (error) {
    if (error instanceof MaskError || error instanceof MaskShapeError) return null;
    throw error;
  }
}

export function ownMaskError(expression: string, n: number): MaskError | MaskShapeError | null {
  if (!expression.trim()) return null;
  try {
    new Mask(parseMask(expression), n, n);
    return null;
  } catch (error) {
    if (error instanceof MaskError || error instanceof MaskShapeError) return error;
    throw error;
  }
}

// The mask with one cell hidden or shown: by hand from now on.
export function toggled(expression: string, n: number, row: number, column: number): string {
  const mask = ownMask(expression, n);
  const cells: [number, number][] = [];
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      const hidden = mask !== null && mask.data[i * n + j] === -Infinity;
      if (hidden !== (i === row && j === column)) cells.push([i, j]);
    }
  }
  return cells.length ? printMask({ type: "hand", cells }) : "";
}

export function ownInputs({ tokens, width, dk, dv, mask }: OwnExample): ToyInputs {
  const n = tokens.length;
  const start = (name: "x" | "wq" | "wk" | "wv", rows: number, columns: number) =>
    filled(rows, columns, (i, j) => startNumber(name, i, j));
  return {
    x: start("x", n, width), memory: null,
    wq: start("wq", width, dk), wk: start("wk", width, dk), wv: start("wv", width, dv),
    q: null, k: null, v: null, wo: null,
    mask: ownMask(mask, n) ?? filled(n, n, () => 0),
    heads: 1, scale: 1 / Math.sqrt(dk), tokens, memoryTokens: tokens,
  };
}

// An example of the tutorials as the start of an own one: null where it has parts that an own one cannot have.
export function ownFrom(inputs: ToyInputs): { own: OwnExample; edits: NumberEdit[] } | null {
  const { x, memory, wq, wk, wv, wo, heads, tokens, mask } = inputs;
  if (!x || memory || !wq || !wk || !wv || wo || heads !== 1) return null;
  const sizes = [x.columns, wq.columns, wv.columns];
  if (x.rows > mostTokens || sizes.some((size) => size > widest) || tokens.length !== x.rows) return null;
  if (tokens.some((token) => /\s/.test(token)) || Math.abs(inputs.scale - 1 / Math.sqrt(wq.columns)) > 1e-12) return null;
  const cells: [number, number][] = [];
  for (let i = 0; mask && i < mask.rows; ++i) {
    for (let j = 0; j < mask.columns; ++j) if (mask.data[i * mask.columns + j] === -Infinity) cells.push([i, j]);
  }
  const expression = cells.length ? printMask({ type: "hand", cells }) : "";
  const edits: NumberEdit[] = [];
  for (const [name, matrix] of [["x", x], ["wq", wq], ["wk", wk], ["wv", wv]] as const) {
    matrix.data.forEach((value, at) => {
      const [row, column] = [Math.floor(at / matrix.columns), at % matrix.columns];
      if (value !== startNumber(name, row, column)) edits.push({ matrix: name, row, column, value });
    });
  }
  return { own: { tokens, width: sizes[0], dk: sizes[1], dv: sizes[2], mask: expression }, edits };
}

// Numbers typed as text, a row per line, between spaces, commas or semicolons; null: not rows × columns numbers.
export function numbersIn(text: string, rows: number, columns: number): number[] | null {
  const lines = text.trim().split(/\n/).map((line) => line.replace(/[[\](),;，；]/g, " ").trim()).filter(Boolean);
  const values = lines.map((line) => line.split(/\s+/).map((word) => Number(word.replace("−", "-"))));
  const fits = values.length === rows && values.every((row) => row.length === columns && row.every(Number.isFinite));
  return fits ? values.flat() : null;
}
