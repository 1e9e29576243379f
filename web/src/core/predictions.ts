// What the model says of the text on the screen, before and after its changes; and going on with it.
import { computed, effect, signal } from "@preact/signals";
import { mostTopK } from "./hash";
import { errorText } from "./errors";
import { opening } from "./opening";
import { continueWith } from "./runs";
import { chances, drawn } from "./sampling";
import { canChange, capture, kindInfo, now, runChange, selectedTokens, source } from "./state";
import { isChange, variantName } from "./whatif";
import type { RunChange } from "./whatif";
import type { Source } from "../data/source";
import type { Capture, PositionPrediction, Predictions } from "../data/types";

const mostTokensUnasked = 1024; // of a text whose prediction nobody has to ask for

// Where it is asked for: at the one selected token; −1: where the model predicts by itself.
export const askedPosition = computed(() => {
  const [info, tokens] = [kindInfo.value, selectedTokens.value];
  if (!info || tokens.length !== 1 || now.direction.value !== "out") return -1;
  const next = capture.value?.predicts === "next";
  return capture.value?.predicts === "vector" || (next && info.query_side !== "decoder") ? -1 : tokens[0];
});

const asked = signal(""); // the long text that somebody asked for

export const predictable = computed(() => canChange.value && Boolean(capture.value?.predicts));
export const isLong = computed(() => {
  const of = capture.value;
  const most = Math.max(0, ...(of?.kinds.map(({ queries }) => queries) ?? []));
  return most > mostTokensUnasked && asked.value !== of?.id;
});
export const askForLong = () => (asked.value = capture.peek()?.id ?? "");

const textOf = (of: Capture | null) => (of ? JSON.stringify([of.model, of.text, of.text2]) : "");

export interface Loaded {
  key: string; // the run, its change and the position that it belongs to
  text: string; // the text that it belongs to, with which tokens ever
  changed: boolean;
  value: Predictions | null;
  error: string;
}
const nothing: Loaded = { key: "", text: "", changed: false, value: null, error: "" };
export const prediction = signal<Loaded>(nothing);

const keyOf = (of: Capture, change: RunChange, position: number) => JSON.stringify([variantName(of.id, change, false), position]);

const wantedKey = computed(() => {
  const view = now.view.value;
  if (!predictable.value || isLong.value || opening.value || view === "learn" || view === "study") return "";
  return keyOf(capture.value!, runChange.value, askedPosition.value);
});

export const isPredicting = computed(() => wantedKey.value !== "" && prediction.value.key !== wantedKey.value);

interface Question {
  key: string;
  left: AbortController; // nobody waits any more
  answer: { value: Predictions | null; error: string } | null; // null: not here yet
  answered: Promise<void>;
}

function ask(from: Source, key: string): Question {
  const [name, position] = JSON.parse(key) as [string, number];
  const left = new AbortController();
  const question: Question = { key, left, answer: null, answered: Promise.resolve() };
  question.answered = from.predictions(name, position, mostTopK, left.signal).then(
    (value) => void (question.answer = { value, error: "" }),
    (error: unknown) => void (question.answer = { value: null, error: errorText(error) }),
  );
  return question;
}

let early: Question | null = null; // about a change that the page has not turned to yet
const mostEarly = 100; // milliseconds that the page stays as it is for it

// Asks what a change would bring. While the server computes it the page does nothing, so that it comes sooner, and is
// painted together with the change. Resolves when it is here, or takes long.
export function askEarly(change: RunChange): Promise<void> {
  const [from, of] = [source.peek(), capture.peek()];
  early?.left.abort();
  early = null;
  if (!from || !of || !wantedKey.peek()) return Promise.resolve();
  early = ask(from, keyOf(of, change, askedPosition.peek()));
  return Promise.race([early.answered, new Promise<void>((done) => setTimeout(done, mostEarly))]);
}

let waiting: Promise<void> = Promise.resolve(); // for the prediction that is wanted now

// A new question ends the one before it: nobody waits for that any more.
effect(() => {
  const [key, from] = [wantedKey.value, source.value];
  if (!key || !from) return;
  const question = early?.key === key ? early : ask(from, key);
  early = null;
  const settle = () => {
    if (question.left.signal.aborted || !question.answer) return;
    prediction.value = { key, text: textOf(capture.peek()), changed: isChange(runChange.peek()), ...question.answer };
  };
  settle();
  waiting = question.answered.then(() => void (prediction.peek().key !== key && settle()));
  return () => question.left.abort();
});

// What is shown: within a text, the last answer until the next is here.
export const shownPrediction = computed(() => (prediction.value.text === textOf(capture.value) ? prediction.value : nothing));

// The tokens of a position as the run on the screen has them: before the changes, or after.
export function tokensShown(at: PositionPrediction, before: boolean) {
  const tokens = at.top.map((token) => ({
    ...token,
    logit: before ? (token.logit_before ?? token.logit) : token.logit,
    probability: before ? (token.probability_before ?? token.probability) : token.probability,
    other: before ? token.probability : token.probability_before,
  }));
  return tokens.sort((a, b) => b.logit - a.logit || a.id - b.id);
}

export const playing = signal(false);
export const endedText = signal(""); // the run whose text the model would end

const pause = 300; // ms between two tokens: the attention of each is to be seen

// Draws tokens and reads the text again with each.
export async function continueText(count: number): Promise<void> {
  playing.value = true;
  try {
    for (let i = 0; i < count && playing.peek(); ++i) {
      if (i > 0) await new Promise((done) => setTimeout(done, pause));
      await waiting;
      const at = prediction.peek().value?.positions?.[0];
      if (!at || isPredicting.peek() || askedPosition.peek() >= 0) return;
      const tokens = tokensShown(at, now.before.peek());
      const token = tokens[drawn(chances(tokens, now.temperature.peek(), now.topK.peek()), Math.random())];
      if (token.ends) {
        endedText.value = capture.peek()?.id ?? "";
        return;
      }
      if (!(await continueWith(token.id, i > 0))) return;
    }
  } finally {
    playing.value = false;
  }
}
