// Drawing the next token: temperature and top-k, as `fovea generate` understands them.
import type { PredictedToken } from "../data/types";

// The share of each of the k likeliest tokens once logits are divided by the temperature; 0: all on the first of the
// largest. The others have none.
export function chances(tokens: PredictedToken[], temperature: number, topK: number): number[] {
  const order = tokens.map((_, at) => at).sort((a, b) => tokens[b].logit - tokens[a].logit || tokens[a].id - tokens[b].id);
  const kept = order.slice(0, Math.max(1, topK));
  const shares = tokens.map(() => 0);
  if (!kept.length) return shares;
  if (temperature <= 0) {
    shares[kept[0]] = 1;
    return shares;
  }
  const most = tokens[kept[0]].logit;
  let sum = 0;
  for (const at of kept) sum += shares[at] = Math.exp((tokens[at].logit - most) / temperature);
  for (const at of kept) shares[at] /= sum;
  return shares;
}

// The place that a number in [0, 1) falls on.
export function drawn(shares: number[], uniform: number): number {
  let rest = uniform;
  for (let at = 0; at < shares.length; ++at) {
    rest -= shares[at];
    if (rest < 0) return at;
  }
  return shares.reduce((last, share, at) => (share > 0 ? at : last), 0);
}
