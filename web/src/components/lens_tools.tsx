// Hiding special tokens and sinks, merging words; and what that did to the numbers.
import { t } from "../core/language";
import { percentText } from "../core/numbers";
import { cleaned, hiddenTokens, lens, lensWanted, sinks } from "../core/shown";
import { capture, change, kindInfo, now } from "../core/state";
import { thumbnailTokens } from "../core/thumbnail";
import { placed } from "../core/tokens";
import { fitsWhole } from "../core/weights";
import type { ViewName } from "../core/hash";
import type { Matrix } from "../data/types";

const lensViews: ViewName[] = ["text", "matrix", "lines", "grid"];
const mostNamed = 8;

export function LensButtons() {
  return (
    <span class="segmented lens-buttons" role="group" aria-label={t("clean")}>
      <button type="button" data-lens="clean" aria-pressed={now.clean.value} title={t("cleanTitle")} onClick={() => change({ clean: !now.clean.peek() })}>
        {t("cleanShort")}
      </button>
      <button type="button" data-lens="words" aria-pressed={now.words.value} title={t("wordsTitle")} onClick={() => change({ words: !now.words.peek() })}>
        {t("wordsShort")}
      </button>
    </span>
  );
}

function hiddenNames(): string {
  const all = hiddenTokens.value;
  const names = all.slice(0, mostNamed).map(({ name, at, sink }) => (sink ? t("noteSink", { token: placed(name, at) }) : placed(name, at)));
  const text = names.join(", ");
  return all.length > mostNamed ? t("noteMore", { tokens: text, count: all.length - mostNamed }) : text;
}

// What was done to the numbers of a view, in sentences; of pictures that are exported, too.
export function lensNotes(view: ViewName): string[] {
  const info = kindInfo.value;
  if (!lensWanted.value || !info || !capture.value) return [];
  if (!lensViews.includes(view)) return [t("noteRaw")];
  if (!fitsWhole(info)) return [t("noteLong")];
  if (!lens.value) return [t("noteEmpty")];
  if (view === "grid" && Math.max(info.queries, info.keys) > thumbnailTokens) return [t("noteThumbnails", { count: thumbnailTokens })];
  const notes: string[] = [];
  if (now.clean.value) {
    const names = hiddenNames();
    notes.push(names ? t("noteClean", { tokens: names }) : sinks.value ? t("noteCleanNone") : "");
    if (!sinks.value) notes.push(t("noteMeasuring"));
  }
  if (now.words.value) notes.push(t("noteWords"));
  return notes.filter(Boolean);
}

export function LensNote(props: { view: ViewName }) {
  const notes = lensNotes(props.view);
  return notes.length ? <p class="lens-note" title={t("cleanTitle")}>{notes.join(" ")}</p> : null;
}

// "93.1 % of this row hidden": how little the renormalised row may rest on.
export function hiddenOfRow(matrix: Matrix | null | undefined, row: number): string {
  const through = lens.peek();
  if (!through || !now.clean.peek() || !matrix) return "";
  return ` · ${t("hiddenOfRow", { percent: percentText(1 - cleaned(matrix, through).left[row]) })}`;
}
