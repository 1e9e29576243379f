// What the server and a single file say of studies. Heads are counted through all layers.
import type { KindName } from "./types";

export interface StudyInfo {
  id: string; // "s0"
  model: string;
  corpus: string;
  shard: string; // "" of a whole study
  kind: KindName;
  layers: number;
  heads: number; // per layer
  length: number; // tokens read of each text
  texts: number;
  tokens: number;
  cut: number;
  unknown: number;
}

export interface StudyRole {
  id: string;
  share: number; // of the texts
}

export interface StudyHeadSummary {
  roles: StudyRole[]; // largest share first
  means: Record<string, number | null>;
  nearest: { head: number; divergence: number }[];
}

export interface StudyOverview {
  heads: StudyHeadSummary[];
  layout: [number, number][]; // empty: heads were not compared
}

export interface StudyMeasure {
  name: string;
  count: number;
  mean: number | null;
  deviation: number | null;
  quantiles: (number | null)[]; // 5, 25, 50, 75, 95 %
  range: number; // of the histogram, from 0
  histogram: number[];
  kinds: (number | null)[]; // means by kind of the query: special, unknown, punctuation, number, word, piece
}

export interface StudyPlace {
  weight: number;
  query: number;
  key: number;
  tokens: string[];
  weights: number[];
  query_at: number;
  key_at: number;
}

export interface StudyCard {
  roles: StudyRole[];
  measures: StudyMeasure[];
  distances: (number | null)[]; // from −(length − 1) on
  received: { token: string; count: number; weight: number }[];
  pairs: { query: string; key: string; weight: number }[];
  places: StudyPlace[];
}
