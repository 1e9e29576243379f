// Numbers as people type them.

// Minus signs and full-width letters as input methods and tutorials write them.
export function plainNumber(text: string): string {
  return text.normalize("NFKC").replace(/[−–]/g, "-").replace(/。/g, ".").trim();
}

export function numberOf(text: string): number | null {
  const plain = plainNumber(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(plain)) return null;
  const number = Number(plain);
  return Number.isFinite(number) ? number : null;
}

// Every number in what was pasted, as it stands there: "[[0.231, 0.629], [0.14, 1e-3]]".
export function numbersIn(text: string): string[] {
  return plainNumber(text).match(/[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?/gi) ?? [];
}

// As the check wants it: a point before which nothing stands is fine for people only.
export function answerText(cells: string[]): string {
  return cells.map((cell) => plainNumber(cell).replace(/^([+-]?)\./, "$10.").replace(/\.(?=e|$)/i, "").replace(/^\+/, "")).join(" ");
}
