// The tour: where it stands, and whether somebody has seen it.
import { effect, signal } from "@preact/signals";
import { embedded } from "./embedded";
import { capture } from "./state";

// Each step shows one part of the page.
export const tourSteps = [
  { name: "text", target: ".passage" },
  { name: "look", target: ".passage" },
  { name: "seen", target: ".insight" },
  { name: "heads", target: ".selection" },
  { name: "views", target: "nav.views" },
  { name: "run", target: "header.top .run, header.top .filetitle" },
] as const;

export const tourStep = signal(-1); // −1: it is not shown

const storageKey = "fovea.tour";

function seen(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null;
  } catch {
    return false; // storage is forbidden: once per page
  }
}

export function startTour(): void {
  tourStep.value = 0;
}

export function endTour(): void {
  tourStep.value = -1;
  try {
    localStorage.setItem(storageKey, "seen");
  } catch {
    // Nothing is remembered.
  }
}

// To somebody who comes for the first time and by no link: as soon as there is a text to show.
export function offerTour(): void {
  if (embedded) return; // it would come again with every cell of a notebook
  if (seen()) return;
  const stop = effect(() => {
    if (!capture.value) return;
    startTour();
    queueMicrotask(() => stop());
  });
}
