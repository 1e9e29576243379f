// Two columns of tokens and the lines between them, for any number of tokens: only what is on the screen is drawn.
import { fitted, makeCanvas, sized, theme } from "./theme";
import { oncePerFrame } from "../core/frame";

export const lineRow = 22;
const mostEdges = 4000; // drawn at once, the strongest

export interface Edge {
  query: number;
  key: number;
  weight: number;
  colour: string;
}

export interface LinesModel {
  queries: string[];
  keys: string[];
  edges: Edge[];
  shades: { side: "query" | "key"; index: number; colour: string; strength: number; slot: number; slots: number }[];
  focus: { side: "query" | "key"; index: number } | null;
  chosen: { side: "query" | "key"; index: number }[];
}

export class LinesSurface {
  readonly requestDraw = oncePerFrame(() => this.draw());
  private readonly canvas: HTMLCanvasElement;
  private readonly space = document.createElement("div");
  private readonly observer: ResizeObserver;
  private model: LinesModel | null = null;

  constructor(private readonly container: HTMLElement) {
    this.canvas = makeCanvas(container, "sticky");
    this.space.className = "space";
    container.append(this.space);
    container.addEventListener("scroll", this.requestDraw, { passive: true });
    this.observer = new ResizeObserver(this.requestDraw);
    this.observer.observe(container);
  }

  dispose(): void {
    this.observer.disconnect();
    this.container.replaceChildren();
  }

  show(model: LinesModel): void {
    this.model = model;
    const rows = Math.max(model.queries.length, model.keys.length);
    this.space.style.height = `${rows * lineRow + 16}px`;
    this.requestDraw();
  }

  // Where the columns end and begin.
  private columns(): { left: number; right: number } {
    const width = this.container.clientWidth;
    const text = Math.min(200, width * 0.3);
    return { left: text, right: width - text };
  }

  tokenAt(clientX: number, clientY: number): { side: "query" | "key"; index: number } | null {
    if (!this.model) return null;
    const box = this.container.getBoundingClientRect();
    const x = clientX - box.left;
    const index = Math.floor((clientY - box.top + this.container.scrollTop - 8) / lineRow);
    const { left, right } = this.columns();
    const side = x <= left + 8 ? "query" : x >= right - 8 ? "key" : null;
    const count = side === "query" ? this.model.queries.length : this.model.keys.length;
    return side && index >= 0 && index < count ? { side, index } : null;
  }

  reveal(index: number): void {
    const y = index * lineRow;
    const { scrollTop, clientHeight } = this.container;
    if (y < scrollTop) this.container.scrollTop = y;
    else if (y + 2 * lineRow > scrollTop + clientHeight) this.container.scrollTop = y + 2 * lineRow - clientHeight;
  }

  private draw(): void {
    const { model, container } = this;
    const { clientWidth: width, clientHeight: height, scrollTop } = container;
    if (!model || !width || !height) return;
    const context = sized(this.canvas, width, height);
    const y = (index: number) => 8 + (index + 0.5) * lineRow - scrollTop;
    this.drawShades(context, model, y, height);
    this.drawEdges(context, model, y, height);
    this.drawTokens(context, model, y, height);
  }

  private drawEdges(context: CanvasRenderingContext2D, model: LinesModel, y: (index: number) => number, height: number): void {
    const { left, right } = this.columns();
    const middle = (left + right) / 2;
    const onScreen = (index: number) => y(index) >= 0 && y(index) <= height;
    let edges = model.edges.filter(({ query, key }) => onScreen(query) || onScreen(key));
    if (edges.length > mostEdges) edges = edges.sort((a, b) => b.weight - a.weight).slice(0, mostEdges);
    context.lineWidth = 1.6;
    for (const { query, key, weight, colour } of edges) {
      const [from, to] = [y(query), y(key)];
      context.strokeStyle = colour;
      context.globalAlpha = Math.max(0.04, Math.min(1, weight));
      context.beginPath();
      context.moveTo(left + 6, from);
      context.bezierCurveTo(middle, from, middle, to, right - 6, to);
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  // Colour behind a token: how much it gets from each head.
  private drawShades(context: CanvasRenderingContext2D, model: LinesModel, y: (index: number) => number, height: number): void {
    const { left, right } = this.columns();
    const width = this.container.clientWidth;
    for (const { side, index, colour, strength, slot, slots } of model.shades) {
      const top = y(index) - lineRow / 2;
      if (top < -lineRow || top > height) continue;
      const [begin, extent] = side === "query" ? [4, left - 4] : [right, width - right - 4];
      context.fillStyle = colour;
      context.globalAlpha = Math.min(1, strength) * 0.75;
      context.fillRect(begin + (extent * slot) / slots, top + 1, extent / slots, lineRow - 2);
    }
    context.globalAlpha = 1;
  }

  private drawTokens(context: CanvasRenderingContext2D, model: LinesModel, y: (index: number) => number, height: number): void {
    const { left, right } = this.columns();
    const { ink, faint, accent, font } = theme();
    const first = Math.max(0, Math.floor((this.container.scrollTop - 8) / lineRow));
    const last = first + Math.ceil(height / lineRow) + 1;
    const chosen = (side: string, index: number) => model.chosen.some((one) => one.side === side && one.index === index);
    context.font = `13px ${font}`;
    context.textBaseline = "middle";
    const column = (side: "query" | "key", names: string[]) => {
      context.textAlign = side === "query" ? "right" : "left";
      const x = side === "query" ? left - 4 : right + 4;
      for (let i = first; i < Math.min(last, names.length); ++i) {
        const focused = model.focus?.side === side && model.focus.index === i;
        context.fillStyle = focused || chosen(side, i) ? accent : model.focus && side === model.focus.side ? faint : ink;
        context.fillText(fitted(context, names[i], left - 14), x, y(i));
        if (!chosen(side, i)) continue;
        context.fillRect(side === "query" ? left + 1 : right - 4, y(i) - 8, 3, 16);
      }
    };
    column("query", model.queries);
    column("key", model.keys);
  }
}
