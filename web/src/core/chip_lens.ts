// The Text view through the lens: chips stay one per token, and show the values of their words.
import { groupNames, leaders, tokenColumn, tokenReceived, tokenRow } from "./shown";
import { firsts, groupOf } from "./lens";
import type { Groups, Lens } from "./lens";
import { kindInfo } from "./state";
import type { ChipSource } from "../canvas/chip_field";
import type { HeadAddress, Side } from "../data/types";

// The first token of a group carries the name of the whole.
function namedByGroup(names: string[], groups: Groups, side: Side): string[] {
  const all = [...names];
  groupNames(names, groups, side).forEach((name, at) => (all[groups[at][0]] = name));
  return all;
}

export function chipsThroughLens(from: ChipSource, head: HeadAddress, mask: string, through: Lens | null): ChipSource {
  const info = kindInfo.peek();
  if (!through || !info) return from;
  const own = from.direction === "out" ? through.queries : through.keys;
  const group = groupOf(own, from.direction === "out" ? through.queryCount : through.keyCount);
  const listed = { out: leaders(through.keys, through.keyCount)!, in: leaders(through.queries, through.queryCount)! };
  return {
    ...from,
    chosen: [...new Set(from.chosen.filter((token) => group[token] >= 0).map((token) => firsts(own)[group[token]]))],
    queries: namedByGroup(from.queries, through.queries, info.query_side),
    keys: namedByGroup(from.keys, through.keys, info.key_side),
    queryCount: through.queries.length,
    listed: listed.out,
    values: (token, look) => (look === "out" ? tokenRow : tokenColumn)(head, token, mask, through),
    visible: (token, look) => {
      const seen = from.visible(token, look);
      return seen ? listed[look].map((flag, i) => flag & seen[i]) : listed[look];
    },
    received: () => tokenReceived(head, mask, through),
  };
}
