// What all heads of a run are measured by, and their small pictures: asked for once, by whoever needs them first.
import { source } from "./state";
import type { Thumbnails } from "../data/source";
import type { KindName, Overview } from "../data/types";

const mostKept = 8;

function remembering<T>(load: (capture: string, kind: KindName) => Promise<T>) {
  const known = new Map<string, Promise<T>>();
  return async (capture: string, kind: KindName, wait = 0): Promise<T> => {
    const key = `${capture}|${kind}`;
    if (!known.has(key) && wait > 0) await new Promise((done) => setTimeout(done, wait));
    const promise = known.get(key) ?? load(capture, kind);
    known.delete(key);
    known.set(key, promise);
    if (known.size > mostKept) known.delete(known.keys().next().value!);
    promise.catch(() => known.delete(key));
    return promise;
  };
}

// They cost more than a head's weights: whoever can waits so many milliseconds, so that the weights come first.
export const patience = 400;

export const overviewOf = remembering<Overview>((capture, kind) => source.peek()!.overview(capture, kind));
export const thumbnailsOf = remembering<Thumbnails>((capture, kind) => source.peek()!.thumbnails(capture, kind));
