// Rows of weights: which key comes first, how spread they are.

type Numbers = ArrayLike<number>;

const fewest = 32; // up to so many are found without sorting all

// 1 for the largest; equal weights share a rank.
export function rankOf(row: Numbers, index: number): number {
  let larger = 0;
  for (let j = 0; j < row.length; ++j) if (row[j] > row[index]) ++larger;
  return larger + 1;
}

// Indices of the `count` largest, the largest first; ties in order of position.
export function largest(row: Numbers, count: number): number[] {
  if (count > fewest) {
    const indices = Array.from({ length: row.length }, (_, j) => j);
    return indices.sort((a, b) => row[b] - row[a] || a - b).slice(0, count);
  }
  const chosen: number[] = []; // sorted; every value goes in where it belongs, or not at all
  for (let j = 0; j < row.length; ++j) {
    if (chosen.length === count && !(row[j] > row[chosen[count - 1]])) continue;
    let at = chosen.length;
    while (at > 0 && row[chosen[at - 1]] < row[j]) --at;
    chosen.splice(at, 0, j);
    if (chosen.length > count) chosen.pop();
  }
  return chosen;
}

// As few of the largest as hold `mass` of the row's sum together.
export function holdingMass(row: Numbers, mass: number): number[] {
  let sum = 0;
  for (let j = 0; j < row.length; ++j) sum += row[j];
  const chosen: number[] = [];
  let held = 0;
  for (const j of largest(row, row.length)) {
    if (row[j] <= 0 || held >= mass * sum) break;
    chosen.push(j);
    held += row[j];
  }
  return chosen;
}

// −Σ w ln w in nats, 0 · ln 0 = 0.
export function entropyOf(row: Numbers): number {
  let entropy = 0;
  for (let j = 0; j < row.length; ++j) if (row[j] > 0) entropy -= row[j] * Math.log(row[j]);
  return entropy;
}

export function maximumOf(row: Numbers): number {
  let maximum = 0;
  for (let j = 0; j < row.length; ++j) if (row[j] > maximum) maximum = row[j];
  return maximum;
}
