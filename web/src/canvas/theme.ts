// The page's colours and fonts for canvases, read from its style sheet.
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

// The text, cut with "…" to at most `width` pixels in the context's font.
export function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let cut = text;
  while (cut.length > 1 && context.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return `${cut}…`;
}
