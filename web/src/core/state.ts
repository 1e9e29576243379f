// The one state of the page: what a link carries, and what was loaded for it.
import { batch, computed, signal } from "@preact/signals";
import type { ReadonlySignal } from "@preact/signals";
import { printLink, startState } from "./hash";
import type { LinkState } from "./hash";
import { ColourTable, darkDivergingTable, liftedTable } from "./colours";
import { frameAt, frameId } from "./film_frames";
import { record } from "./history";
import { Mask, MaskShapeError } from "./mask";
import { MaskError, parseMask } from "./mask_expression";
import type { MaskTree } from "./mask_expression";
import { tokenNames } from "./tokens";
import { covers, fitting, isChange, noChange, variantName } from "./whatif";
import type { RunChange } from "./whatif";
import type { Source } from "../data/source";
import type { Capture, FilmInfo, HeadAddress, KindInfo, ModelInfo, PageState, Sequence, Side } from "../data/types";

const link = signal<LinkState>(startState);

type Fields = { [K in keyof LinkState]: ReadonlySignal<LinkState[K]> };

// Each field as a signal of its own, so that a view runs again only for what it reads.
export const now = Object.fromEntries(
  (Object.keys(startState) as (keyof LinkState)[]).map((name) => [name, computed(() => link.value[name])]),
) as Fields;

// A step of the person, which Back undoes; `quietly`: part of the step before (typing, playing, what follows by itself).
export function change(patch: Partial<LinkState>, quietly = false): void {
  const before = link.peek();
  batch(() => {
    link.value = { ...before, ...patch };
    if (!quietly && ("view" in patch || "capture" in patch)) clearMessages();
  });
  record(() => printLink(before), currentLink, quietly);
}

// The state as an address gives it: nothing is recorded.
export function adopt(state: LinkState): void {
  link.value = state;
}

export function currentLink(): string {
  return printLink(link.peek());
}

export const source = signal<Source | null>(null);
export const page = signal<PageState | null>(null);
export const captures = signal<Capture[]>([]);
export const running = signal(false);
export const failure = signal(""); // the last error the person should see
export const explaining = signal(false); // "What am I looking at?" is open, in whatever view
export const remarks = signal<string[]>([]); // what became of the address

function clearMessages(): void {
  if (!page.peek()) return;
  failure.value = "";
  remarks.value = [];
}

export const capture = computed<Capture | null>(
  () => captures.value.find((candidate) => candidate.id === now.capture.value) ?? null,
);

// The model that the next run will use: links name that of the run on the screen.
export const nextModel = signal("");
export const chosenModel = computed<ModelInfo | null>(() => {
  const here = page.value?.models.filter(({ available }) => available) ?? [];
  const known = [nextModel.value, now.model.value].flatMap((name) => here.filter(({ id }) => id === name));
  return known[0] ?? here[0] ?? null;
});

// The film, if one of its texts is on the screen, and its frame there.
export const film = computed<FilmInfo | null>(() => (capture.value?.film && page.value?.film) || null);
export const frame = computed(() => (film.value ? frameAt(film.value, now.filmStep.value) : 0));

export const kindInfo = computed<KindInfo | null>(() => {
  const kinds = capture.value?.kinds;
  return kinds?.find((candidate) => candidate.kind === now.kind.value) ?? kinds?.[0] ?? null;
});

export function sequenceOf(of: Capture, side: Side): Sequence {
  const empty = { tokens: [], ids: [], begins: [], ends: [], segments: [], special: [] };
  return of.sequences[side] ?? Object.values(of.sequences)[0] ?? empty;
}

export const querySequence = computed(() =>
  capture.value && kindInfo.value ? sequenceOf(capture.value, kindInfo.value.query_side) : null,
);
export const keySequence = computed(() =>
  capture.value && kindInfo.value ? sequenceOf(capture.value, kindInfo.value.key_side) : null,
);

export function namesOf(of: Capture, side: Side): string[] {
  return tokenNames(of, side, sequenceOf(of, side));
}

const namesAt = (side: "query_side" | "key_side") =>
  computed(() => (capture.value && kindInfo.value ? namesOf(capture.value, kindInfo.value[side]) : []));
export const queryNames = namesAt("query_side");
export const keyNames = namesAt("key_side");

// A server with the model: nothing can be run again in a file, nor of a film, nor of a run that came without its model.
export const canChange = computed(() => Boolean(source.value?.canRun && capture.value?.family && !capture.value.film));

// What was changed of the run, as far as it can be done here.
export const runChange = computed<RunChange>(() => {
  const [of, info] = [capture.value, kindInfo.value];
  if (!canChange.value || !of || !info) return noChange;
  const mask = now.mask.value;
  const reads = mask !== "" && readMask(mask, info.queries, info.keys).tree !== null;
  return fitting(of, { off: now.off.value, hide: reads ? now.maskAt.value : "", visible: reads ? mask : "" });
});
export const isChanged = computed(() => isChange(runChange.value));

