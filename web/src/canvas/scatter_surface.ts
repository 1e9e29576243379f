// Points with names in a plane.
import { fitted, makeCanvas, sized, theme } from "./theme";
import { oncePerFrame } from "../core/frame";
import { axisRange, padded, shortText } from "../core/numbers";

export interface Point {
  x: number;
  y: number;
  label: string;
  colour: string;
}

export interface ScatterModel {
  points: Point[];
  xTitle: string;
  yTitle: string;
  axes: boolean;
  selected: number; // −1: none
}

const margin = { left: 50, right: 16, top: 16, bottom: 38 };

export class ScatterSurface {
  readonly requestDraw = oncePerFrame(() => this.draw());
  private readonly canvas: HTMLCanvasElement;
  private model: ScatterModel | null = null;
  private hovered = -1;

  constructor(private readonly container: HTMLElement) {
    this.canvas = makeCanvas(container, "layer");
  }

  show(model: ScatterModel): void {
    this.model = model;
    this.requestDraw();
  }

  hover(index: number): void {
    if (index === this.hovered) return;
    this.hovered = index;
    this.requestDraw();
  }

  // The nearest point within 14 pixels, or −1.
  pointAt(clientX: number, clientY: number): number {
    const box = this.container.getBoundingClientRect();
    const place = this.places();
    let [best, distance] = [-1, 14];
    this.model?.points.forEach((point, i) => {
      const d = Math.hypot(place.x(point.x) - (clientX - box.left), place.y(point.y) - (clientY - box.top));
      if (d < distance) [best, distance] = [i, d];
    });
    return best;
  }

  private places() {
    const { clientWidth: width, clientHeight: height } = this.container;
    const points = this.model?.points ?? [];
    const range = this.model?.axes ? axisRange : padded;
    const [x0, x1] = range(points.map((point) => point.x));
    const [y0, y1] = range(points.map((point) => point.y));
    return {
      x: (value: number) => margin.left + ((value - x0) / (x1 - x0)) * (width - margin.left - margin.right),
      y: (value: number) => height - margin.bottom - ((value - y0) / (y1 - y0)) * (height - margin.top - margin.bottom),
      ranges: [x0, x1, y0, y1] as const,
    };
  }

  private draw(): void {
    const { model, container } = this;
    const { clientWidth: width, clientHeight: height } = container;
    if (!model || !width || !height) return;
    const context = sized(this.canvas, width, height);
    const place = this.places();
    this.drawAxes(context, model, place);
    const drawPoint = (i: number, radius: number) => {
      const point = model.points[i];
      if (!Number.isFinite(point.x) || !Number.isFinite(point.y)) return;
      context.beginPath();
      context.arc(place.x(point.x), place.y(point.y), radius, 0, 2 * Math.PI);
      context.fillStyle = point.colour;
      context.fill();
    };
    model.points.forEach((_, i) => drawPoint(i, 4));
    for (const i of [model.selected, this.hovered]) {
      const point = model.points[i];
      if (!point || !Number.isFinite(point.x) || !Number.isFinite(point.y)) continue;
      drawPoint(i, 6);
      const { ink, font } = theme();
      context.strokeStyle = ink;
      context.lineWidth = 1.5;
      context.stroke();
      context.font = `600 12px ${font}`;
      context.fillStyle = ink;
      context.textAlign = place.x(point.x) > width - 90 ? "right" : "left";
      context.fillText(point.label, place.x(point.x) + (context.textAlign === "right" ? -10 : 10), place.y(point.y) - 8);
    }
  }

  private drawAxes(context: CanvasRenderingContext2D, model: ScatterModel, place: ReturnType<ScatterSurface["places"]>): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    const { line, faint, font } = theme();
    context.strokeStyle = line;
    context.strokeRect(margin.left, margin.top, width - margin.left - margin.right, height - margin.top - margin.bottom);
    context.font = `11px ${font}`;
    context.fillStyle = faint;
    context.textAlign = "center";
    context.fillText(fitted(context, model.xTitle, width - 160), width / 2, height - 8);
    context.save();
    context.translate(12, height / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(fitted(context, model.yTitle, height - 80), 0, 0);
    context.restore();
    if (!model.axes) return;
    const [x0, x1, y0, y1] = place.ranges;
    context.textAlign = "left";
    context.fillText(shortText(x0), margin.left, height - 22);
    context.textAlign = "right";
    context.fillText(shortText(x1), width - margin.right, height - 22);
    context.fillText(shortText(y0), margin.left - 4, height - margin.bottom);
    context.fillText(shortText(y1), margin.left - 4, margin.top + 10);
  }
}
