// What a picture needs to be understood without the page: model, text, what was done to the numbers, the colour bar.
import { moved, textWidth, wrapped } from "./panels";
import type { Figure, Shape } from "./figure";
import { pictureColours, pictureDifferenceColours } from "./light";
import { t } from "../core/language";
import { activeMask, capture, now, runChange, showsPassed } from "../core/state";
import { lensNotes } from "../components/lens_tools";

export interface Bar {
  pixels: Uint32Array; // 256 colours
  low: string;
  high: string;
  label: string;
}

export interface Frame {
  title: string;
  lines: string[];
  bars: Bar[];
}

const [ink, faint, line] = ["#1a1c1e", "#5f656b", "#b9bcc0"];
const margin = 16;
const leastWidth = 420;
const mostLines = 3; // of one text

function barShapes(bar: Bar, x: number, y: number): Shape[] {
  const [width, height] = [180, 10];
  const left = x + textWidth(bar.label, 11) + 10 + textWidth(bar.low, 11) + 6;
  return [
    { type: "text", x, y: y + 9, text: bar.label, size: 11, fill: ink },
    { type: "text", x: left - 5, y: y + 9, text: bar.low, size: 11, fill: faint, anchor: "end" },
    { type: "image", x: left, y, width, height, pixels: bar.pixels, columns: bar.pixels.length },
    { type: "rect", x: left, y, width, height, fill: "none", stroke: line },
    { type: "text", x: left + width + 5, y: y + 9, text: bar.high, size: 11, fill: faint },
  ];
}

export function framed(figure: Figure, frame: Frame): Figure {
  const width = Math.max(figure.width, leastWidth);
  const shapes: Shape[] = [];
  let y = margin + 14;
  if (frame.title) {
    shapes.push({ type: "text", x: margin, y, text: frame.title, size: 15, fill: ink, bold: true });
    y += 20;
  }
  for (const text of frame.lines) {
    for (const part of wrapped(text, 12, width - 2 * margin, mostLines)) {
      shapes.push({ type: "text", x: margin, y, text: part, size: 12, fill: faint });
      y += 16;
    }
  }
  const top = frame.title || frame.lines.length ? y - margin - 4 : 0;
  for (const shape of figure.shapes) shapes.push(moved(shape, 0, top));
  let height = top + figure.height;
  for (const bar of frame.bars) {
    shapes.push(...barShapes(bar, margin, height));
    height += 12 + margin;
  }
  return { width, height, background: figure.background, shapes };
}

// Of weights, in the colours and range of the page.
export function weightBar(): Bar {
  const range = now.range.peek();
  return {
    pixels: pictureColours().pixels, label: t(showsPassed.peek() ? "passedShare" : "attentionWeight"),
    low: range === "log" ? "0.0001" : "0", high: range === "row" ? t("rowMaximum") : "1",
  };
}

// Differences, from −limit to limit.
export function differenceBar(limit: number): Bar {
  return { pixels: pictureDifferenceColours().pixels, label: t("differenceLabel"), low: (-limit).toFixed(3).replace("-", "−"), high: limit.toFixed(3) };
}

export const plainBar = (label: string, low: string, high: string): Bar => ({ pixels: pictureColours().pixels, label, low, high });

// Model, text and notes of the run on the screen.
export function runFrame(bar: Bar | null): Frame {
  const [shown, view] = [capture.peek(), now.view.peek()];
  if (!shown) return { title: t(`view.${view}`), lines: [], bars: bar ? [bar] : [] };
  const lines = [t("pictureText", { text: shown.text })];
  if (shown.text2) lines.push(t("pictureText2", { text: shown.text2 }));
  if (activeMask.peek()) lines.push(t("pictureMask", { mask: activeMask.peek() }));
  const { off, hide, visible } = runChange.peek();
  if (off.length && !now.before.peek()) lines.push(t("changedNote", { heads: off.join(", ") }));
  if (hide && !now.before.peek()) lines.push(`${t("maskActs", { heads: hide })}: ${visible}`);
  if (showsPassed.peek()) lines.push(t("passedNote"));
  return { title: t("pictureOf", { model: shown.model_name, view: t(`view.${view}`) }), lines: [...lines, ...lensNotes(view)], bars: bar ? [bar] : [] };
}
