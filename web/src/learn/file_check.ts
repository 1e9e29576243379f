// The check of src/lessons/check.cc on answers that were computed ahead: the right one, and that of every mistake.
import { strings } from "../text/strings";
import type { StringKey } from "../text/strings";
import type { Words } from "../data/types";
import type { Diagnosis, Exercise, Marks, Part } from "./types";

type Numbers = Partial<Record<Part, number[]>>;

export interface StoredVariant extends Numbers {
  explanations: string[][]; // mistakes, or pairs of them, that give these numbers
}

export type StoredMistakes = Record<string, { title: Words; reason: Words }>;

export interface StoredExercise {
  right: Numbers;
  reason: Words[]; // after success
  variants: StoredVariant[]; // those of one mistake before those of two
  heads?: Diagnosis[][]; // of an exercise with a model: what the check says of each head, by layer
}

// Of check_matching.cc.
const float32 = 1e-5;
const float64 = 1e-9;
const allDecimals = 8;

interface Allowed {
  part: Record<Part, number>;
  relative: number;
}

interface Typed {
  numbers: Numbers;
  decimals: number | null; // the most that were typed; null: computed numbers
}

const parts: Part[] = ["weights", "output"];

function said(key: StringKey, values: Record<string, string | number> = {}): Words {
  const [en, zh] = strings[key].map((text) => text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole)));
  return { en: en!, zh: zh! };
}

function decimalsOf(words: string[]): number | null {
  const most = Math.max(...words.map((word) => {
    const text = /e/i.test(word) ? Number(word).toFixed(20).replace(/0+$/, "") : word;
    return text.includes(".") ? text.length - text.indexOf(".") - 1 : 0;
  }));
  return most > allDecimals ? null : most;
}

function typedNumbers(exercise: Exercise, answer: string): Typed {
  const words = answer.trim().split(/\s+/);
  const values = words.map(Number);
  const numbers: Numbers = {};
  let from = 0;
  for (const part of parts) {
    const shape = exercise.shapes?.[part];
    if (!shape) continue;
    const count = shape.reduce((product, extent) => product * extent, 1);
    numbers[part] = values.slice(from, from + count);
    from += count;
  }
  return { numbers, decimals: decimalsOf(words) };
}

const scaleOf = (numbers: number[] = []) => Math.max(1, ...numbers.map(Math.abs));

// Who goes on with weights of three decimals is off by half of the last one per value.
function handError(exercise: Exercise): number {
  const v = exercise.inputs?.v ?? [];
  const columns = v[0]?.length ?? 0;
  return 0.5e-3 * Math.max(0, ...Array.from({ length: columns }, (_, c) => v.reduce((sum, row) => sum + Math.abs(Number(row[c])), 0)));
}

function allowedFor(exercise: Exercise, right: Numbers, typed: number | null, strict: boolean): Allowed {
  const byHand = exercise.kind === "by hand";
  const units = byHand ? 1 : 0.5;
  const decimals = strict && typed !== null && typed < exercise.decimals ? null : typed;
  const of = (part: Part) => {
    const scale = scaleOf(right[part]);
    return decimals === null ? (strict ? float64 : float32) * scale : units * 10 ** -decimals * 1.001 + float32 * scale;
  };
  const output = of("output") + (byHand && typed !== null && !strict ? handError(exercise) : 0);
  return { part: { weights: of("weights"), output }, relative: strict ? float64 : float32 / 10 };
}

const isNear = (got: number, value: number, allowed: number, relative: number) => Math.abs(got - value) <= allowed + relative * Math.abs(value);

function marksOf(typed: Numbers, right: Numbers, allowed: Allowed): Marks {
  const marks: Marks = {};
  for (const part of parts) {
    const got = typed[part];
    if (got) marks[part] = got.map((value, i) => isNear(value, right[part]![i]!, allowed.part[part], allowed.relative));
  }
  return marks;
}

function matches(typed: Numbers, numbers: Numbers, allowed: Allowed): boolean {
  return parts.every((part) => !typed[part] || (numbers[part] && typed[part].every((value, i) => isNear(value, numbers[part]![i]!, allowed.part[part], allowed.relative))));
}

