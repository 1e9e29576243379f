// Where the shares stand on the arcs.

export type Row = [number, number]; // top and bottom of a line of chips

export interface Curve {
  from: [number, number];
  to: [number, number];
  via: [number, number, number, number];
}

const alongArc = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82, 0.12, 0.88]; // first choice first

export function pointOf({ from, to, via }: Curve, t: number): [number, number] {
  const u = 1 - t;
  const at = (i: 0 | 1) => u ** 3 * from[i] + 3 * u * u * t * via[i] + 3 * u * t * t * via[i + 2] + t ** 3 * to[i];
  return [at(0), at(1)];
}

// As near to the middle of each arc as there is room beside the letters of the chips and other shares; null: nowhere.
// The first arc, the largest weight, has its share in any case. `halves`: half the width of each; `size`: of letters.
export function labelPlaces(curves: Curve[], halves: number[], rows: Row[], size: number): ([number, number] | null)[] {
  const taken: { x: number; y: number; half: number }[] = [];
  return curves.map((curve, i) => {
    const half = halves[i];
    const free = ([x, y]: [number, number]) =>
      rows.every(([top, bottom]) => y + 0.36 * size < top || y - 0.36 * size > bottom) &&
      taken.every((other) => Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > 1.1 * size);
    const place = alongArc.map((t) => pointOf(curve, t)).find(free) ?? (i ? null : pointOf(curve, 0.5));
    if (place) taken.push({ x: place[0], y: place[1], half });
    return place;
  });
}
