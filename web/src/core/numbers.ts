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
