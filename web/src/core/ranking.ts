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

// As few of the largest as hold `mass` of the row's sum together, in order of position; of equal ones the first.
export function holdingMass(row: Numbers, mass: number): number[] {
  let sum = 0;
  for (let j = 0; j < row.length; ++j) sum += row[j];
  const sorted = Float64Array.from(row).sort();
  let held = 0;
  let count = 0; // how many are kept, and of them those equal to the smallest one
  let equal = 0;
  for (let at = sorted.length - 1; at >= 0 && sorted[at] > 0 && held < mass * sum; --at) {
    held += sorted[at];
    equal = count > 0 && sorted[at] === sorted[at + 1] ? equal + 1 : 1;
    ++count;
  }
  const least = sorted[sorted.length - count];
  const chosen: number[] = [];
  for (let j = 0; j < row.length && chosen.length < count; ++j) {
    if (row[j] > least || (row[j] === least && equal-- > 0)) chosen.push(j);
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
