// What a matrix on a canvas shows.
import { imageCanvas } from "../exports/paint";
import { entryOf, entryOfDifference, entryOfWeight } from "../core/colours";
import type { ColourTable, RangeName } from "../core/colours";
import type { Crop, Matrix } from "../data/types";

export interface Picture extends Crop {
  canvas: HTMLCanvasElement; // one pixel per cell, or fewer
}

export interface MarginBars {
  values: Float32Array;
  maximum: number;
  title: string;
}

export interface Cell {
  row: number;
  column: number;
}

export interface MatrixModel {
  rows: number;
  columns: number;
  rowLabels: string[];
  columnLabels: string[];
  numbered: boolean; // where not every label has room, do those that stay carry numbers?
  pictures: Picture[]; // later ones over earlier ones
  number: (row: number, column: number) => { text: string; darkText: boolean } | null; // in cells large enough
  visible: ((row: number) => Uint8Array) | null; // hidden cells are hatched
  emptyRows: number[]; // rows that see nothing
  right: MarginBars | null;
  bottom: MarginBars | null;
}

type Entry = (value: number, row: number) => number;

export function weightEntry(matrix: Matrix, range: RangeName): Entry {
  if (range === "unit") return entryOf;
  if (range === "log") return (value) => entryOfWeight(value, "log", 1);
  const { rows, columns, data } = matrix;
  const scales = new Float64Array(rows); // a plain loop: this runs whenever another head is shown
  for (let i = 0; i < rows; ++i) {
    let largest = 0;
    for (let at = i * columns; at < (i + 1) * columns; ++at) if (data[at] > largest) largest = data[at];
    scales[i] = largest > 0 ? 1 / largest : 0;
  }
  return (value, row) => entryOf(value * scales[row]);
}

export const differenceEntry = (limit: number): Entry => (value) => entryOfDifference(value, limit);

export function pixelsOf(matrix: Matrix, colours: ColourTable, entry: Entry): Uint32Array {
  const { rows, columns, data } = matrix;
  const pixels = new Uint32Array(rows * columns);
  const table = colours.pixels;
  for (let i = 0, at = 0; i < rows; ++i) {
    for (const end = at + columns; at < end; ++at) pixels[at] = table[entry(data[at], i)];
  }
  return pixels;
}

export function pictureOf(matrix: Matrix, colours: ColourTable, entry: Entry, covers: Crop): Picture {
  return { canvas: imageCanvas(pixelsOf(matrix, colours, entry), matrix.columns), ...covers };
}

export const wholeCrop = (rows: number, columns: number): Crop => ({
  rowBegin: 0, rowEnd: rows, keyBegin: 0, keyEnd: columns,
});

// A model of a whole matrix in memory; hidden cells and margins can be added by the caller.
export function modelOf(
  matrix: Matrix, rowLabels: string[], columnLabels: string[], colours: ColourTable, entry: Entry,
  text: (value: number) => string,
): MatrixModel {
  const { rows, columns, data } = matrix;
  return {
    rows, columns, rowLabels, columnLabels, numbered: true,
    pictures: [pictureOf(matrix, colours, entry, wholeCrop(rows, columns))],
    number: (row, column) => {
      const value = data[row * columns + column];
      return { text: text(value), darkText: colours.darkText[entry(value, row)] };
    },
    visible: null, emptyRows: [], right: null, bottom: null,
  };
}
