// Which lines the Lines view draws. There may be a million: they are kept as columns of numbers, not as objects.
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

export interface Edge {
  query: number;
  key: number;
  weight: number;
  head: number;
}

// The strongest come first, so that whoever has time for some of them only draws those: exactly for weights that
// differ by more than 1 %.
export interface EdgeSet {
  count: number;
  query: Int32Array;
  key: Int32Array;
  weight: Float32Array;
  head: Uint16Array;
}

export const noEdges: EdgeSet = {
  count: 0, query: new Int32Array(0), key: new Int32Array(0), weight: new Float32Array(0), head: new Uint16Array(0),
};

function roomFor(size: number): Omit<EdgeSet, "count"> {
  return { query: new Int32Array(size), key: new Int32Array(size), weight: new Float32Array(size), head: new Uint16Array(size) };
}

export class EdgeCollector {
  private room = roomFor(256);
  private count = 0;

  add(query: number, key: number, weight: number, head: number): void {
    if (this.count === this.room.weight.length) this.grow();
    const { room, count } = this;
    room.query[count] = query;
    room.key[count] = key;
    room.weight[count] = weight;
    room.head[count] = head;
    ++this.count;
  }

  // Counting sort: the upper bits of a positive float grow with it.
  strongestFirst(): EdgeSet {
    const { room, count } = this;
    const upper = new Uint32Array(room.weight.buffer, 0, count).map((bits) => bits >>> 16);
    const places = new Uint32Array(0x8001); // where the lines of each value begin; larger values before smaller ones
    for (let i = 0; i < count; ++i) ++places[0x7fff - upper[i] + 1];
    for (let value = 1; value < places.length; ++value) places[value] += places[value - 1];
    const sorted = roomFor(count);
    for (let i = 0; i < count; ++i) {
      const at = places[0x7fff - upper[i]]++;
      sorted.query[at] = room.query[i];
      sorted.key[at] = room.key[i];
      sorted.weight[at] = room.weight[i];
      sorted.head[at] = room.head[i];
    }
    return { count, ...sorted };
  }

  private grow(): void {
    const larger = roomFor(2 * this.count);
    for (const name of ["query", "key", "weight", "head"] as const) larger[name].set(this.room[name]);
    this.room = larger;
  }
}

export function edgesIn(set: EdgeSet): Edge[] {
  return Array.from({ length: set.count }, (_, i) => ({
    query: set.query[i], key: set.key[i], weight: set.weight[i], head: set.head[i],
  }));
}
