// What is selected in the page, as a notebook around it is told and may ask for it.
import { readLink } from "./hash";
import type { LinkState } from "./hash";

export interface Selection {
  view: string;
  kind: string;
  layer: number;
  head: number | "mean";
  tokens: number[]; // selected queries, or keys where one looks at who looks there
  key: number; // −1: none
}

const fields = ["view", "kind", "layer", "head", "tokens", "key"] as const;

// What others send is read as an address is: unknown or wrong fields change nothing.
export function patchOf(asked: Record<string, unknown>): Partial<LinkState> {
  const patch: Record<string, unknown> = {};
  for (const name of fields.filter((field) => field in asked)) {
    const value = asked[name];
    const text = Array.isArray(value) ? value.join(".") : String(value);
    const nothing = (name === "key" && value === -1) || (name === "tokens" && text === "");
    const { state, misread } = readLink(nothing ? "" : `${name}=${encodeURIComponent(text)}`);
    if (!misread.length) patch[name] = state[name];
  }
  return patch;
}
