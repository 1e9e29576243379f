// Keys that work everywhere. Keys of one view are handled there and go no further.
import { switchSelected } from "./head_off";
import { address, canShowPassed, capture, change, explaining, isChanged, kindInfo, now, page } from "./state";
import { rangeNames } from "./colours";
import { offeredViews, viewKeys, viewNames } from "./hash";
import { chooseLanguage, language } from "./language";
import { study, studyHead } from "./studies";

// The head that the keys move: of the run, or of the study.
function movable() {
  const inStudy = now.view.peek() === "study";
  return { info: inStudy ? study.peek() : kindInfo.peek(), chosen: inStudy ? studyHead.peek() : address.peek() };
}

function moveHead(by: number): void {
  const { info, chosen } = movable();
  if (!info || !chosen) return;
  const head = chosen.head === "mean" ? (by > 0 ? -1 : 0) : chosen.head;
  change({ head: (head + by + info.heads) % info.heads });
}

function moveLayer(by: number): void {
  const { info, chosen } = movable();
  if (info && chosen) change({ layer: (chosen.layer + by + info.layers) % info.layers });
}

function nextKind(): void {
  const kinds = capture.peek()?.kinds ?? [];
  const at = kinds.findIndex((info) => info.kind === kindInfo.peek()?.kind);
  if (kinds.length > 1) change({ kind: kinds[(at + 1) % kinds.length].kind, tokens: [], key: -1 });
}

function nextColours(): void {
  const names = ["auto", ...Object.keys(page.peek()?.colormaps ?? {}).filter((name) => name !== "RdBu")];
  change({ colormap: names[(names.indexOf(now.colormap.peek()) + 1) % names.length] });
}

function nextRange(): void {
  change({ range: rangeNames[(rangeNames.indexOf(now.range.peek()) + 1) % rangeNames.length] });
}

const actions: Record<string, () => unknown> = {
  "[": () => moveLayer(-1),
  "]": () => moveLayer(1),
  ",": () => moveHead(-1),
  ".": () => moveHead(1),
  m: () => change({ head: now.head.peek() === "mean" ? 0 : "mean" }),
  k: nextKind,
  d: () => change({ direction: now.direction.peek() === "out" ? "in" : "out" }),
  c: nextColours,
  r: nextRange,
  h: () => change({ clean: !now.clean.peek() }),
  g: () => change({ words: !now.words.peek() }),
  x: switchSelected,
  b: () => isChanged.peek() && change({ before: !now.before.peek() }),
  v: () => canShowPassed.peek() && change({ passed: !now.passed.peek() }),
  p: () => change({ presenting: !now.presenting.peek() }),
  l: () => chooseLanguage(language.peek() === "en" ? "zh" : "en"),
  e: () => document.querySelector<HTMLElement>("[data-key=export]")?.click(),
  w: () => (explaining.value = !explaining.peek()),
  "/": () => document.getElementById("text")?.focus(),
  Escape: () => change({ tokens: [], key: -1, spot: -1 }),
};

// An input method is at work: Enter, Escape and letters belong to it. (229: Safari ends the composition first.)
export function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

export function installKeys(toggleHelp: () => void): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isComposing(event)) return;
    if (document.querySelector("dialog[open]")) return;
    if (isWriting(event.target)) {
      if (event.key === "Escape") (event.target as HTMLElement).blur();
      return;
    }
    const view = offeredViews.find((name) => viewKeys[viewNames.indexOf(name)] === event.key);
    const action = view ? () => change({ view }) : event.key === "?" ? toggleHelp : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
