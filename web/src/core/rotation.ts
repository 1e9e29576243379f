// Rotary positions: each pair of numbers of q and k is turned by an angle that grows with the position.
import { at } from "./matrix";
import { shortText } from "./numbers";
import type { CellSum } from "./cell_sums";
import type { Matrix } from "../data/types";

// Models pair column d with its neighbour, or with the one half a head further on. Which one this model uses is
// seen from the numbers: the pairs whose lengths the rotation kept.
export function pairsHalves(before: Matrix, after: Matrix): boolean {
  const half = before.columns / 2;
  let neighbours = 0;
  let halves = 0;
  const length = (matrix: Matrix, i: number, a: number, b: number) => Math.hypot(at(matrix, i, a), at(matrix, i, b));
  for (let i = 0; i < before.rows; ++i) {
    for (let d = 0; d < half; ++d) {
      neighbours += Math.abs(length(before, i, 2 * d, 2 * d + 1) - length(after, i, 2 * d, 2 * d + 1));
      halves += Math.abs(length(before, i, d, d + half) - length(after, i, d, d + half));
    }
  }
  return halves < neighbours;
}

export function rotationSum(name: string, before: Matrix, after: Matrix, i: number, d: number): CellSum {
  const half = before.columns / 2;
  const byHalves = pairsHalves(before, after);
  const first = byHalves ? d % half : d - (d % 2);
  const second = byHalves ? first + half : first + 1;
  const [a, b] = [at(before, i, first), at(before, i, second)];
  const [c, e] = [at(after, i, first), at(after, i, second)];
  const angle = Math.atan2(a * e - b * c, a * c + b * e);
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const isFirst = d === first;
  const terms = isFirst
    ? [
        { label: `${name}[${i},${first}] · cos θ`, numbers: `${shortText(a)} · ${shortText(cosine)}`, value: a * cosine },
        { label: `−${name}[${i},${second}] · sin θ`, numbers: `−${shortText(b)} · ${shortText(sine)}`, value: -b * sine },
      ]
    : [
        { label: `${name}[${i},${first}] · sin θ`, numbers: `${shortText(a)} · ${shortText(sine)}`, value: a * sine },
        { label: `${name}[${i},${second}] · cos θ`, numbers: `${shortText(b)} · ${shortText(cosine)}`, value: b * cosine },
      ];
  return {
    name: `${name}ᵣ[${i},${d}]`,
    formula: `${terms[0].label} + ${terms[1].label},  θ = ${shortText(angle)}`,
    terms,
    result: terms[0].value + terms[1].value,
    stored: at(after, i, d),
    rest: null,
  };
}
