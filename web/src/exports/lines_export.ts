// The lines as a picture: queries on the left, keys on the right, the colours of the heads named below.
import { arrange, inks } from "./panels";
import type { Figure, Shape } from "./figure";
import { lineRow } from "../canvas/lines_surface";
import type { LinesModel } from "../canvas/lines_surface";
import { headColour } from "../core/colours";
import type { Edge } from "../core/edges";
import { t } from "../core/language";

const [left, right, top] = [170, 430, 54];

export function linesFigure(model: LinesModel, lines: Edge[], title: string): Figure {
  const { ink, faint } = inks();
  const count = model.colours.length;
  const y = (index: number) => top + index * lineRow;
  const shapes: Shape[] = [
    { type: "text", x: 0, y: 14, text: title, size: 13, fill: ink, bold: true },
    { type: "text", x: left - 6, y: top - 18, text: t("axisQuery"), size: 11, fill: faint, anchor: "end" },
    { type: "text", x: right + 6, y: top - 18, text: t("axisKey"), size: 11, fill: faint },
  ];
  for (const { query, key, weight, head } of lines) {
    const stroke = headColour(head, count, false);
    shapes.push({ type: "curve", x1: left, y1: y(query), x2: right, y2: y(key), stroke, width: 1.6, opacity: Math.min(1, weight) });
  }
  model.queries.forEach((text, i) => shapes.push({ type: "text", x: left - 6, y: y(i) + 4, text, size: 13, fill: ink, anchor: "end" }));
  model.keys.forEach((text, j) => shapes.push({ type: "text", x: right + 6, y: y(j) + 4, text, size: 13, fill: ink }));
  const bottom = y(Math.max(model.queries.length, model.keys.length)) + 8;
  model.heads.forEach((head, at) => {
    const x = (at % 12) * 48;
    const legend = bottom + Math.floor(at / 12) * 16;
    shapes.push({ type: "rect", x, y: legend - 8, width: 12, height: 8, fill: headColour(head, count, false) });
    shapes.push({ type: "text", x: x + 16, y: legend, text: `H${head}`, size: 11, fill: ink });
  });
  const note = bottom + 16 * Math.ceil(model.heads.length / 12) + 4;
  shapes.push({ type: "text", x: 0, y: note, text: t("lineStrength"), size: 11, fill: faint });
  return arrange([{ width: 600, height: note + 4, shapes }]);
}
