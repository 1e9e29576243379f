// Values that arrive later. Within a run the last one stays on the screen until the next is there; what belongs to
// another run does not. They are asked for in the frame in which they are wanted, not after the next paint.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { now } from "../core/state";
import { fetchNeighbours } from "../core/weights";
import { SourceError } from "../data/source";
import type { HeadAddress } from "../data/types";

export interface Loaded<T> {
  value: T | null;
  error: Error | null;
  key: string; // what the value belongs to
}

const nothing = { value: null, error: null, key: "" };

// `load` runs when `key` changes; an empty key loads nothing. Its signal tells when nobody waits any more.
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const run = now.capture.value;
  const [state, setState] = useState<Loaded<T> & { run: string }>({ ...nothing, run });
  const wanted = useRef(key);
  wanted.current = key;
  useLayoutEffect(() => {
    if (!key) {
      setState({ ...nothing, run });
      return;
    }
    const left = new AbortController();
    load(left.signal).then(
      (value) => wanted.current === key && setState({ value, error: null, key, run }),
      (error: unknown) => {
        if (wanted.current !== key || left.signal.aborted) return;
        setState({ value: null, error: error instanceof Error ? error : new Error(String(error)), key, run });
      },
    );
    return () => left.abort();
  }, [key]);
  return state.run === run || state.key === key ? state : nothing;
}

// Fetches the heads beside this one once it is `here` and stays: not for somebody who leafs through.
export function useNeighbours(head: HeadAddress | null, here: boolean): void {
  useEffect(() => {
    if (!head || !here) return;
    const timer = setTimeout(() => void fetchNeighbours(head).catch(() => undefined), 100);
    return () => clearTimeout(timer);
  }, [JSON.stringify(head), here]);
}

export const isMissing = (error: Error | null) => error instanceof SourceError && error.missing;
