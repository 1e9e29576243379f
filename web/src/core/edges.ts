// Which lines the Lines view draws.
import { holdingMass, largest } from "./ranking";
import type { SegmentFilter, Threshold } from "./hash";

export function chosenKeys(row: ArrayLike<number>, threshold: Threshold): number[] {
  if (threshold.by === "mass") return holdingMass(row, threshold.mass);
  return largest(row, threshold.count).filter((key) => row[key] > 0);
}

// Does a line from a token of part `query` to one of part `key` pass the filter?
export function passes(filter: SegmentFilter, query: number, key: number): boolean {
  if (filter === "all") return true;
  const part = (segment: number) => (segment === 0 ? "a" : "b");
  return filter === part(query) + part(key);
}