// The simplest explanations: one mistake before two, close ones before rough ones.
function explanationsOf(typed: Numbers, variants: StoredVariant[], allowed: Allowed[]): string[][] {
  for (const count of [1, 2]) {
    const candidates = variants.filter(({ explanations }) => explanations[0]!.length === count);
    for (const each of allowed) {
      const found = candidates.filter((variant) => matches(typed, variant, each)).flatMap(({ explanations }) => explanations);
      if (found.length) return [...new Map(found.map((explanation) => [explanation.join(" "), explanation])).values()];
    }
  }
  return [];
}

const joined = (words: Words[], between: string): Words => ({ en: words.map(({ en }) => en).join(between), zh: words.map(({ zh }) => zh).join("") });

function sentencesOf(explanations: string[][], mistakes: StoredMistakes): Words[] {
  if (explanations.length === 1) {
    const whole = explanations[0]!.map((id) => joined([mistakes[id]!.title, mistakes[id]!.reason], " "));
    return explanations[0]!.length > 1 ? [said("learnTwo"), ...whole] : whole;
  }
  const lines = explanations.map((ids) => joined(ids.map((id) => mistakes[id]!.title), " "));
  return [said("learnAlike"), ...lines.map(({ en, zh }) => ({ en: `- ${en}`, zh: `- ${zh}` }))];
}

const shown = (value: number) => String(Number(value.toFixed(6)));

function headDiagnosis(stored: StoredExercise, answer: string): Diagnosis {
  const [layer, head] = (answer.match(/\d+/g) ?? []).map(Number);
  const known = stored.heads![layer!]?.[head!];
  if (known) return known;
  const outside = stored.heads!.at(-1)![0]!; // says how many there are, and its own name
  const own = `L${stored.heads!.length - 1}H0`;
  const named = (text: string) => text.replace(own, `L${layer}H${head}`);
  return { ...outside, sentences: outside.sentences.slice(0, 1).map(({ en, zh }) => ({ en: named(en), zh: named(zh) })) };
}

export function diagnose(exercise: Exercise, stored: StoredExercise, mistakes: StoredMistakes, answer: string): Diagnosis {
  if (stored.heads) return headDiagnosis(stored, answer);
  const { numbers, decimals } = typedNumbers(exercise, answer);
  const [strict, usual] = [true, false].map((strictly) => allowedFor(exercise, stored.right, decimals, strictly)) as [Allowed, Allowed];
  const marks = marksOf(numbers, stored.right, usual);
  const base = { exercise: exercise.id, correct: false, mistakes: [], part: null, cell: null, marks } as const;
  if (matches(numbers, stored.right, usual)) {
    const rough = decimals !== null && decimals < exercise.decimals && !matches(numbers, stored.right, strict);
    if (rough) return { ...base, mistakes: [], verdict: "imprecise", sentences: [said("learnTooRough", { count: exercise.decimals })] };
    return { ...base, mistakes: [], correct: true, verdict: "correct", sentences: stored.reason };
  }
  const part = parts.find((each) => marks[each]?.includes(false))!;
  const at = marks[part]!.indexOf(false);
  const columns = exercise.shapes![part]!.at(-1)!;
  const cell = [Math.floor(at / columns), at % columns];
  const [expected, got] = [stored.right[part]![at]!, numbers[part]![at]!];
  const first = said("learnFirst", { cell: `${part}[${cell[0]}][${cell[1]}]`, expected: shown(expected), got: shown(got), off: shown(Math.abs(got - expected)) });
  const explanations = explanationsOf(numbers, stored.variants, [strict, usual]);
  const sentences = explanations.length ? sentencesOf(explanations, mistakes) : [said("learnUnknownMistake", { exercise: exercise.id })];
  return {
    ...base, part, cell, verdict: explanations.length ? "mistaken" : "unknown", mistakes: [...new Set(explanations.flat())],
    sentences: [...sentences, first],
  };
}
