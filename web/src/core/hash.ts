// The state that a link carries, as the fragment of the address.
import { rangeNames } from "./colours";
import type { RangeName } from "./colours";
import { parseOwn, printOwn, startOwn } from "./own_example";
import type { OwnExample } from "./own_example";
import { parsePlace } from "./whatif";
import type { HeadChoice, KindName } from "../data/types";

export const viewNames = [
  "text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow", "study", "learn",
] as const;
export type ViewName = (typeof viewNames)[number];
// Those that this page has something for: one made by the Python package has no lessons and no studies.
const without = typeof document === "undefined" ? "" : document.getElementById("fovea-without")?.textContent ?? "";
export const offeredViews: readonly ViewName[] = viewNames.filter((name) => !without.split(" ").includes(name));
// The key that shows a view, in the order of their names.
export const viewKeys = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "s", "0"];
export type Direction = "out" | "in";
export type SegmentFilter = "all" | "aa" | "ab" | "ba" | "bb";
export const editedMatrices = ["x", "memory", "wq", "wk", "wv", "q", "k", "v", "wo"] as const;
export type Threshold = { by: "mass"; mass: number } | { by: "top"; count: number };

export interface NumberEdit {
  matrix: (typeof editedMatrices)[number];
  row: number;
  column: number;
  value: number;
}

export interface LinkState {
  view: ViewName;
  capture: string;
  model: string;
  text: string;
  text2: string;
  kind: KindName | "";
  layer: number;
  head: HeadChoice;
  direction: Direction;
  tokens: number[];
  key: number; // −1: none
  spot: number; // the token that Text shows while none is hovered or pinned; −1: none
  mask: string;
  colormap: string; // "auto": by the system's light or dark
  range: RangeName;
  lineHeads: number[]; // empty: the selected head
  threshold: Threshold;
  segments: SegmentFilter;
  gridSort: string; // "": by layer and head
  example: string; // "": the model's head
  edits: NumberEdit[]; // of the example's numbers
  step: number;
  part: number[]; // of the Steps of the model: rows [0], [1), keys [2], [3); empty: the first ones
  size: number; // of a mask without a model
  measureX: string;
  measureY: string;
  otherCapture: string; // and what it needs to be run again
  otherModel: string;
  otherRunText: string;
  otherRunText2: string;
  otherLayer: number;
  otherHead: HeadChoice;
  otherMask: string;
  comparing: "heads" | "texts" | "masks" | "frames" | "changed";
  filmStep: number; // of the training
  otherFilmStep: number;
  clean: boolean; // special tokens and sinks hidden
  words: boolean; // sub-tokens merged
  own: OwnExample; // sizes, mask and tokens of the person's own example of Steps
  presenting: boolean;
  study: string; // "": the first
  otherStudy: string; // beside it; "": the next one, "none": none
  learn: string; // where in Learn: learn/place.ts
  more: number[]; // ids of tokens that the run's text was continued with
  off: string[]; // heads switched off: core/whatif.ts
  maskAt: string; // the heads that the mask acts on in the run itself, "L3H*"; "": only in the pictures
  before: boolean; // shows the run without these two
  passed: boolean; // shows what is passed on instead of weights
  temperature: number; // of the token that is drawn next
  topK: number;
}

export const startState: LinkState = {
  view: "text", capture: "", model: "", text: "", text2: "", kind: "", layer: 0, head: 0, direction: "out",
  tokens: [], key: -1, spot: -1, mask: "", colormap: "auto", range: "row", lineHeads: [],
  threshold: { by: "mass", mass: 0.9 }, segments: "all", gridSort: "", example: "", edits: [], step: 0,
  part: [], size: 16, measureX: "entropy", measureY: "distance", otherCapture: "", otherModel: "", otherRunText: "",
  otherRunText2: "", otherLayer: 0, otherHead: 1, otherMask: "causal",
  comparing: "heads", filmStep: 0, otherFilmStep: 0, clean: false, words: false, own: startOwn, presenting: false,
  study: "", otherStudy: "", learn: "", more: [], off: [], maskAt: "", before: false, passed: false, temperature: 1, topK: 10,
};

export const mostTopK = 50; // tokens to draw from
export const largestTemperature = 5;

interface Field<T> {
  key: string; // in the link
  print: (value: T) => string;
  parse: (text: string) => T | undefined; // undefined: not understood, the start value stays
}

const whole = (text = "") => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
const wholes = (text: string) => {
  const values = text.split(".").map(whole);
  return values.every((value) => value !== undefined) ? (values as number[]) : undefined;
};
const words = (key: string): Field<string> => ({ key, print: (value) => value, parse: (text) => text });
const count = (key: string): Field<number> => ({ key, print: String, parse: whole });
const list = (key: string): Field<number[]> => ({ key, print: (value) => value.join("."), parse: wholes });
const choice = <T extends string>(key: string, choices: readonly T[]): Field<T> => ({
  key,
  print: (value) => value,
  parse: (text) => choices.find((candidate) => candidate === text),
});
const headChoice = (key: string): Field<HeadChoice> => ({
  key,
  print: String,
  parse: (text) => (text === "mean" ? "mean" : whole(text)),
});
const flag = (key: string): Field<boolean> => ({
  key,
  print: (value) => (value ? "1" : ""),
  parse: (text) => (text === "1" ? true : undefined),
});
const threshold: Field<Threshold> = {
  key: "keep",
  print: (value) => (value.by === "mass" ? `m${value.mass}` : `k${value.count}`),
  parse: (text) => {
    const number = Number(text.slice(1));
    if (text[0] === "m" && number > 0 && number <= 1) return { by: "mass", mass: number };
    if (text[0] === "k" && Number.isInteger(number) && number > 0) return { by: "top", count: number };
    return undefined;
  },
};

