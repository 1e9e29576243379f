// The Steps view: the picture shows the stage on the screen, the files hold every matrix.
import { runFrame } from "./frame";
import { arrange, inks } from "./panels";
import type { Panel } from "./panels";
import type { Figure } from "./figure";
import { useExport } from "./view_export";
import { shortText } from "../core/numbers";
import { at, toRows } from "../core/matrix";
import type { Box, Stage } from "../core/stages";
import type { Matrix } from "../data/types";

const mostShown = 24; // rows and columns of a matrix in the picture

function numberPanel(box: Box): Panel {
  const { ink, faint, line } = inks();
  const { matrix } = box;
  const rows = Math.min(matrix.rows, mostShown);
  const columns = Math.min(matrix.columns, mostShown);
  const [width, height, left, top] = [56, 20, box.rowLabels.length ? 70 : 26, 44];
  const shapes: Panel["shapes"] = [
    { type: "text", x: 0, y: 14, text: `${box.name}  ${matrix.rows} × ${matrix.columns}`, size: 13, fill: ink, bold: true },
  ];
  for (let i = 0; i < rows; ++i) {
    const label = box.rowLabels[i] ?? String(i);
    shapes.push({ type: "text", x: left - 6, y: top + i * height + 14, text: label, size: 11, fill: faint, anchor: "end" });
    for (let j = 0; j < columns; ++j) {
      const [x, y] = [left + j * width, top + i * height];
      shapes.push({ type: "rect", x, y, width, height, fill: "none", stroke: line });
      shapes.push({ type: "text", x: x + width - 5, y: y + 14, text: shortText(at(matrix, i, j)), size: 11, fill: ink, anchor: "end" });
    }
  }
  for (let j = 0; j < columns; ++j) {
    const text = box.columnLabels[j] ?? String(j);
    shapes.push({ type: "text", x: left + (j + 1) * width - 5, y: top - 6, text, size: 11, fill: faint, anchor: "end" });
  }
  return { width: left + columns * width, height: top + rows * height, shapes };
}

// Every matrix once, under the name it has in the formulas.
function matrices(stages: Stage[]): Map<string, Matrix> {
  const all = new Map<string, Matrix>();
  for (const stage of stages) for (const box of stage.boxes) all.set(box.name, box.matrix);
  return all;
}

const widestLine = 1500;

// Q · Kᵀ = S on one line where it is not too long, else in rows of three.
function stageFigure(stage: Stage): Figure {
  const boxes = stage.boxes.map(numberPanel);
  const { faint } = inks();
  if (boxes.reduce((sum, { width }) => sum + width + 60, 0) > widestLine) return arrange(boxes, 3);
  const tallest = Math.max(...boxes.map(({ height }) => height));
  const panels = boxes.flatMap((box, at): Panel[] => {
    const text = stage.operators[at - 1];
    if (!at) return [box];
    return [{ width: 12, height: 0, shapes: [{ type: "text", x: 6, y: tallest / 2 + 16, text, size: 18, fill: faint, anchor: "middle", bold: true }] }, box];
  });
  return arrange(panels, panels.length);
}

// `example`: its title; "": the model's head.
export function useStepsExport(stages: Stage[], name: string, step: number, example: string): void {
  const stage = stages[step];
  useExport(stage ? {
    name: `steps-${name}`,
    figure: () => stageFigure(stage),
    frame: () => {
      const frame = example ? { title: example, lines: [], bars: [] } : runFrame(null);
      return { ...frame, lines: [...frame.lines, stage.formula] };
    },
    table: () => ({
      columns: ["matrix", "row", "column", "value"],
      rows: [...matrices(stages)].flatMap(([matrix, values]) =>
        Array.from(values.data, (value, index) => [matrix, Math.floor(index / values.columns), index % values.columns, value]),
      ),
    }),
    json: () => Object.fromEntries([...matrices(stages)].map(([matrix, values]) => [matrix, toRows(values)])),
    arrays: () => Object.fromEntries(
      [...matrices(stages)].map(([matrix, { rows, columns, data }]) => [matrix, { shape: [rows, columns], data }]),
    ),
  } : null);
}
