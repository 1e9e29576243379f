// Starting: where the data come from, which capture is shown, and runs of the model.
import { batch } from "@preact/signals";
import { adopt, canChange, capture, captures, change, currentLink, failure, now, page, remarks, running, source } from "./state";
import { errorText } from "./errors";
import { readLink } from "./hash";
import type { LinkState } from "./hash";
import { followAddress } from "./history";
import { say } from "./readout";
import { t } from "./language";
import { opening, openingOf } from "./opening";
import { readingText } from "./reading";
import { offerTour } from "./tour";
import { FileSource } from "../data/source_file";
import { withFrameCache } from "../data/frame_cache";
import { FilmFileSource } from "../data/source_film";
import { HttpSource } from "../data/source_http";
import { readStart } from "../exports/save_page";
import { thousandths } from "./numbers";
import { shortened } from "./tokens";
import type { RunWanted } from "../data/source";
import type { Capture } from "../data/types";

// What a link to a capture needs.
const linkOf = (shown: Capture) => ({
  capture: shown.id, model: shown.model, text: shown.text, text2: shown.text2 ?? "", more: shown.more ?? [],
});

// Heads of one model mean nothing in another.
const changesFor = (shown: Capture, before: Capture | null) =>
  before && before.model !== shown.model ? { off: [], maskAt: "", before: false } : {};

// "minilm: The quick brown fox"
export function runName({ model, text }: Capture): string {
  return `${model}: ${shortened(text.replace(/\s+/g, " "), 28)}`;
}

function show(shown: Capture, quietly = false): void {
  change(linkOf(shown), quietly);
}

export function chooseCapture(id: string): void {
  const chosen = captures.peek().find((candidate) => candidate.id === id);
  if (chosen) change({ spot: -1, ...changesFor(chosen, capture.peek()), ...linkOf(chosen) });
}

// The run to compare with.
export function chooseOther(id: string): void {
  const chosen = captures.peek().find((candidate) => candidate.id === id);
  if (!chosen) return;
  const { capture: otherCapture, model: otherModel, text: otherRunText, text2: otherRunText2 } = linkOf(chosen);
  change({ otherCapture, otherModel, otherRunText, otherRunText2 });
}

// Null, and `failure` says why, if there is no such run.
async function made(wanted: RunWanted): Promise<Capture | null> {
  const from = source.peek();
  if (!from?.canRun || running.peek()) return null;
  running.value = true;
  failure.value = "";
  try {
    const capture = await from.run(wanted);
    const kept = captures.peek().filter((other) => other.id !== capture.id && other.id !== wanted.replaces);
    captures.value = [...kept, capture].slice(-(page.peek()?.limits.captures ?? 16));
    return capture;
  } catch (error) {
    failure.value = errorText(error);
    return null;
  } finally {
    running.value = false;
  }
}

export async function runModel(model: string, text: string, text2: string): Promise<void> {
  const before = capture.peek();
  const shown = await made({ model, text, text2, more: [] });
  if (!shown) return;
  change({ tokens: [], key: -1, spot: -1, ...changesFor(shown, before), ...linkOf(shown) });
  if (before?.model !== shown.model) await openWell(shown); // the head of another model means nothing here
  const ran = t("ran", { tokens: shown.kinds[0]?.keys ?? 0, time: thousandths(shown.seconds) });
  say([ran, ...readingText(shown)].join(" "));
}

// Goes on with one more token, which is then looked at. The run before it is dropped: its link makes it again.
export async function continueWith(id: number, quietly = false): Promise<boolean> {
  const before = capture.peek();
  if (!before) return false;
  const more = [...(before.more ?? []), id];
  const shown = await made({ model: before.model, text: before.text, text2: before.text2 ?? "", more, replaces: before.id });
  if (!shown) return false;
  const last = (shown.kinds[0]?.queries ?? 1) - 1;
  change({ ...linkOf(shown), tokens: [], key: -1, spot: last, direction: "out" }, quietly);
  return true;
}

export async function forget(): Promise<void> {
  const shown = capture.peek();
  if (!shown) return;
  try {
    await source.peek()?.remove(shown.id);
  } catch (error) {
    failure.value = errorText(error);
    return;
  }
  captures.value = captures.peek().filter((other) => other.id !== shown.id);
  const last = captures.peek().at(-1);
  if (last) show(last, true);
}