// Whole matrices of all heads are made for this: of long texts they would be too many.
export const canShowPassed = computed(() => {
  const info = kindInfo.value;
  return canChange.value && info !== null && info.queries * info.keys <= 512 * 512 && info.layers * info.heads * info.queries * info.keys <= 2 ** 25;
});
export const showsPassed = computed(() => now.passed.value && canShowPassed.value);

// The run on the screen as requests name it, with its changes unless the run before them is shown.
export const shownRun = computed(() => {
  const of = capture.value;
  if (!of) return "";
  if (film.value) return frameId(of.id, frame.value);
  return variantName(of.id, now.before.value ? noChange : runChange.value, showsPassed.value);
});

// The selected head, within the bounds of the capture.
export const address = computed<HeadAddress | null>(() => {
  const info = kindInfo.value;
  if (!info || !capture.value) return null;
  const head = now.head.value;
  return {
    capture: shownRun.value,
    kind: info.kind,
    layer: Math.min(now.layer.value, info.layers - 1),
    head: head === "mean" ? head : Math.min(head, info.heads - 1),
  };
});

// The selected tokens that exist: queries, or keys where one looks at who looks there.
export const selectedTokens = computed(() => {
  const info = kindInfo.value;
  if (!info) return [];
  const extent = now.direction.value === "out" ? info.queries : info.keys;
  return now.tokens.value.filter((token) => token < extent);
});

// The tokens that Text shows by itself: the selected ones, else the one that the page opened on.
export const shownTokens = computed(() => {
  const [info, spot, chosen] = [kindInfo.value, now.spot.value, selectedTokens.value];
  const fits = info && spot >= 0 && spot < info.queries && (now.direction.value === "out" || info.query_side === info.key_side);
  return chosen.length || !fits ? chosen : [spot];
});

export interface MaskReading {
  tree: MaskTree | null; // null: everything visible, or not understood
  error: MaskError | MaskShapeError | null;
}

export function readMask(expression: string, n: number, m: number): MaskReading {
  if (!expression.trim()) return { tree: null, error: null };
  try {
    const tree = parseMask(expression);
    new Mask(tree, n, m);
    return { tree, error: null };
  } catch (error) {
    if (error instanceof MaskError || error instanceof MaskShapeError) return { tree: null, error };
    throw error;
  }
}

// What the model itself hides in this layer. Its mask may hold parts that have no text form.
export function modelMask(info: KindInfo, layer: number): MaskTree {
  const own = readMask(info.each_layer[layer]!.mask, info.queries, info.keys);
  return own.tree ?? parseMask(info.causal ? "causal" : "none");
}

const maskReading = computed(() => {
  const info = kindInfo.value;
  return info && readMask(now.mask.value, info.queries, info.keys);
});

// The mask of the person for the pictures, where it fits this capture; "" otherwise, and where it acts in the run.
export const activeMask = computed(() => (maskReading.value?.tree && !runChange.value.hide ? now.mask.value : ""));

// Why the mask, of an address or made for another run, is not used.
export const maskProblem = computed(() => maskReading.value?.error ?? null);

export const visibility = computed<Mask | null>(() => {
  const info = kindInfo.value;
  if (!info) return null;
  let tree = modelMask(info, address.value?.layer ?? 0);
  const [at, { hide, visible }] = [address.value, runChange.value];
  const acts = at && hide && !now.before.value && covers(capture.value!, hide, at.kind, at.layer, at.head);
  const hidden = activeMask.value || (acts ? visible : "");
  if (hidden) tree = { type: "and", left: tree, right: parseMask(hidden) };
  return tree.type === "none" ? null : new Mask(tree, info.queries, info.keys);
});

const darkMedia = matchMedia("(prefers-color-scheme: dark)");
export const dark = signal(darkMedia.matches);
darkMedia.addEventListener("change", () => (dark.value = darkMedia.matches));

export const colourName = computed(() => {
  const tables = page.value?.colormaps ?? {};
  const chosen = now.colormap.value;
  if (chosen in tables) return chosen;
  return dark.value ? "magma" : "Blues";
});

const grey = Array.from({ length: 256 }, (_, i) => (255 - i).toString(16).padStart(2, "0").repeat(3)).join("");

// Nobody chose a table, and the page is dark: small weights are grey, not black on black.
export const colours = computed(() => {
  const table = page.value?.colormaps[colourName.value] ?? grey;
  return new ColourTable(dark.value && now.colormap.value === "auto" ? liftedTable(table) : table);
});
export const differenceColours = computed(() => {
  const table = page.value?.colormaps["RdBu"] ?? grey;
  return new ColourTable(dark.value ? darkDivergingTable(table) : table);
});
