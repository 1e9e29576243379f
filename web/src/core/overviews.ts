// The measures of all heads, asked for once per run and kind.
import { source } from "./state";
import type { KindName, Overview } from "../data/types";

const kept = new Map<string, Promise<Overview>>();
const most = 32;

export function overviewOf(capture: string, kind: KindName): Promise<Overview> {
  const key = `${capture}|${kind}`;
  const known = kept.get(key);
  if (known) return known;
  const asked = source.peek()!.overview(capture, kind);
  kept.set(key, asked);
  asked.catch(() => kept.delete(key));
  if (kept.size > most) kept.delete(kept.keys().next().value!);
  return asked;
}
