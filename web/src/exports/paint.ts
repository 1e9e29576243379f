// Figures on a canvas.
import { fontStack } from "./figure";
import type { Figure, Shape } from "./figure";

export function imageCanvas(pixels: Uint32Array, columns: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, columns);
  canvas.height = Math.max(1, pixels.length / Math.max(1, columns));
  const bytes = new Uint8ClampedArray(pixels.buffer as ArrayBuffer, pixels.byteOffset, pixels.byteLength);
  if (pixels.length) canvas.getContext("2d")!.putImageData(new ImageData(bytes, columns), 0, 0);
  return canvas;
}

export const imageAddress = (pixels: Uint32Array, columns: number) => imageCanvas(pixels, columns).toDataURL();

function paintText(context: CanvasRenderingContext2D, shape: Extract<Shape, { type: "text" }>): void {
  context.save();
  context.translate(shape.x, shape.y);
  if (shape.rotate) context.rotate((shape.rotate * Math.PI) / 180);
  context.font = `${shape.bold ? "600 " : ""}${shape.size}px ${fontStack}`;
  context.textAlign = shape.anchor === "middle" ? "center" : (shape.anchor ?? "start");
  context.fillStyle = shape.fill;
  context.fillText(shape.text, 0, 0);
  context.restore();
}

function paintStroke(context: CanvasRenderingContext2D, shape: Extract<Shape, { type: "line" | "curve" }>): void {
  context.globalAlpha = shape.opacity ?? 1;
  context.strokeStyle = shape.stroke;
  context.lineWidth = shape.width;
  context.beginPath();
  context.moveTo(shape.x1, shape.y1);
  const middle = (shape.x1 + shape.x2) / 2;
  if (shape.type === "line") context.lineTo(shape.x2, shape.y2);
  else context.bezierCurveTo(middle, shape.y1, middle, shape.y2, shape.x2, shape.y2);
  context.stroke();
  context.globalAlpha = 1;
}

function paintShape(context: CanvasRenderingContext2D, shape: Shape): void {
  switch (shape.type) {
    case "rect":
      if (shape.fill !== "none") {
        context.fillStyle = shape.fill; // a canvas knows no "none"
        context.fillRect(shape.x, shape.y, shape.width, shape.height);
      }
      if (shape.stroke) {
        context.strokeStyle = shape.stroke;
        context.lineWidth = 1;
        context.strokeRect(shape.x, shape.y, shape.width, shape.height);
      }
      break;
    case "line":
    case "curve":
      paintStroke(context, shape);
      break;
    case "circle":
      context.beginPath();
      context.arc(shape.x, shape.y, shape.radius, 0, 2 * Math.PI);
      context.fillStyle = shape.fill;
      context.fill();
      if (shape.stroke) {
        context.strokeStyle = shape.stroke;
        context.lineWidth = 1;
        context.stroke();
      }
      break;
    case "text":
      paintText(context, shape);
      break;
    case "image":
      context.imageSmoothingEnabled = false;
      context.drawImage(imageCanvas(shape.pixels, shape.columns), shape.x, shape.y, shape.width, shape.height);
      break;
  }
}

export function paintFigure(figure: Figure, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(figure.width * scale);
  canvas.height = Math.ceil(figure.height * scale);
  const context = canvas.getContext("2d")!;
  context.scale(scale, scale);
  context.fillStyle = figure.background;
  context.fillRect(0, 0, figure.width, figure.height);
  for (const shape of figure.shapes) paintShape(context, shape);
  return canvas;
}
