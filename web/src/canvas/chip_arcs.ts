// Arcs over the chips: from the token that looks to the tokens it looks at, the largest weights only.
import { labelPlaces } from "./arc_labels";
import type { Curve, Row } from "./arc_labels";
import { typeScale } from "./scale";
import { makeCanvas, sized, theme } from "./theme";
import { largest } from "../core/ranking";
import { shareText } from "../core/seen";

export const mostArcChips = 160; // longer texts are read by their colours: arcs across a page tell nothing
const mostArcs = 6;
const leastWeight = 0.04;
const labelled = 3;

interface Box {
  x: number; // the middle
  top: number;
  bottom: number;
}

interface Arcs {
  own: HTMLElement;
  others: HTMLElement[];
  values: ArrayLike<number>;
  inwards: boolean; // the others look at this one
}

export class ChipArcs {
  private readonly canvas: HTMLCanvasElement;
  private readonly observer: ResizeObserver;
  private readonly boxes = new Map<HTMLElement, Box>();
  private shown: Arcs | null = null;
  private rows: Row[] | null = null;

  constructor(private readonly container: HTMLElement) {
    this.canvas = makeCanvas(container, "arcs");
    this.observer = new ResizeObserver(() => {
      this.boxes.clear();
      this.rows = null;
      this.draw();
    });
    this.observer.observe(container);
  }

  dispose(): void {
    this.observer.disconnect();
    this.canvas.remove();
  }

  show(arcs: Arcs | null): void {
    if (!arcs && !this.shown) return;
    this.shown = arcs;
    this.draw();
  }

  private boxOf(chip: HTMLElement): Box {
    const known = this.boxes.get(chip);
    if (known) return known;
    const [box, origin] = [chip.getBoundingClientRect(), this.container.getBoundingClientRect()];
    const made = { x: box.left - origin.left + box.width / 2, top: box.top - origin.top, bottom: box.bottom - origin.top };
    this.boxes.set(chip, made);
    return made;
  }

  private linesOfChips(): Row[] {
    if (this.rows) return this.rows;
    const rows = new Map<number, Row>();
    for (const chip of this.container.querySelectorAll<HTMLElement>(".chip")) {
      const { top, bottom } = this.boxOf(chip);
      if (bottom > top) rows.set(top, [top, bottom]);
    }
    return (this.rows = [...rows.values()]);
  }

  private draw(): void {
    const context = sized(this.canvas, this.container.clientWidth, this.container.clientHeight);
    if (!this.shown) return;
    const { own, others, values, inwards } = this.shown;
    const order = largest(values, mostArcs).filter((i) => others[i] && values[i] >= leastWeight && values[i] >= 0.1 * values[largest(values, 1)[0]]);
    const longest = Math.max(...order.map((i) => Math.abs(this.boxOf(others[i]).x - this.boxOf(own).x)));
    const { accent } = theme();
    context.lineCap = "round";
    // The weakest first: the strongest lies on top.
    const curves = order.map((i) => {
      const [from, to] = inwards ? [others[i], own] : [own, others[i]];
      return { weight: values[i], curve: from === to ? loopAt(this.boxOf(from)) : curveOf(this.boxOf(from), this.boxOf(to), longest) };
    });
    for (const { weight, curve } of [...curves].reverse()) {
      context.globalAlpha = 0.35 + 0.6 * (weight / curves[0].weight);
      context.strokeStyle = context.fillStyle = accent;
      context.lineWidth = 1 + 4 * weight;
      stroke(context, curve);
    }
    context.globalAlpha = 1;
    if (!inwards) label(context, curves.slice(0, labelled), this.linesOfChips());
  }
}

// Both on one line: over it. On different lines: from the edges that face each other.
function curveOf(from: Box, to: Box, longest: number): Curve {
  if (Math.abs(from.top - to.top) < 4) {
    const room = from.top < 76 ? from.top - 12 : 22;
    const length = Math.abs(to.x - from.x);
    const height = Math.max(11, Math.min(12 + 0.16 * length, room * (0.3 + (0.7 * length) / longest))) * (4 / 3);
    return { from: [from.x, from.top], to: [to.x, to.top - 2], via: [from.x, from.top - height, to.x, to.top - height] };
  }
  const down = to.top > from.top;
  const [begin, end] = down ? [from.bottom, to.top - 2] : [from.top, to.bottom + 2];
  const half = (end - begin) / 2;
  return { from: [from.x, begin], to: [to.x, end], via: [from.x, begin + half, to.x, end - half] };
}

function loopAt({ x, top }: Box): Curve {
  return { from: [x - 5, top], to: [x + 5, top - 2], via: [x - 16, top - 26, x + 16, top - 26] };
}

function stroke(context: CanvasRenderingContext2D, { from, to, via }: Curve): void {
  context.beginPath();
  context.moveTo(...from);
  context.bezierCurveTo(...via, ...to);
  context.stroke();
  const size = 3 + context.lineWidth;
  const turn = Math.atan2(to[1] - via[3], to[0] - via[2]);
  context.save();
  context.translate(...to);
  context.rotate(turn);
  context.beginPath();
  context.moveTo(2, 0);
  context.lineTo(-size, -size * 0.7);
  context.lineTo(-size, size * 0.7);
  context.fill();
  context.restore();
}

// The shares of the largest weights, on their arcs.
function label(context: CanvasRenderingContext2D, curves: { weight: number; curve: Curve }[], rows: Row[]): void {
  const { ground, ink, font } = theme();
  const size = 11 * typeScale;
  context.font = `600 ${size}px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = ground;
  context.fillStyle = ink;
  const texts = curves.map(({ weight }) => shareText(weight));
  const halves = texts.map((text) => context.measureText(text).width / 2 + 3);
  labelPlaces(curves.map(({ curve }) => curve), halves, rows, size).forEach((place, i) => {
    if (!place) return;
    const [x, y] = place;
    context.clearRect(x - halves[i], y - size * 0.55, 2 * halves[i], size * 1.1); // no line runs through the digits
    context.strokeText(texts[i], x, y);
    context.fillText(texts[i], x, y);
  });
}
