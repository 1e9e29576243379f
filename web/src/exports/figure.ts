// A picture as a list of shapes, so that PNG and SVG show the same.

export type Shape =
  | { type: "rect"; x: number; y: number; width: number; height: number; fill: string; stroke?: string }
  | { type: "line"; x1: number; y1: number; x2: number; y2: number; stroke: string; width: number; opacity?: number }
  | { type: "curve"; x1: number; y1: number; x2: number; y2: number; stroke: string; width: number; opacity?: number }
  | { type: "circle"; x: number; y: number; radius: number; fill: string; stroke?: string }
  | {
      type: "text"; x: number; y: number; text: string; size: number; fill: string;
      anchor?: "start" | "middle" | "end"; rotate?: number; bold?: boolean;
    }
  | { type: "image"; x: number; y: number; width: number; height: number; pixels: Uint32Array; columns: number };

export interface Figure {
  width: number;
  height: number;
  background: string;
  shapes: Shape[];
}

export const fontStack = 'system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif';

const round = (value: number) => String(Math.round(value * 100) / 100);

export function escapeXml(text: string): string {
  // Characters that XML 1.0 has no way to write are replaced.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

function attributes(values: Record<string, string | number | undefined>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${typeof value === "number" ? round(value) : escapeXml(value!)}"`)
    .join("");
}

type ImageEncoder = (pixels: Uint32Array, columns: number) => string;

function element(shape: Shape, image: ImageEncoder): string {
  switch (shape.type) {
    case "rect": {
      const { x, y, width, height, fill, stroke } = shape;
      return `<rect${attributes({ x, y, width, height, fill, stroke })}/>`;
    }
    case "line": {
      const { x1, y1, x2, y2, stroke, width, opacity } = shape;
      return `<line${attributes({ x1, y1, x2, y2, stroke, "stroke-width": width, "stroke-opacity": opacity })}/>`;
    }
    case "curve": {
      const middle = round((shape.x1 + shape.x2) / 2);
      const [x1, y1, x2, y2] = [shape.x1, shape.y1, shape.x2, shape.y2].map(round);
      const d = `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
      const { stroke, width, opacity } = shape;
      return `<path${attributes({ d, fill: "none", stroke, "stroke-width": width, "stroke-opacity": opacity })}/>`;
    }
    case "circle":
      return `<circle${attributes({ cx: shape.x, cy: shape.y, r: shape.radius, fill: shape.fill, stroke: shape.stroke })}/>`;
    case "text": {
      const transform = shape.rotate ? `rotate(${round(shape.rotate)} ${round(shape.x)} ${round(shape.y)})` : undefined;
      const weight = shape.bold ? "600" : undefined;
      const { x, y, size, fill, anchor } = shape;
      const values = { x, y, "font-size": size, fill, "text-anchor": anchor, "font-weight": weight, transform };
      return `<text${attributes(values)}>${escapeXml(shape.text)}</text>`;
    }
    case "image": {
      const { x, y, width, height } = shape;
      const href = image(shape.pixels, shape.columns);
      const values = { x, y, width, height, href, preserveAspectRatio: "none", "image-rendering": "pixelated" };
      return `<image${attributes(values)}/>`;
    }
  }
}

export function toSvg(figure: Figure, image: ImageEncoder): string {
  const { width, height, background } = figure;
  const size = { width, height, viewBox: `0 0 ${round(width)} ${round(height)}` };
  const ground = element({ type: "rect", x: 0, y: 0, width, height, fill: background }, image);
  const body = figure.shapes.map((shape) => element(shape, image)).join("\n");
  const open = `<svg xmlns="http://www.w3.org/2000/svg"${attributes({ ...size, "font-family": fontStack })}>`;
  return `${open}\n${ground}\n${body}\n</svg>\n`;
}
