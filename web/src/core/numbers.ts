// How numbers are written: as the library writes them.
export const weightText = (value: number) => value.toFixed(4);

// Five significant digits, for numbers of any size.
export function shortText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size >= 1e5 || size < 1e-4 ? value.toExponential(3) : value.toFixed(size >= 1000 ? 1 : size >= 100 ? 2 : 4);
  return text.replace("-", "−");
}

export function exactText(value: number): string {
  if (!Number.isFinite(value)) return shortText(value);
  return String(Number(value.toPrecision(9))).replace("-", "−");
}

export const percentText = (share: number) => `${(100 * share).toFixed(1)} %`;

export function wholeText(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

export const thousandths = (seconds: number) =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(2)} s`;

// The values, with some room at both ends.
export function padded(values: number[]): [number, number] {
  const known = values.filter(Number.isFinite);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const pad = (high - low || 1) * 0.06;
  return [low - pad, high + pad];
}

// An axis for measured values: from 0 where none is negative, and no further than ±1 where none goes beyond it.
export function axisRange(values: number[]): [number, number] {
  const known = values.filter(Number.isFinite);
  const [low, high] = padded(known);
  const within = known.every((value) => Math.abs(value) <= 1);
  return [known.every((value) => value >= 0) ? 0 : within ? Math.max(-1, low) : low, within ? Math.min(1, high) : high];
}
