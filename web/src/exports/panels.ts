// Parts of figures that several views use.
import type { Figure, Shape } from "./figure";
import { shortened } from "../core/tokens";

export interface Panel {
  width: number;
  height: number;
  shapes: Shape[];
}

export function inks() {
  return { ground: "#ffffff", ink: "#1a1c1e", faint: "#5f656b", line: "#d9dbdd" };
}

// About the width of a text: half an em for Latin letters, a whole one for Chinese.
export function textWidth(text: string, size: number): number {
  let ems = 0;
  for (const character of text) ems += character.codePointAt(0)! > 0x2e80 ? 1 : 0.55;
  return ems * size;
}

// Lines of at most `width`; breaks at spaces where there are any. What does not fit ends in "…".
export function wrapped(text: string, size: number, width: number, most: number): string[] {
  const lines: string[] = [];
  let rest = Array.from(text.replace(/\s+/g, " ").trim());
  while (rest.length && lines.length < most) {
    let count = 0;
    let wide = 0;
    while (count < rest.length && wide + textWidth(rest[count], size) <= width) wide += textWidth(rest[count++], size);
    count = Math.max(1, count);
    const space = count < rest.length ? rest.lastIndexOf(" ", count) : -1;
    if (space > count / 2) count = space;
    lines.push(rest.slice(0, count).join("").trim());
    rest = rest.slice(count);
  }
  if (rest.length) lines[most - 1] = `${shortened(lines[most - 1], Math.max(2, lines[most - 1].length - 1)).replace(/…$/, "")}…`;
  return lines;
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
  rowTitle?: string; // what the rows and columns are
  columnTitle?: string;
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
  const { ink, faint } = inks();
  const longest = Math.max(rows, columns, 1);
  const cell = longest <= 20 ? 32 : Math.max(640 / longest, longest > 640 ? 0.4 : 1);
  const size = Math.min(11, Math.max(5, cell * 0.8));
  const slantedSize = Math.min(size, 0.58 * cell); // at 45° the lines lie 0.7 of a cell apart
  const labelled = cell >= 6;
  const widest = (labels: string[]) => Math.min(130, Math.max(0, ...labels.map((label) => textWidth(label, size))));
  const left = (panel.rowTitle ? 18 : 0) + (labelled ? widest(panel.rowLabels) + 10 : 4);
  const top = 26 + (panel.columnTitle ? 18 : 0) + (labelled ? widest(panel.columnLabels) * 0.75 + 10 : 4);
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
  if (panel.rowTitle) {
    const y = top + (rows * cell) / 2;
    shapes.push({ type: "text", x: 12, y, text: panel.rowTitle, size: 11, fill: faint, anchor: "middle", rotate: -90 });
  }
  if (panel.columnTitle) shapes.push({ type: "text", x: left, y: 34, text: panel.columnTitle, size: 11, fill: faint });
  const overhang = labelled && panel.columnLabels.length ? widest(panel.columnLabels) * 0.7 : 0;
  const widestTitle = Math.max(textWidth(panel.title, 13), textWidth(panel.columnTitle ?? "", 11)) + left;
  const height = Math.max(top + rows * cell, panel.rowTitle ? top / 2 + textWidth(panel.rowTitle, 11) : 0);
  return { width: Math.max(left + columns * cell + overhang, widestTitle), height, shapes };
}

export function moved(shape: Shape, dx: number, dy: number): Shape {
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
