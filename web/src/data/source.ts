// Where the page's numbers come from: a server, or the file the page stands in.
import type {
  Account, Capture, Cosine, Crop, FileNotes, HeadAddress, KindName, Matrix, Overview, PageState, Predictions,
} from "./types";
import type { LearnSource } from "../learn/learn_source";
import type { TensorFile } from "./safetensors";
import type { StudyCard, StudyOverview } from "./study_types";

export interface Thumbnails {
  layers: number;
  heads: number;
  rows: number;
  columns: number;
  mean: Float32Array; // [L, H, R, C]
  max: Float32Array;
}

export interface RowStatistics {
  entropy: Float32Array; // [N]
  received: Float32Array; // [M]
}

export interface Similarity {
  divergence: Matrix; // [heads, heads]
  layout: Matrix; // [heads, 2]
  order: number[];
}

export interface Rollout {
  layers: number;
  tokens: number;
  data: Float32Array; // [L, N, N]
}

export interface Cells {
  mean: Matrix;
  max: Matrix;
}

// The caller shows `message`; `missing` tells "the file does not hold this" from a failure.
export class SourceError extends Error {
  constructor(
    message: string,
    readonly status: number = 0,
    readonly missing = false,
  ) {
    super(message);
  }
}

export interface RunWanted {
  model: string;
  text: string;
  text2: string;
  more: number[]; // ids of tokens that follow the text
  replaces?: string; // a run that is dropped for it
}

// Runs are named as in core/whatif.ts: a changed run by its change.
export interface Source {
  readonly canRun: boolean;
  readonly notes: FileNotes | null;
  readonly learn: LearnSource;
  state(): Promise<PageState>;
  examples(): Promise<Account[]>;
  run(wanted: RunWanted): Promise<Capture>;
  remove(capture: string): Promise<void>;
  overview(capture: string, kind: KindName): Promise<Overview>;
  thumbnails(capture: string, kind: KindName): Promise<Thumbnails>;
  // `mask` (an expression) hides more keys, and the rest of each row is renormalised.
  weights(head: HeadAddress, crop: Crop, mask: string): Promise<Matrix>;
  // The whole matrix in at most size × size cells.
  cells(head: HeadAddress, size: number, mask: string): Promise<Cells>;
  rows(head: HeadAddress): Promise<RowStatistics>;
  steps(head: HeadAddress, crop: Crop): Promise<TensorFile>;
  similarity(capture: string, kind: KindName): Promise<Similarity>;
  rollout(capture: string, kind: KindName): Promise<Rollout>;
  // Of thousands of tokens this takes long: the signal stops it.
  rolloutRow(capture: string, kind: KindName, query: number, signal: AbortSignal): Promise<Float32Array>;
  // The heads whose steps can be shown; null: all.
  stepHeads(capture: string, kind: KindName): [number, number][] | null;
  // What the model says there (−1: where it predicts by itself); the signal stops it.
  predictions(capture: string, position: number, top: number, signal: AbortSignal): Promise<Predictions>;
  cosine(capture: string, other: string): Promise<Cosine>;
  study(id: string): Promise<StudyOverview>;
  studyHead(id: string, head: number): Promise<StudyCard>;
}

export function matrixOf(file: TensorFile, name: string): Matrix {
  const [rows, columns] = file.shape(name);
  return { rows, columns: columns ?? 1, data: file.floats(name) };
}
