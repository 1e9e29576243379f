// Values that arrive later. The last one stays on the screen until the next is there. They are asked for in the
// frame in which they are wanted, not after the next paint.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { fetchNeighbours } from "../core/weights";
import { SourceError } from "../data/source";
import type { HeadAddress } from "../data/types";

export interface Loaded<T> {
  value: T | null;
  error: Error | null;
  key: string; // what the value belongs to
}

// `load` runs when `key` changes; an empty key loads nothing. Its signal tells when nobody waits any more.
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<Loaded<T>>({ value: null, error: null, key: "" });
  const wanted = useRef(key);
  wanted.current = key;
  useLayoutEffect(() => {
    if (!key) {
      setState({ value: null, error: null, key });
      return;
    }
    const left = new AbortController();
    load(left.signal).then(
      (value) => wanted.current === key && setState({ value, error: null, key }),
      (error: unknown) => {
        if (wanted.current !== key || left.signal.aborted) return;
        setState({ value: null, error: error instanceof Error ? error : new Error(String(error)), key });
      },
    );
    return () => left.abort();
  }, [key]);
  return state;
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
