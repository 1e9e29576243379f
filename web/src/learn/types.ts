// What the server, or the single file, says of lessons and exercises; texts are in the language that was asked for.
import type { Words } from "../data/types";

export interface LiveControl {
  name: string;
  title: string;
  value: number;
  lowest: number;
  highest: number;
  step: number;
}

export type Cell = number | string; // "nan", "inf" and "-inf" are no JSON numbers

export interface LiveMatrix {
  name: string;
  title: string;
  rows: string[];
  columns: string[];
  editable: boolean;
  weights: boolean; // between 0 and 1
  values: Cell[][];
}

export interface Live {
  id: string;
  title: string;
  missing?: string; // a model that is not installed
  controls: LiveControl[];
  matrices: LiveMatrix[];
}

// What a learner changed.
export interface LiveInput {
  controls: Record<string, number>;
  matrices: Record<string, number[][]>;
}

export interface QuestionOption {
  text: string;
  right: boolean;
  reason: string;
}

export interface Question {
  id: string;
  text: string;
  options?: QuestionOption[];
  answer?: string; // of a short one
}

export interface LessonStep {
  title: string;
  paragraphs: { text?: string; formula?: string }[];
  live?: Live;
  question?: Question;
  view?: { view: string; model: string; text: string };
  exercise?: string;
}

export interface Lesson {
  id: string;
  title: string;
  steps: LessonStep[];
}

export type Part = "weights" | "output";

export interface Exercise {
  id: string;
  kind: "by hand" | "code" | "model";
  title: string;
  task: string;
  hints: string[];
  answer: Part | "both" | "head";
  decimals: number;
  inputs?: Record<string, Cell[][]>;
  heads?: number;
  causal?: boolean;
  real?: boolean[];
  shapes?: Partial<Record<Part, number[]>>;
}

export interface ChecklistItem {
  id: string;
  text: string;
  exercises: string[];
  questions: string[];
}

export interface ReadingTip {
  id: string;
  title: string;
  url: string;
  sentence: string;
}

export interface Catalogue {
  lessons: { id: string; title: string }[];
  exercises: Exercise[];
  questions: Question[];
  checklist: ChecklistItem[];
  reading: ReadingTip[];
}

export type Marks = Partial<Record<Part, boolean[]>>;

export interface Diagnosis {
  exercise: string;
  correct: boolean;
  verdict: "correct" | "mistaken" | "unknown" | "wrong_shape" | "not_a_number" | "imprecise" | "missing";
  mistakes: string[];
  sentences: Words[];
  part: Part | null; // where the first wrong number stands
  cell: number[] | null;
  marks: Marks;
}
