// What somebody has done, kept in this browser if it lets us; else until the page is closed.
import { signal } from "@preact/signals";

const storageKey = "fovea.learn";
export const kinds = ["lessons", "exercises", "questions"] as const;
export type Kind = (typeof kinds)[number];
export type Progress = Record<Kind, readonly string[]>;

const nothing: Progress = { lessons: [], exercises: [], questions: [] };

// Whatever stands there, a list of texts comes out.
export function readProgress(text: string | null): Progress {
  try {
    const stored = JSON.parse(text ?? "{}") as Partial<Record<Kind, unknown>> | null;
    const list = (kind: Kind) => {
      const ids = stored?.[kind];
      return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === "string").slice(0, 1000) : [];
    };
    return { lessons: list("lessons"), exercises: list("exercises"), questions: list("questions") };
  } catch {
    return nothing;
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null; // storage is forbidden (a file, a private window)
  }
}

export const progress = signal<Progress>(readProgress(stored()));

function keep(next: Progress): void {
  progress.value = next;
  try {
    localStorage.setItem(storageKey, JSON.stringify(next));
  } catch {
    // See above.
  }
}

export const isDone = (kind: Kind, id: string) => progress.value[kind].includes(id);

export function done(kind: Kind, id: string): void {
  const before = readProgress(stored() ?? JSON.stringify(progress.peek())); // another window may have added something
  if (!before[kind].includes(id)) keep({ ...before, [kind]: [...before[kind], id] });
  else if (!progress.peek()[kind].includes(id)) progress.value = before;
}

export const forgetAll = () => keep(nothing);
