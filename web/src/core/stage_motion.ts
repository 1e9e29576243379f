// How a product of matrices is played: cell after cell of the result, each as its row times its column.
import { signal } from "@preact/signals";
import type { Stage } from "./stages";

export const playingSteps = signal(false);

const mostCells = 6;
const secondsPerCell = 0.9;
const secondsPerStage = 2.5;
const mostTerms = 16; // pairs that are pointed at one by one; of longer sums every so manieth

export const isProduct = (stage: Stage) => stage.operators[0] === "·";

// The cells that are played, from the row of interest on.
export function playedCells(stage: Stage, row: number): { row: number; column: number }[] {
  const { rows, columns } = stage.boxes[stage.boxes.length - 1].matrix;
  const first = Math.max(0, Math.min(row, rows - 1)) * columns;
  const count = Math.min(mostCells, rows * columns - first);
  return Array.from({ length: count }, (_, at) => ({ row: Math.floor((first + at) / columns), column: (first + at) % columns }));
}

export function secondsOf(stage: Stage, row: number, still: boolean): number {
  return isProduct(stage) && !still ? Math.max(secondsPerStage, playedCells(stage, row).length * secondsPerCell + 0.6) : secondsPerStage;
}

export const millisecondsPerCell = 1000 * secondsPerCell;

// The terms of a sum that are pointed at, in order.
export function pointedTerms(terms: number): number[] {
  const count = Math.min(terms, mostTerms);
  return Array.from({ length: count }, (_, at) => Math.floor((at * terms) / count));
}
