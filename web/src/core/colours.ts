// Colours for weights, from the library's tables of 256 entries.

export type RangeName = "unit" | "row" | "log";
export const rangeNames: RangeName[] = ["unit", "row", "log"];
export const smallestOfLog = 1e-4;

export class ColourTable {
  readonly pixels = new Uint32Array(256); // as ImageData wants them on a little-endian machine
  readonly css: string[] = [];
  readonly darkText: boolean[] = []; // is black easier to read on it than white?

  constructor(hex: string) {
    if (!/^([0-9a-f]{6}){256}$/i.test(hex)) throw new Error("a colour table has 256 entries of 6 hex digits");
    for (let i = 0; i < 256; ++i) {
      const colour = hex.slice(6 * i, 6 * i + 6);
      const [red, green, blue] = [0, 2, 4].map((at) => parseInt(colour.slice(at, at + 2), 16));
      this.pixels[i] = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
      this.css.push(`#${colour}`);
      this.darkText.push(luminance(red, green, blue) > 0.179);
    }
  }
}

// A table whose dark end stands out from a dark page: from this ground up to entry `until`, then as it was.
export function liftedTable(hex: string, ground = "2a2f36", until = 96): string {
  const part = (text: string, at: number) => parseInt(text.slice(at, at + 2), 16);
  const entries = Array.from({ length: until }, (_, i) =>
    [0, 2, 4].map((at) => {
      const mixed = part(ground, at) + ((part(hex, 6 * until + at) - part(ground, at)) * i) / until;
      return Math.round(mixed).toString(16).padStart(2, "0");
    }).join(""),
  );
  return entries.join("") + hex.slice(6 * until);
}

// A diverging table for a dark page: its middle is the page's ground, not white, and what is far from 0 is bright.
export function darkDivergingTable(hex: string, ground = "2a2f36"): string {
  const channels = (colour: string) => [0, 2, 4].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const entry = (i: number) => channels(hex.slice(6 * i, 6 * i + 6));
  const [strong, bright] = [51, 77]; // entries of the lower half; the upper half mirrors them
  return Array.from({ length: 256 }, (_, i) => {
    const side = (at: number) => entry(i < 128 ? at : 255 - at);
    const far = Math.abs(i - 127.5) / 127.5;
    const [from, to, share] = far < 0.7 ? [channels(ground), side(strong), far / 0.7] : [side(strong), side(bright), (far - 0.7) / 0.3];
    return from.map((low, c) => Math.round(low + (to[c] - low) * share).toString(16).padStart(2, "0")).join("");
  }).join("");
}

// WCAG's relative luminance; above 0.179 black has the larger contrast.
export function luminance(red: number, green: number, blue: number): number {
  const linear = (byte: number) => {
    const c = byte / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

// Entry of a share t of the range, as the library picks it.
export function entryOf(t: number): number {
  return t > 0 ? Math.min(255, (t * 256) | 0) : 0;
}

// The entry for a weight; `rowMaximum` matters for the range "row" only.
export function entryOfWeight(weight: number, range: RangeName, rowMaximum: number): number {
  if (range === "row") return entryOf(rowMaximum > 0 ? weight / rowMaximum : 0);
  if (range === "log") return entryOf(weight > 0 ? 1 - Math.log10(weight) / Math.log10(smallestOfLog) : 0);
  return entryOf(weight);
}

// For differences in −limit..limit: the middle of a diverging table is 0.
export function entryOfDifference(value: number, limit: number): number {
  return entryOf(limit > 0 ? 0.5 + value / (2 * limit) : 0.5);
}

// Head h of H in a colour of its own, alike in lightness.
export function headColour(head: number, heads: number, dark: boolean): string {
  const hue = Math.round(255 + (360 * head) / Math.max(heads, 1)) % 360;
  return `hsl(${hue} ${dark ? "65% 65%" : "62% 42%"})`;
}
