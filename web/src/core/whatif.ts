// Changes of a run: heads switched off, a mask that acts, what is shown of it. A changed run has a name of its own,
// "c1~off=L2H3", so that whatever is asked or kept of a run can be asked and kept of a changed one.
import type { Capture, KindInfo, KindName } from "../data/types";

export interface RunChange {
  off: string[]; // heads that give nothing: "L2H3", "cross.L1H0"
  hide: string; // the heads that a mask acts on: "L3H*"; "": none
  visible: string; // that mask
}

export const noChange: RunChange = { off: [], hide: "", visible: "" };
export const isChange = ({ off, hide }: RunChange) => off.length > 0 || hide !== "";

const prefixes: Record<KindName, string> = { encoder: "enc.", decoder: "dec.", cross: "cross." };

interface Place {
  kind: KindName | ""; // "": of the only kind
  layer: number; // −1: all
  head: number; // −1: all
}

// "L2H3", "L3H*", "cross.L*H0"
export function parsePlace(text: string): Place | null {
  const match = /^(enc\.|dec\.|cross\.)?L(\d{1,4}|\*)H(\d{1,4}|\*)$/.exec(text);
  if (!match) return null;
  const kind = (Object.keys(prefixes) as KindName[]).find((name) => prefixes[name] === match[1]) ?? "";
  const number = (digits: string) => (digits === "*" ? -1 : Number(digits));
  return { kind, layer: number(match[2]), head: number(match[3]) };
}

// As the library reads it: models with several kinds of attention name the kind.
export function placeName(run: Capture, kind: KindName, layer: number | "*", head: number | "*"): string {
  return `${run.kinds.length > 1 ? prefixes[kind] : ""}L${layer}H${head}`;
}

function kindOf(run: Capture, place: Place): KindInfo | undefined {
  return place.kind ? run.kinds.length > 1 ? run.kinds.find(({ kind }) => kind === place.kind) : undefined : run.kinds.length === 1 ? run.kinds[0] : undefined;
}

// Does the run have this head, or one of these heads?
export function isThere(run: Capture, text: string): boolean {
  const place = parsePlace(text);
  const info = place && kindOf(run, place);
  return Boolean(place && info && place.layer < info.layers && place.head < info.heads);
}

export function covers(run: Capture, text: string, kind: KindName, layer: number, head: number | "mean"): boolean {
  const place = parsePlace(text);
  if (!place || kindOf(run, place)?.kind !== kind || (place.layer >= 0 && place.layer !== layer)) return false;
  return place.head < 0 || place.head === head;
}

// The part of a change that this run can take; a link may come from another model.
export function fitting(run: Capture, change: RunChange): RunChange {
  const off = change.off.filter((place) => isThere(run, place));
  const hides = change.hide !== "" && change.visible !== "" && isThere(run, change.hide);
  return { off, hide: hides ? change.hide : "", visible: hides ? change.visible : "" };
}

// By layer and head, so that the order of clicks does not matter.
export function toggledOff(off: string[], place: string): string[] {
  if (off.includes(place)) return off.filter((other) => other !== place);
  const order = (text: string) => {
    const { kind, layer, head } = parsePlace(text) ?? { kind: "", layer: 0, head: 0 };
    return [kind, String(layer).padStart(4, "0"), String(head).padStart(4, "0")].join();
  };
  return [...off, place].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

export function variantName(run: string, change: RunChange, passed: boolean): string {
  const values: Record<string, string> = {};
  if (change.off.length) values.off = change.off.join(",");
  if (change.hide) Object.assign(values, { hide: change.hide, visible: change.visible });
  if (passed) values.show = "passed";
  const query = new URLSearchParams(values).toString();
  return query ? `${run}~${query}` : run;
}

export interface Variant {
  run: string;
  values: Record<string, string>; // what a request has to say
}

export function readVariant(name: string): Variant {
  const at = name.indexOf("~");
  if (at < 0) return { run: name, values: {} };
  return { run: name.slice(0, at), values: Object.fromEntries(new URLSearchParams(name.slice(at + 1))) };
}

export const baseRun = (name: string) => readVariant(name).run;