// "v_0_1_2.5!x_1_0_-3": V[0,1] is 2.5, X[1,0] is −3. An address carries these letters as they are.
const edits: Field<NumberEdit[]> = {
  key: "numbers",
  print: (list) => list.map(({ matrix, row, column, value }) => [matrix, row, column, value].join("_")).join("!"),
  parse: (text) => {
    const parsed = text.split("!").map((part) => {
      const [name, row, column, value, ...rest] = part.split("_");
      const matrix = editedMatrices.find((known) => known === name);
      const [i, j, number] = [whole(row), whole(column), value ? Number(value) : NaN];
      if (!matrix || i === undefined || j === undefined || !Number.isFinite(number) || rest.length) return undefined;
      return { matrix, row: i, column: j, value: number };
    });
    return parsed.every((edit) => edit !== undefined) ? parsed : undefined;
  },
};
// "L2H3!cross.L1H0"
const places: Field<string[]> = {
  key: "off",
  print: (list) => list.join("!"),
  parse: (text) => {
    const list = text.split("!");
    return list.every((place) => { const at = parsePlace(place); return at && at.layer >= 0 && at.head >= 0; }) ? [...new Set(list)] : undefined;
  },
};
const number = (key: string, least: number, largest: number): Field<number> => ({
  key,
  print: String,
  parse: (text) => (text !== "" && Number(text) >= least && Number(text) <= largest ? Number(text) : undefined),
});
const part: Field<number[]> = {
  ...list("part"),
  parse: (text) => (wholes(text)?.length === 4 ? wholes(text) : undefined),
};

const fields: { [K in keyof LinkState]: Field<LinkState[K]> } = {
  view: choice("view", offeredViews),
  capture: words("c"),
  model: words("model"),
  text: words("text"),
  text2: words("text2"),
  kind: choice("kind", ["", "encoder", "decoder", "cross"] as const),
  layer: count("layer"),
  head: headChoice("head"),
  direction: choice("look", ["out", "in"] as const),
  tokens: list("tokens"),
  key: { key: "key", print: (value) => (value < 0 ? "" : String(value)), parse: whole },
  spot: { key: "spot", print: (value) => (value < 0 ? "" : String(value)), parse: whole },
  mask: words("mask"),
  colormap: words("colours"),
  range: choice("range", rangeNames),
  lineHeads: list("heads"),
  threshold,
  segments: choice("parts", ["all", "aa", "ab", "ba", "bb"] as const),
  gridSort: words("sort"),
  example: words("example"),
  edits,
  step: count("step"),
  part,
  size: { ...count("size"), parse: (text) => whole(text) || undefined },
  measureX: words("x"),
  measureY: words("y"),
  otherCapture: words("c2"),
  otherModel: words("modelB"),
  otherRunText: words("textB"),
  otherRunText2: words("textB2"),
  otherLayer: count("layer2"),
  otherHead: headChoice("head2"),
  otherMask: words("mask2"),
  comparing: choice("by", ["heads", "texts", "masks", "frames", "changed"] as const),
  filmStep: count("at"),
  otherFilmStep: count("at2"),
  clean: flag("clean"),
  words: flag("words"),
  own: { key: "own", print: printOwn, parse: parseOwn },
  presenting: flag("present"),
  study: words("study"),
  otherStudy: words("study2"),
  learn: words("learn"),
  more: list("more"),
  off: places,
  maskAt: { key: "maskat", print: (value) => value, parse: (text) => (parsePlace(text) ? text : undefined) },
  before: flag("before"),
  passed: flag("passed"),
  temperature: number("temp", 0, largestTemperature),
  topK: { key: "topk", print: String, parse: (text) => { const k = whole(text); return k && k <= mostTopK ? k : undefined; } },
};

// A text that long would make an address no program accepts; then the link works on the same server only.
const longestText = 4000;
const runTexts: (keyof LinkState)[] = ["text", "text2", "otherRunText", "otherRunText2"];

export function printLink(state: LinkState): string {
  const parts: string[] = [];
  const add = <K extends keyof LinkState>(name: K) => {
    const field = fields[name];
    const text = field.print(state[name]);
    if (text === field.print(startState[name])) return;
    if (runTexts.includes(name) && text.length > longestText) return;
    parts.push(`${field.key}=${encodeURIComponent(text)}`);
  };
  (Object.keys(fields) as (keyof LinkState)[]).forEach(add);
  return parts.join("&");
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export interface LinkReading {
  state: LinkState;
  misread: string[]; // parts of the address that mean nothing, as they stand there
}

export function readLink(hash: string): LinkReading {
  const state = { ...startState };
  const misread: string[] = [];
  const read = <K extends keyof LinkState>(name: K, text: string) => {
    const value = fields[name].parse(text);
    if (value !== undefined) state[name] = value;
    return value !== undefined;
  };
  for (const written of hash.replace(/^#/, "").split("&")) {
    const [key, ...rest] = written.split("=");
    if (!key) continue;
    const text = decoded(rest.join("="));
    const name = (Object.keys(fields) as (keyof LinkState)[]).find((known) => fields[known].key === key);
    if (!name || text === undefined || !read(name, text)) misread.push(decoded(written) ?? written);
  }
  return { state, misread };
}

export const parseLink = (hash: string) => readLink(hash).state;
