// Opens a run on a head and a token that show something.
import { signal } from "@preact/signals";
import { clearestExample, clearestHead } from "./opening_choice";
import type { Candidate, TokenFacts } from "./opening_choice";
import type { LinkState } from "./hash";
import { overviewOf, thumbnailsOf } from "./overviews";
import { sequenceOf } from "./state";
import { isMarker, pieces } from "./tokens";
import { fitsWhole, whole } from "./weights";
import type { Thumbnails } from "../data/source";
import type { Capture, KindInfo, Overview, Side } from "../data/types";

// So many ms the first picture waits. Measuring all heads of a short text takes a moment, whatever the machine does;
// a long one may take seconds.
const longestWait = (info: KindInfo) => (Math.max(info.queries, info.keys) <= 64 ? 10_000 : 1500);

export const opening = signal(false); // it is being chosen: the first picture waits for it

function factsOf(shown: Capture, side: Side): TokenFacts[] {
  const sequence = sequenceOf(shown, side);
  return pieces(shown, side, sequence).map(({ label, glued }, i) => ({ label, glued, special: isMarker(sequence, i), segment: sequence.segments[i] ?? 0 }));
}

function* allHeads({ heads }: Overview, { rows, columns, max, heads: count }: Thumbnails): Generator<Candidate> {
  for (const [layer, row] of heads.entries()) {
    for (const [head, { role }] of row.entries()) {
      const begin = (layer * count + head) * rows * columns;
      yield { layer, head, role: role.id, weights: { rows, columns, data: max.subarray(begin, begin + rows * columns) } };
    }
  }
}

// Small pictures of a short text are its weights.
async function candidates(shown: Capture, info: KindInfo): Promise<Iterable<Candidate>> {
  const [overview, thumbnails] = await Promise.all([overviewOf(shown.id, info.kind), thumbnailsOf(shown.id, info.kind)]);
  if (thumbnails.rows === info.queries && thumbnails.columns === info.keys) return allHeads(overview, thumbnails);
  const one = clearestHead(overview);
  if (!one) return [];
  return [{ ...one, weights: await whole({ capture: shown.id, kind: info.kind, layer: one.layer, head: one.head }, "") }];
}

async function chosen(shown: Capture, info: KindInfo): Promise<Partial<LinkState> | null> {
  const self = info.query_side === info.key_side;
  const texts = { queries: factsOf(shown, info.query_side), keys: factsOf(shown, info.key_side), self, causal: info.causal };
  const example = clearestExample(await candidates(shown, info), texts);
  if (!example) return null;
  const { layer, head, spot } = example;
  return { kind: shown.kinds[0].kind === info.kind ? "" : info.kind, layer, head, spot };
}

// Of an encoder-decoder model, how the second text looks at the first. Null: nothing better than the first head.
export async function openingOf(shown: Capture): Promise<Partial<LinkState> | null> {
  const info = shown.kinds.find(({ kind }) => kind === "cross") ?? shown.kinds[0];
  if (!info || !fitsWhole(info)) return null;
  const late = new Promise<null>((done) => setTimeout(() => done(null), longestWait(info)));
  try {
    return await Promise.race([chosen(shown, info), late]);
  } catch {
    return null; // a file without weights, say: the first head has to do
  }
}
