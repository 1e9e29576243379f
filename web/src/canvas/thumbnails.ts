// All heads' small pictures on one canvas: heads from left to right, layers from top to bottom.
import { pixelsOf, weightEntry } from "./matrix_model";
import { theme } from "./theme";
import { imageCanvas } from "../exports/paint";
import type { ColourTable, RangeName } from "../core/colours";
import type { Matrix } from "../data/types";

interface Heads {
  layers: number;
  heads: number;
  of: (layer: number, head: number) => Matrix;
}

// `cell`: pixels of the screen for one head.
export function paintThumbnails({ layers, heads, of }: Heads, cell: number, colours: ColourTable, range: RangeName): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(cell * heads);
  canvas.height = Math.round(cell * layers);
  const context = canvas.getContext("2d")!;
  const gap = cell > 12 ? Math.max(3, Math.round(cell / 9)) : 1;
  context.strokeStyle = theme().line;
  for (let at = 0; at < layers * heads; ++at) {
    const matrix = of(Math.floor(at / heads), at % heads);
    const image = imageCanvas(pixelsOf(matrix, colours, weightEntry(matrix, range)), matrix.columns);
    context.imageSmoothingEnabled = matrix.columns > cell;
    const [x, y, size] = [(at % heads) * cell, Math.floor(at / heads) * cell, cell - gap];
    context.drawImage(image, x, y, size, size);
    if (gap > 1) context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }
  return canvas;
}
