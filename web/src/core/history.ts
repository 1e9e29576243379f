// The address and the browser's history. What a person does is a step that Back undoes; what goes on by itself, or
// while a key is held down or a text is typed, only changes the step it belongs to.

const pause = 150; // ms; browsers limit how often an address may change

let written: string | null = null; // what the address says; null: it is not ours yet
let timer: ReturnType<typeof setTimeout> | undefined;
let stepping = false; // a step is made at the end of this task
let repeating = false; // a key is held down

function write(text: string, step: boolean): void {
  clearTimeout(timer);
  timer = undefined;
  if (written === null || text === written) return;
  written = text;
  try {
    if (step) history.pushState(null, "", `#${text}`);
    else history.replaceState(null, "", `#${text}`);
  } catch {
    // Too many changes at once, says the browser: the next one brings the address up to date.
  }
}

// The state changed from what `before` prints to what `now` prints. All changes of one task are one step.
export function record(before: () => string, now: () => string, quietly: boolean): void {
  if (stepping) return;
  if (quietly || repeating) {
    clearTimeout(timer);
    timer = setTimeout(() => write(now(), false), pause);
    return;
  }
  if (timer !== undefined) write(before(), false);
  stepping = true;
  queueMicrotask(() => {
    stepping = false;
    write(now(), true);
  });
}

// At once, for whoever copies the address.
export const writeAddress = (text: string) => write(text, false);

// `read` is called with the address now, and whenever Back, Forward or the person changes it.
export function followAddress(read: (hash: string) => void): void {
  const onChange = () => {
    const hash = location.hash.slice(1);
    if (hash === written) return;
    clearTimeout(timer);
    timer = undefined;
    written = hash;
    read(hash);
  };
  onChange();
  addEventListener("hashchange", onChange);
  addEventListener("keydown", (event) => (repeating = event.repeat), { capture: true });
  addEventListener("keyup", () => (repeating = false), { capture: true });
  addEventListener("pointerdown", () => (repeating = false), { capture: true });
}
