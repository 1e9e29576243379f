// Parts of figures that several views use.
import type { Figure, Shape } from "./figure";
import { dark } from "../core/state";

export interface Panel {
  width: number;
  height: number;
  shapes: Shape[];
}

export function inks() {
  return dark.peek()
    ? { ground: "#16181b", ink: "#e8e8e4", faint: "#9aa0a6", line: "#34373c" }
    : { ground: "#ffffff", ink: "#1a1c1e", faint: "#5f656b", line: "#d9dbdd" };
}

// About the width of a text: half an em for Latin letters, a whole one for Chinese.
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const character of text) ems += character.codePointAt(0)! > 0x2e80 ? 1 : 0.55;
  return ems * size;
}

export interface MatrixPanel {
  title: string;
  rows: number;
  columns: number;
  rowLabels: string[];
  columnLabels: string[];
  pixel: (i: number, j: number) => number; // as in ImageData
  value?: (i: number, j: number) => string; // written into cells where they are few
  darkText?: (i: number, j: number) => boolean;
}

const largestWithRects = 64;

function pixelColour(pixel: number): string {
  const hex = (byte: number) => (byte & 0xff).toString(16).padStart(2, "0");
  return `#${hex(pixel)}${hex(pixel >>> 8)}${hex(pixel >>> 16)}`;
}

function cellShapes(panel: MatrixPanel, left: number, top: number, cell: number): Shape[] {
  const { rows, columns } = panel;
  const shapes: Shape[] = [];
  if (rows > largestWithRects || columns > largestWithRects) {
    const pixels = new Uint32Array(rows * columns);
    for (let i = 0; i < rows; ++i) for (let j = 0; j < columns; ++j) pixels[i * columns + j] = panel.pixel(i, j);
    return [{ type: "image", x: left, y: top, width: columns * cell, height: rows * cell, pixels, columns }];
  }
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const [x, y] = [left + j * cell, top + i * cell];
      shapes.push({ type: "rect", x, y, width: cell, height: cell, fill: pixelColour(panel.pixel(i, j)) });
      if (!panel.value || cell < 26) continue;
      const fill = panel.darkText?.(i, j) ? "#000000" : "#ffffff";
      const text = panel.value(i, j);
      shapes.push({ type: "text", x: x + cell / 2, y: y + cell / 2 + 3, text, size: 9, fill, anchor: "middle" });
    }
  }
  return shapes;
}

export function matrixPanel(panel: MatrixPanel): Panel {
  const { rows, columns } = panel;
  const { ink } = inks();
  const longest = Math.max(rows, columns, 1);
  const cell = longest <= 20 ? 32 : Math.max(640 / longest, longest > 640 ? 0.4 : 1);
  const size = Math.min(11, Math.max(5, cell * 0.8));
  const slantedSize = Math.min(size, 0.58 * cell); // at 45° the lines lie 0.7 of a cell apart
  const labelled = cell >= 6;
  const widest = (labels: string[]) => Math.min(130, Math.max(0, ...labels.map((label) => textWidth(label, size))));
  const left = labelled ? widest(panel.rowLabels) + 10 : 4;
  const top = 26 + (labelled ? widest(panel.columnLabels) * 0.75 + 10 : 4);
  const shapes: Shape[] = [{ type: "text", x: left, y: 16, text: panel.title, size: 13, fill: ink, bold: true }];
  shapes.push(...cellShapes(panel, left, top, cell));
  if (labelled) {
    panel.rowLabels.forEach((text, i) => {
      const y = top + (i + 0.5) * cell + size * 0.35;
      shapes.push({ type: "text", x: left - 5, y, text, size, fill: ink, anchor: "end" });
    });
    panel.columnLabels.forEach((text, j) => {
      const x = left + (j + 0.5) * cell;
      shapes.push({ type: "text", x, y: top - 5, text, size: slantedSize, fill: ink, rotate: -45 });
    });
  }
  const overhang = labelled && panel.columnLabels.length ? widest(panel.columnLabels) * 0.7 : 0;
  return { width: left + columns * cell + overhang, height: top + rows * cell, shapes };
}

function moved(shape: Shape, dx: number, dy: number): Shape {
  if (shape.type === "line" || shape.type === "curve") {
    return { ...shape, x1: shape.x1 + dx, y1: shape.y1 + dy, x2: shape.x2 + dx, y2: shape.y2 + dy };
  }
  return { ...shape, x: shape.x + dx, y: shape.y + dy };
}

// Panels in rows of at most `perRow`.
export function arrange(panels: Panel[], perRow = 3): Figure {
  const margin = 16;
  const gap = 24;
  const shapes: Shape[] = [];
  let [x, y, rowHeight, width] = [margin, margin, 0, 0];
  panels.forEach((panel, at) => {
    if (at && at % perRow === 0) {
      x = margin;
      y += rowHeight + gap;
      rowHeight = 0;
    }
    for (const shape of panel.shapes) shapes.push(moved(shape, x, y));
    x += panel.width + gap;
    rowHeight = Math.max(rowHeight, panel.height);
    width = Math.max(width, x - gap + margin);
  });
  return { width: Math.max(width, 100), height: y + rowHeight + margin, background: inks().ground, shapes };
}
