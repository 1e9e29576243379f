// The Steps view: the picture shows the stage on the screen, the files hold every matrix.
import { arrange, inks } from "./panels";
import type { Panel } from "./panels";
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

export function useStepsExport(stages: Stage[], name: string, step: number): void {
  const stage = stages[step];
  useExport(stage ? {
    name: `steps-${name}`,
    figure: () => arrange(stage.boxes.map(numberPanel), 3),
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
