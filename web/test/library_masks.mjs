// What the library itself says about masks: the built command is asked, and the tests compare the page's code with it.
import { spawnSync } from "node:child_process";

// [expression, queries, keys]
const shown = [
  ["none", 2, 3],
  ["causal", 4, 4], ["causal", 2, 4], ["causal", 6, 4], ["causal", 130, 200],
  ["causal(top_left)", 2, 4], ["causal(bottom_right)", 2, 4],
  ["window(2)", 8, 8], ["window(1, 0)", 5, 5], ["window(1, 2)", 3, 6], ["window(0)", 256, 256],
  ["sparse(4)", 16, 16], ["sparse(3)", 6, 4], ["sparse(2)", 3, 7], ["sparse(64)", 130, 130],
  ["prefix(2)", 5, 5], ["prefix(2)", 3, 5], ["prefix(9)", 3, 5],
  ["padding([1,2,3,0,0])", 5, 5], ["padding([1,2,3,2], 2)", 3, 4], ["padding([[-1,0,2]], -1)", 2, 3],
  ["lengths(2)", 3, 4], ["lengths(0)", 2, 2], ["lengths(4)", 2, 4],
  ["documents([0,0,1,1])", 4, 4], ["documents([0,0,1,1])", 6, 4], ["documents([0,1,0,2])", 2, 4],
  ["causal & padding([1,2,3,0,0])", 5, 5], ["!causal", 4, 4], ["causal & !causal", 3, 3],
  ["causal & window(1) | !sparse(2)", 6, 6], ["!(causal | window(1))", 5, 5],
  ["causal | window(1, 1) & documents([0,0,0,1,1])", 5, 5], ["not causal and window( 1 ,1)or  none", 4, 4],
];

const refused = [
  ["causal &", 4, 4], ["windw(2)", 4, 4], ["window 2", 4, 4], ["sparse(0)", 4, 4], ["causal | window(-1)", 4, 4], ["prefix(-2)", 4, 4],
  ["causal) | none", 4, 4], ["padding([1,2", 4, 4], ["causal(left)", 4, 4], ["", 4, 4], ["causal causal", 4, 4],
  [`${"(".repeat(300)}causal`, 4, 4], ["padding([1,0])", 3, 3], ["documents([0,1])", 3, 3], ["causal & lengths(9)", 3, 4],
];

// Expressions of every kind, the same ones in every run.
function drawn(count) {
  let state = 7;
  const below = (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const list = (m, values) => `[${Array.from({ length: m }, () => below(values))}]`;
  const leaf = (m) =>
    [
      () => "none", () => "causal", () => "causal(top_left)", () => `window(${below(4)})`, () => `window(${below(4)}, ${below(4)})`,
      () => `sparse(${1 + below(5)})`, () => `prefix(${below(m + 2)})`, () => `padding(${list(m, 3)})`, () => `padding(${list(m, 3)}, 2)`,
      () => `lengths(${below(m + 1)})`, () => `documents(${list(m, 3)})`,
    ][below(11)]();
  const tree = (m, depth) => {
    if (depth === 0 || below(4) === 0) return leaf(m);
    if (below(4) === 0) return `!(${tree(m, depth - 1)})`;
    return `(${tree(m, depth - 1)}) ${"&|"[below(2)]} (${tree(m, depth - 1)})`;
  };
  return Array.from({ length: count }, () => {
    const [n, m] = [1 + below(12), 1 + below(12)];
    return [tree(m, 3), n, m];
  });
}

// The rows of a mask that is the same for all queries, or all keys, are told once.
function wholeRows({ sequences, n, m }) {
  const rows = sequences[0];
  return Array.from({ length: n }, (_, i) => {
    const row = rows[rows.length === 1 ? 0 : i];
    return row.length === 1 ? String(row[0]).repeat(m) : row.join("");
  });
}

function ask(binary, [expression, n, m]) {
  const { status, stdout, stderr } = spawnSync(binary, ["mask", expression, "--n", String(n), "--m", String(m), "--json"], { encoding: "utf8" });
  const asked = { expression, n, m };
  if (status === 0) {
    const answer = JSON.parse(stdout);
    return { ...asked, density: answer.density, rows: wholeRows(answer) };
  }
  if (!stderr.includes("[mask]")) throw new Error(`fovea mask ${expression}: ${stderr}`);
  return { ...asked, column: Number(/column (\d+)/.exec(stderr)?.[1] ?? 0) };
}

// {masks: [{expression, n, m, density, rows}], refused: [{expression, n, m, column}]}; column 0: it is the sizes that do not fit.
export function libraryMasks(binary) {
  return {
    masks: [...shown, ...drawn(60)].map((each) => ask(binary, each)),
    refused: refused.map((each) => ask(binary, each)),
  };
}
