// The head that does a thing most, by the library's measures.
import type { Overview } from "../data/types";

// What people look for, and from which value on the library calls a head by it.
export const lookedFor = [
  { measure: "previous_token", threshold: 0.4 },
  { measure: "induction_lift", threshold: 2 },
  { measure: "same_token", threshold: 0.4 },
  { measure: "sink_share", threshold: 0.5 },
  { measure: "next_token", threshold: 0.4 },
  { measure: "diagonal", threshold: 0.4 },
  { measure: "punctuation", threshold: 0.5 },
] as const;
export type LookedFor = (typeof lookedFor)[number]["measure"];

export interface BestHead {
  measure: LookedFor;
  threshold: number;
  best: { layer: number; head: number; value: number } | null; // null: the measure does not apply to this text
}

// Of equals the first.
export function bestHeads(overview: Overview): BestHead[] {
  return lookedFor.map(({ measure, threshold }) => {
    let best: BestHead["best"] = null;
    overview.heads.forEach((heads, layer) =>
      heads.forEach(({ measures }, head) => {
        const value = measures[measure];
        if (value != null && value > 0 && (!best || value > best.value)) best = { layer, head, value };
      }),
    );
    return { measure, threshold, best };
  });
}
