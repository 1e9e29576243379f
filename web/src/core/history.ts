// The address and the browser's history. What a person does is a step that Back undoes; what goes on by itself, or
// while a key is held down or a text is typed, only changes the step it belongs to.

import { embedded } from "./embedded";

const pause = 150; // ms; browsers limit how often an address may change

let written: string | null = null; // what we wrote, or read last; null: the address is not ours yet
let shown = ""; // the address at that time, as the browser spells it
let timer: ReturnType<typeof setTimeout> | undefined;
let stepping: ReturnType<typeof setTimeout> | undefined; // a step waits to be written
let together = false; // what changes now belongs to that step
let repeating = false; // a key is held down
let current = () => ""; // prints the state

function write(text: string, step: boolean): void {
  clearTimeout(timer);
  timer = undefined;
  if (written === null || text === written) return;
  if (location.hash !== shown) return; // Back or the person was faster: that address is about to be read
  written = text;
  try {
    // In a frame, a step would be one of the page around it.
    if (step && !embedded) history.pushState(null, "", `#${text}`);
    else history.replaceState(null, "", `#${text}`);
  } catch {
    // Too many changes at once, says the browser: the next one brings the address up to date.
  }
  shown = location.hash;
}

// The state changed from what `before` prints to what `now` prints. All changes of one task are one step.
export function record(before: () => string, now: () => string, quietly: boolean): void {
  current = now;
  if (together) return;
  if (stepping !== undefined) finishStep(before());
  if (quietly || repeating) {
    clearTimeout(timer);
    timer = setTimeout(() => write(now(), false), pause);
    return;
  }
  if (timer !== undefined) write(before(), false);
  together = true;
  queueMicrotask(() => (together = false));
  stepping = setTimeout(() => finishStep(now())); // after the screen: browsers take milliseconds for an entry
}

function finishStep(text: string): void {
  clearTimeout(stepping);
  stepping = undefined;
  write(text, true);
}

// At once, for whoever copies the address.
export function writeAddress(text: string): void {
  if (stepping !== undefined) finishStep(text);
  else write(text, false);
}

// `read` is called with the address now, and whenever Back, Forward or the person changes it.
export function followAddress(read: (hash: string) => void): void {
  const onChange = () => {
    const hash = location.hash.slice(1);
    shown = location.hash;
    if (hash === written) return;
    clearTimeout(timer);
    clearTimeout(stepping);
    timer = stepping = undefined;
    written = hash;
    read(hash);
  };
  onChange();
  addEventListener("hashchange", onChange);
  addEventListener("pagehide", () => (timer ?? stepping) !== undefined && writeAddress(current())); // a reload loses nothing
  addEventListener("keydown", (event) => (repeating = event.repeat), { capture: true });
  addEventListener("keyup", () => (repeating = false), { capture: true });
  addEventListener("pointerdown", () => (repeating = false), { capture: true });
}
