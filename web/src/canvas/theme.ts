// The page's colours and fonts for canvases, read from its style sheet.
import { unknownParts } from "../core/tokens";

export interface Theme {
  ground: string;
  ink: string;
  faint: string;
  line: string;
  accent: string;
  warn: string;
  font: string;
  mono: string;
}

let known: Theme | null = null;
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (known = null));

export function theme(): Theme {
  if (known) return known;
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  known = {
    ground: of("ground"), ink: of("ink"), faint: of("faint"), line: of("line"), accent: of("accent"),
    warn: of("warn"), font: of("font"), mono: of("mono"),
  };
  return known;
}

// Sizes the canvas for the screen's pixels and returns a context in CSS pixels.
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function makeCanvas(parent: HTMLElement, className: string): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.className = className;
  canvas.setAttribute("aria-hidden", "true");
  parent.append(canvas);
  return canvas;
}

// The name of a token, in the context's font, colour and alignment; dotted below if the model did not know it.
// `cut`: the name as it fits.
export function writeName(context: CanvasRenderingContext2D, name: string, cut: string, x: number, y: number): void {
  context.fillText(cut, x, y);
  if (unknownParts(name)) underline(context, cut, x, y + 7);
}

function underline(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
  const width = context.measureText(text).width;
  const left = context.textAlign === "right" ? x - width : x;
  context.save();
  context.strokeStyle = theme().warn;
  context.lineWidth = 1.5;
  context.setLineDash([1.5, 2]);
  context.beginPath();
  context.moveTo(left, y);
  context.lineTo(left + width, y);
  context.stroke();
  context.restore();
}

// The text, cut with "…" to at most `width` pixels in the context's font.
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  const characters = Array.from(text); // half of an emoji is no letter
  while (characters.length > 1 && context.measureText(`${characters.join("")}…`).width > width) characters.pop();
  return `${characters.join("")}…`;
}
