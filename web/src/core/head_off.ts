// Heads of the run on the screen that are switched off.
import { askEarly } from "./predictions";
import { address, canChange, capture, change, kindInfo, now, runChange } from "./state";
import { placeName, toggledOff } from "./whatif";

const placeOf = (layer: number, head: number) => placeName(capture.value!, kindInfo.value!.kind, layer, head);

export const isOff = (layer: number, head: number) => runChange.value.off.includes(placeOf(layer, head));

// What clicks have asked for and the page has not turned to yet: it does when the prediction is here, or takes long.
let asked: { off: string[]; from: string } | null = null;

const whereNow = () => JSON.stringify([now.capture.peek(), runChange.peek()]);

export function switchHead(layer: number, head: number): void {
  if (!canChange.peek()) return;
  const from = whereNow();
  const before = asked?.from === from ? asked.off : runChange.peek().off;
  const wanted = { off: toggledOff(before, placeOf(layer, head)), from };
  asked = wanted;
  void askEarly({ ...runChange.peek(), off: wanted.off }).then(() => {
    if (asked !== wanted) return; // another click came, which counts this one in
    asked = null;
    if (whereNow() === from) change({ off: wanted.off, before: false }); // else the person has gone on
  });
}

// The mean of a layer is no head.
export function switchSelected(): void {
  const chosen = address.peek();
  if (chosen && chosen.head !== "mean") switchHead(chosen.layer, chosen.head);
}
