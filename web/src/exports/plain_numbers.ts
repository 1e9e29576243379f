// Numbers as JSON writes them.

// Typed arrays as lists; JSON has no infinity.
export function plainNumbers(_key: string, value: unknown): unknown {
  if (value instanceof Float32Array || value instanceof Float64Array || value instanceof Uint8Array) return Array.from(value);
  if (typeof value === "number" && !Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  return value;
}
