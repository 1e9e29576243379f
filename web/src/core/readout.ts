// One line for what is under the pointer, one live region for what was selected.
import { effect, signal } from "@preact/signals";
import { language } from "./language";
import { kindInfo, now } from "./state";

let line: HTMLElement | null = null;
let waiting: string | null = null;

export function attachReadout(element: HTMLElement | null): void {
  line = element;
}

// Called for every move of the pointer: written once per frame, without the framework.
export function hint(text: string): void {
  if (waiting === null) {
    requestAnimationFrame(() => {
      if (line && waiting !== null) line.textContent = waiting;
      waiting = null;
    });
  }
  waiting = text;
}

export const spoken = signal("");

// For a selection: shown, and said by screen readers.
export function say(text: string): void {
  spoken.value = text;
  hint(text);
}

// The line belongs to what is on the screen: another view, run or language starts with an empty one.
effect(() => {
  void [now.view.value, now.capture.value, kindInfo.value?.kind, language.value];
  spoken.value = "";
  hint("");
});