// On a head and token that show something, unless somebody has chosen meanwhile.
async function openWell(shown: Capture): Promise<void> {
  const before = currentLink();
  opening.value = true;
  const found = await openingOf(shown);
  batch(() => {
    if (found && currentLink() === before) change(found, true);
    opening.value = false;
  });
}

interface Linked {
  id: string;
  model: string;
  text: string;
  text2: string;
  more: number[];
}

// The run that is meant: one of this server's, by its number or its text.
function found({ id, model, text, text2, more }: Linked): Capture | undefined {
  const all = captures.peek();
  const same = (one: Capture) => one.model === model && one.text === text && (one.text2 ?? "") === text2 && (one.more ?? []).join() === more.join();
  const fits = (one: Capture) => !text || same(one);
  return all.find((one) => one.id === id && fits(one)) ?? (text ? all.filter(fits).at(-1) : undefined);
}

let reading = 0; // how often an address was read: what an earlier one asked for comes too late

// Shows the run that an address names, running its text if need be; else the one that was on the screen.
async function showLinked(state: LinkState, before: Capture | null): Promise<void> {
  const mine = ++reading;
  const linked = { id: state.capture, model: state.model, text: state.text, text2: state.text2, more: state.more };
  const here = found(linked);
  const kept = before ?? captures.peek().find((one) => one.film) ?? captures.peek().at(-1);
  if (!here && linked.text && source.peek()?.canRun) {
    await runLinked(state, before, kept, mine);
  } else {
    const instead = here ?? kept;
    if (instead) show(instead, true);
    if (!here && (linked.id || linked.text) && kept) remarks.value = [...remarks.peek(), t("unknownRun")];
  }
  return showOther(state, mine);
}

// Until the run is there the address stays as it is, and so does the run on the screen. At the start there is none yet:
// another one under the link's head and tokens would be taken for the one that it names, so the screen waits.
async function runLinked(state: LinkState, before: Capture | null, kept: Capture | undefined, mine: number): Promise<void> {
  if (!before) {
    adopt({ ...state, capture: "" }); // the number may be that of another run of this server
    opening.value = true;
  }
  const shown = (await made({ model: state.model, text: state.text, text2: state.text2, more: state.more })) ?? kept;
  batch(() => {
    if (!before) opening.value = false;
    if (shown && mine === reading) show(shown, true);
  });
}

// The run to compare with.
async function showOther(state: LinkState, mine: number): Promise<void> {
  const other = { id: state.otherCapture, model: state.otherModel, text: state.otherRunText, text2: state.otherRunText2, more: [] };
  if (mine !== reading || state.comparing !== "texts" || !other.text) return;
  const second = found(other) ?? (await made(other));
  if (second && mine === reading && second.id !== now.otherCapture.peek()) change({ otherCapture: second.id }, true);
}

function readAddress(hash: string): LinkState {
  const { state, misread } = readLink(hash);
  remarks.value = misread.length ? [t("misread", { parts: misread.join(" ") })] : [];
  return state;
}

// A file, or a film, cannot run what an address may ask for.
function tellWhatCannotBe(): void {
  const asks = now.off.peek().length || now.maskAt.peek() || now.more.peek().length || now.passed.peek();
  if (asks && capture.peek() && !canChange.peek()) remarks.value = [...remarks.peek(), t("notHere")];
}

export async function start(): Promise<void> {
  readStart();
  const fresh = !location.hash.slice(1); // nobody asked for anything in particular
  followAddress((hash) => {
    const before = capture.peek();
    const state = readAddress(hash);
    if (!page.peek()) return adopt(state); // the first one: there are no runs yet
    batch(() => {
      adopt({ ...state, capture: before?.id ?? "" });
      failure.value = "";
      void showLinked(state, before);
    });
  });
  try {
    const from = FileSource.fromDocument(FilmFileSource.of) ?? new HttpSource();
    const state = await from.state();
    source.value = state.film ? withFrameCache(from) : from;
    if (state.film && fresh) change({ view: "grid" }, true);
    if (state.studies?.length && !state.captures.length && fresh) change({ view: "study" }, true);
    let linked: Promise<void> | undefined;
    batch(() => {
      captures.value = state.captures;
      page.value = state;
      linked = showLinked(readLink(location.hash).state, null);
      if (fresh && !state.film && capture.peek()) void openWell(capture.peek()!);
    });
    await linked;
    tellWhatCannotBe();
    if (fresh) offerTour();
  } catch (error) {
    failure.value = errorText(error);
  }
}
