// What is seen, in one sentence: of a token, and of a head.
import { language, t } from "./language";
import { largest } from "./ranking";
import { isMarker } from "./tokens";
import type { Direction } from "./hash";
import type { StringKey } from "../text/strings";
import type { HeadOverview, Sequence } from "../data/types";

// "27 %", "0.4 %"
export function shareText(share: number): string {
  const percent = 100 * share;
  const number = percent >= 0.95 || percent === 0 ? String(Math.round(percent)) : percent.toFixed(1);
  return language.value === "zh" ? `${number}%` : `${number} %`;
}

export interface Reading {
  tokens: number[]; // whose attention it is; none: what all tokens receive
  direction: Direction;
  values: ArrayLike<number>;
}

export interface Texts {
  queries: string[]; // names
  keys: string[];
  querySequence: Sequence;
  keySequence: Sequence;
  self: boolean; // the same text on both sides
  glued: boolean[]; // of the keys: continues the word before it
}

// In words; in tokens where a part of a word or a comma is among those that are counted.
function whereIs(from: number, to: number, { keySequence: { segments }, glued }: Texts): string {
  if (segments[from] !== segments[to]) return t("where.other");
  const count = Math.abs(to - from);
  const [begin, end] = [Math.min(from, to) + 1, Math.max(from, to)];
  const unit = t(glued.slice(begin, end + 1).some(Boolean) ? "where.token" : "where.word");
  if (count === 1) return t(to < from ? "where.before" : "where.after", { unit });
  return t(to < from ? "where.back" : "where.ahead", { count, unit });
}

export type Sentence = [StringKey, Record<string, string>];

export function seenSentence({ tokens, direction, values }: Reading, texts: Texts): Sentence | null {
  const out = direction === "out";
  const [own, others] = out ? [texts.queries, texts.keys] : [texts.keys, texts.queries];
  const [most] = largest(values, 1);
  if (most === undefined || !(values[most] > 0)) return null;
  const percent = shareText(values[most]);
  if (!tokens.length) return ["seen.received", { other: texts.keys[most], percent }];
  const token = tokens.slice(0, 4).map((i) => own[i]).join(" + ");
  const other = others[most];
  if (tokens.length > 1) return [out ? "seen.sum" : "seen.sumIn", { token, other }];
  const [from] = tokens;
  if (texts.self && from === most) return [out ? "seen.self" : "seen.inSelf", { token, percent }];
  if (!out) return ["seen.in", { token, other, percent }];
  if (isMarker(texts.keySequence, most)) return ["seen.marker", { token, other, percent }];
  if (!texts.self) return ["seen.plain", { token, other, percent }];
  return ["seen.out", { token, other, percent, where: whereIs(from, most, texts) }];
}

// The roles for which there is a sentence, and the measure it tells.
const told: Record<string, string> = {
  previous_token: "previous_token", next_token: "next_token", diagonal: "diagonal", same_token: "same_token",
  induction: "induction", sink_share: "sink_share", special_tokens: "special_tokens", punctuation: "punctuation",
  block_diagonal: "block_diagonal", local: "distance", focused: "confidence", broad: "normalised_entropy", mixed: "normalised_entropy",
};

export function headSentence({ role, measures, most_attended }: HeadOverview, keys: string[]): string {
  if (!(role.id in told)) return "";
  const value = measures[told[role.id]] ?? 0;
  const values = { percent: shareText(value), distance: value.toFixed(1), token: keys[most_attended] ?? "" };
  return t(`does.${role.id}` as StringKey, values);
}
