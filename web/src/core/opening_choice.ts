// Which head and token a page opens on: an example that a person can read, chosen from the measures and weights.
import type { HeadOverview, Matrix, Overview } from "../data/types";

export interface TokenFacts {
  label: string;
  special: boolean;
  glued: boolean; // continues the word before it
  segment: number; // the sentence of a pair
}

export interface Texts {
  queries: TokenFacts[];
  keys: TokenFacts[];
  self: boolean; // the same text on both sides: places can be compared
  causal: boolean;
}

export interface Candidate {
  layer: number;
  head: number;
  role: string;
  weights: Matrix;
}

export interface Example {
  layer: number;
  head: number;
  spot: number; // the query
  score: number;
}

// How much a head tells by what it mostly does. Heads that rest on one place, on markers or on the word itself, and
// those that look everywhere, tell nothing about words: they serve only where there is no other.
const worth: Record<string, number> = {
  induction: 1, same_token: 1, previous_token: 1, next_token: 1, focused: 0.9, block_diagonal: 0.8, local: 0.8, mixed: 0.4,
};
const leastWorth = 0.02;
const clearReference = 0.4; // so much weight makes a word the one that a pronoun stands for
const fullChoice = 8; // the first words of a causal model have little to choose from
const offsets: Record<string, number> = { previous_token: -1, next_token: 1 };

const listOf = (words: string) => new Set(words.split(" "));
const pronouns = listOf("it he she they him her them his its their this that 它 他 她 他们 她们 它们");
const helpers = listOf(
  "the a an of to in on at by for with from and or but as is was are were be been do did does not had has have there too very so my your our named called 的 了 在 是 把 和 也 很 就 都",
);

const wordOf = ({ label }: TokenFacts) => label.toLowerCase();
const isWord = ({ label, special }: TokenFacts) => !special && /[\p{L}\p{N}]/u.test(label);

function clarity(token: TokenFacts): number {
  if (!isWord(token)) return 0.02;
  const plain = helpers.has(wordOf(token)) || /^[a-z]{1,2}$/i.test(token.label);
  return (plain && !pronouns.has(wordOf(token)) ? 0.6 : 1) * (token.glued ? 0.6 : 1);
}

// A word that stands for an earlier one and looks at it is the best example there is; one that looks into the other
// sentence comes next; a neighbour tells least.
function relation(from: number, to: number, weight: number, role: string, { queries, keys, self }: Texts): number {
  if (!self) return 1;
  if (from === to) return 0;
  if (role in offsets) return to === from + offsets[role] ? 0.75 : 0;
  const content = isWord(keys[to]) && !helpers.has(wordOf(keys[to])) && !pronouns.has(wordOf(keys[to]));
  if (to < from && content && weight >= clearReference && pronouns.has(wordOf(queries[from]))) return 1.6;
  if (queries[from].segment !== keys[to].segment) return 1.2;
  return Math.abs(from - to) > 1 ? 0.9 : 0.6;
}

function largestIn(row: ArrayLike<number>): number {
  let largest = 0;
  for (let j = 1; j < row.length; ++j) if (row[j] > row[largest]) largest = j;
  return largest;
}

// The head and query whose largest weight reads best; null: there is none.
export function clearestExample(candidates: Iterable<Candidate>, texts: Texts): Example | null {
  let best: Example | null = null;
  for (const { layer, head, role, weights } of candidates) {
    const { rows, columns, data } = weights;
    for (let i = 0; i < rows; ++i) {
      const row = data.subarray(i * columns, (i + 1) * columns);
      const to = largestIn(row);
      const tells = (worth[role] ?? leastWorth) * relation(i, to, row[to], role, texts);
      const choice = texts.causal ? Math.min(1, (i + 1) / fullChoice) : 1;
      const score = row[to] * choice * tells * clarity(texts.queries[i]) * clarity(texts.keys[to]);
      if (score > (best?.score ?? 0)) best = { layer, head, spot: i, score };
    }
  }
  return best;
}

function strength({ measures, role }: HeadOverview): number {
  const of = (name: string) => measures[name] ?? 0;
  const pattern = Math.max(of("induction"), of("previous_token"), of("next_token"));
  const focus = of("confidence") * (1 - of("special_tokens")) * (1 - of("sink_share")) * (1 - of("diagonal"));
  return Math.max(pattern, focus) * (worth[role.id] ?? leastWorth);
}

// For long texts, where the weights of all heads are too many: the head with the strongest pattern by its measures.
export function clearestHead({ heads }: Overview): { layer: number; head: number; role: string } | null {
  const all = heads.flatMap((row, layer) => row.map((own, head) => ({ layer, head, role: own.role.id, strength: strength(own) })));
  return all.length ? all.reduce((best, one) => (one.strength > best.strength ? one : best)) : null;
}
