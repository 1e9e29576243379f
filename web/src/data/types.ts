// What the server and the data inside a single file say. Indices count from 0; rows are queries, columns keys.
import type { StudyInfo } from "./study_types";

export interface Words {
  en: string;
  zh: string;
}

export type KindName = "encoder" | "decoder" | "cross";
export type Side = "encoder" | "decoder";

export interface ModelInfo {
  id: string;
  name: string;
  family: string;
  type: string;
  layers: number;
  decoder_layers: number;
  heads: number;
  kv_heads: number;
  head_width: number;
  width: number;
  max_tokens: number;
  loaded: boolean;
  available: boolean;
}

export interface KindInfo {
  kind: KindName;
  layers: number;
  heads: number;
  kv_heads: number;
  head_width: number;
  width: number;
  queries: number;
  keys: number;
  scale: number;
  scaled: boolean;
  mask: string;
  causal: boolean;
  bias: string;
  rotary: boolean;
  query_side: Side;
  key_side: Side;
  each_layer: LayerInfo[];
}

// How one layer attends: a model may change its mask, bias and scale from layer to layer.
export interface LayerInfo {
  mask: string;
  bias: string;
  scale: number;
}

export interface Sequence {
  tokens: string[];
  ids: number[];
  begins: number[]; // bytes of the text, UTF-8
  ends: number[];
  segments: number[];
  special: boolean[];
  unknown?: boolean[]; // read as the model's unknown token; absent: none is known to be
}

// How much of a text the model read.
export interface TextReading {
  characters: number;
  unknown_characters: number;
  tokens: number;
  tokens_read: number; // fewer if the text was too long
}

export interface Capture {
  id: string;
  model: string;
  model_name: string;
  family: string;
  type: string;
  text: string;
  text2: string | null;
  cut: number;
  reading?: TextReading;
  reading2?: TextReading; // of the second text
  seconds: number;
  film?: boolean; // one text of the film; its frames are runs of their own
  more?: number[]; // ids of the tokens that the text was continued with
  predicts?: "next" | "masked" | "vector" | ""; // what can be asked of the model about it
  kinds: KindInfo[];
  sequences: Partial<Record<Side, Sequence>>;
}

export interface MeasureInfo {
  name: string;
  title: Words;
  formula: Words;
  definition: Words;
  range: Words;
  caveat: Words;
  per_head: boolean;
}

export interface FilmPoints {
  step: number[];
  loss: (number | null)[]; // null: not known
}

// The attention of some texts while a model was trained.
export interface FilmInfo {
  texts: string[]; // their runs; frame 12 of "f0" is the run "f0x12"
  frames: FilmPoints;
  losses: FilmPoints; // of all steps, or means of neighbouring ones
}

export interface PageState {
  version: string;
  models: ModelInfo[];
  captures: Capture[];
  film?: FilmInfo;
  studies?: StudyInfo[];
  limits: { text_bytes: number; captures: number; tokens: number };
  colormaps: Record<string, string>;
  measures: MeasureInfo[];
  role_rules: { ids: string[]; text: Words }[];
}

export interface HeadOverview {
  measures: Record<string, number | null>;
  role: { id: string; name: Words; rule: Words };
  most_attended: number;
}

export interface Overview {
  heads: HeadOverview[][]; // by layer, by head
  measures_of: string;
}

// One matrix of an account, as `fovea explain --json` writes it; "-inf", "inf" and "nan" are strings there.
export interface AccountStep {
  name: string;
  title: Words;
  formula: string;
  shape: [number, number];
  row_labels: string[];
  column_labels: string[];
  matrix: (number | string)[][];
  sentence: Words;
  head?: number;
}

export interface Account {
  id: string;
  title: Words;
  tokens: string[];
  memory_tokens: string[];
  heads: number;
  d_k: number;
  scale: number;
  steps: AccountStep[];
  notes: Words[];
}

export interface PredictedToken {
  id: number;
  token: string;
  logit: number;
  probability: number;
  logit_before?: number; // of a changed run: what it was without the change
  probability_before?: number;
  ends?: boolean; // the text ends with it
}

export interface PositionPrediction {
  position: number;
  kl?: number; // from before to after, in nats
  top: PredictedToken[];
}

export interface Predictions {
  predicts: "next" | "masked" | "vector";
  positions?: PositionPrediction[];
  cosine?: number; // of the vector of the text, with what it was
}

export interface Cosine {
  cosine: number;
  before?: number; // without the change
}

export interface FileNotes {
  weights_dtype: string;
  loss: number | string;
}

// A matrix of numbers, row by row.
export interface Matrix {
  rows: number;
  columns: number;
  data: Float32Array | Float64Array;
}

export type HeadChoice = number | "mean";

export interface HeadAddress {
  capture: string;
  kind: KindName;
  layer: number;
  head: HeadChoice;
}

// Half-open: [rowBegin, rowEnd) × [keyBegin, keyEnd).
export interface Crop {
  rowBegin: number;
  rowEnd: number;
  keyBegin: number;
  keyEnd: number;
}
