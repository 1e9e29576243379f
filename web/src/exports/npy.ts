// NumPy's .npy (version 1.0) and .npz.
import { joined, zip } from "./zip";

export interface NumberArray {
  shape: number[];
  data: Float32Array | Float64Array;
}

// Texts become an array of fixed-width Unicode, as NumPy stores them.
export type Exportable = NumberArray | string[];

function withHeader(descr: string, shape: number[], body: Uint8Array): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const dictionary = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const bytes = Math.ceil((10 + dictionary.length + 1) / 64) * 64;
  const text = dictionary.padEnd(bytes - 11) + "\n";
  const header = new Uint8Array(bytes);
  header.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (bytes - 10) & 0xff, (bytes - 10) >> 8]);
  header.set(new TextEncoder().encode(text), 10);
  return joined([header, body]);
}

export function npy(array: Exportable): Uint8Array {
  if (!Array.isArray(array)) {
    const { data } = array;
    const body = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    return withHeader(data instanceof Float64Array ? "<f8" : "<f4", array.shape, body);
  }
  const points = array.map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0));
  const width = Math.max(1, ...points.map((text) => text.length));
  const body = new Uint32Array(width * array.length);
  points.forEach((text, i) => body.set(text, i * width));
  return withHeader(`<U${width}`, [array.length], new Uint8Array(body.buffer));
}

export function npz(arrays: Record<string, Exportable>): Uint8Array {
  return zip(Object.fromEntries(Object.entries(arrays).map(([name, array]) => [`${name}.npy`, npy(array)])));
}
