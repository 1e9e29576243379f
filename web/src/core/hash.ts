// The state that a link carries, as the fragment of the address.
import { rangeNames } from "./colours";
import type { RangeName } from "./colours";
import type { HeadChoice, KindName } from "../data/types";

export const viewNames = [
  "text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow",
] as const;
export type ViewName = (typeof viewNames)[number];
export type Direction = "out" | "in";
export type SegmentFilter = "all" | "aa" | "ab" | "ba" | "bb";
export type Threshold = { by: "mass"; mass: number } | { by: "top"; count: number };

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
  mask: string;
  colormap: string; // "auto": by the system's light or dark
  range: RangeName;
  lineHeads: number[]; // empty: the selected head
  threshold: Threshold;
  segments: SegmentFilter;
  gridSort: string; // "": by layer and head
  example: string; // "": the model's head
  step: number;
  measureX: string;
  measureY: string;
  otherCapture: string;
  otherLayer: number;
  otherHead: HeadChoice;
  otherMask: string;
  comparing: "heads" | "texts" | "masks";
}

export const startState: LinkState = {
  view: "text", capture: "", model: "", text: "", text2: "", kind: "", layer: 0, head: 0, direction: "out",
  tokens: [], key: -1, mask: "", colormap: "auto", range: "row", lineHeads: [],
  threshold: { by: "mass", mass: 0.9 }, segments: "all", gridSort: "", example: "", step: 0,
  measureX: "entropy", measureY: "distance", otherCapture: "", otherLayer: 0, otherHead: 1, otherMask: "causal",
  comparing: "heads",
};

interface Field<T> {
  key: string; // in the link
  print: (value: T) => string;
  parse: (text: string) => T | undefined; // undefined: not understood, the start value stays
}

const whole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
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

const fields: { [K in keyof LinkState]: Field<LinkState[K]> } = {
  view: choice("view", viewNames),
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
  mask: words("mask"),
  colormap: words("colours"),
  range: choice("range", rangeNames),
  lineHeads: list("heads"),
  threshold,
  segments: choice("parts", ["all", "aa", "ab", "ba", "bb"] as const),
  gridSort: words("sort"),
  example: words("example"),
  step: count("step"),
  measureX: words("x"),
  measureY: words("y"),
  otherCapture: words("c2"),
  otherLayer: count("layer2"),
  otherHead: headChoice("head2"),
  otherMask: words("mask2"),
  comparing: choice("by", ["heads", "texts", "masks"] as const),
};

// A text that long would make an address no program accepts; then the link works on the same server only.
const longestText = 4000;

export function printLink(state: LinkState): string {
  const parts: string[] = [];
  const add = <K extends keyof LinkState>(name: K) => {
    const field = fields[name];
    const text = field.print(state[name]);
    if (text === field.print(startState[name])) return;
    if (name.startsWith("text") && text.length > longestText) return;
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

export function parseLink(hash: string): LinkState {
  const state = { ...startState };
  const read = <K extends keyof LinkState>(name: K, text: string) => {
    const value = fields[name].parse(text);
    if (value !== undefined) state[name] = value;
  };
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [key, ...rest] = part.split("=");
    const text = decoded(rest.join("="));
    const name = (Object.keys(fields) as (keyof LinkState)[]).find((known) => fields[known].key === key);
    if (name && text !== undefined) read(name, text);
  }
  return state;
}
