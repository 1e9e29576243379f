// Heads of the run on the screen that are switched off.
import { address, canChange, capture, change, kindInfo, runChange } from "./state";
import { placeName, toggledOff } from "./whatif";

const placeOf = (layer: number, head: number) => placeName(capture.value!, kindInfo.value!.kind, layer, head);

export const isOff = (layer: number, head: number) => runChange.value.off.includes(placeOf(layer, head));

export function switchHead(layer: number, head: number): void {
  if (canChange.peek()) change({ off: toggledOff(runChange.peek().off, placeOf(layer, head)), before: false });
}

// The mean of a layer is no head.
export function switchSelected(): void {
  const chosen = address.peek();
  if (chosen && chosen.head !== "mean") switchHead(chosen.layer, chosen.head);
}
