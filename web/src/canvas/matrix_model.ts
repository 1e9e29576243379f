// What a matrix on a canvas shows.
import { imageCanvas } from "../exports/paint";
import { entryOfDifference, entryOfWeight } from "../core/colours";
import type { ColourTable, RangeName } from "../core/colours";
import { maximumOf } from "../core/ranking";
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
  pictures: Picture[]; // later ones over earlier ones
  number: (row: number, column: number) => { text: string; darkText: boolean } | null; // in cells large enough
  visible: ((row: number) => Uint8Array) | null; // hidden cells are hatched
  emptyRows: number[]; // rows that see nothing
  right: MarginBars | null;
  bottom: MarginBars | null;
}

type Entry = (value: number, row: number) => number;

export function weightEntry(matrix: Matrix, range: RangeName): Entry {
  if (range !== "row") return (value) => entryOfWeight(value, range, 1);
  const maxima = new Float32Array(matrix.rows);
  for (let i = 0; i < matrix.rows; ++i) {
    maxima[i] = maximumOf(matrix.data.subarray(i * matrix.columns, (i + 1) * matrix.columns));
  }
  return (value, row) => entryOfWeight(value, "row", maxima[row]);
}

export const differenceEntry = (limit: number): Entry => (value) => entryOfDifference(value, limit);

export function pixelsOf(matrix: Matrix, colours: ColourTable, entry: Entry): Uint32Array {
  const pixels = new Uint32Array(matrix.rows * matrix.columns);
  for (let i = 0; i < matrix.rows; ++i) {
    for (let j = 0; j < matrix.columns; ++j) {
      const at = i * matrix.columns + j;
      pixels[at] = colours.pixels[entry(matrix.data[at], i)];
    }
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
    rows, columns, rowLabels, columnLabels,
    pictures: [pictureOf(matrix, colours, entry, wholeCrop(rows, columns))],
    number: (row, column) => {
      const value = data[row * columns + column];
      return { text: text(value), darkText: colours.darkText[entry(value, row)] };
    },
    visible: null, emptyRows: [], right: null, bottom: null,
  };
}
