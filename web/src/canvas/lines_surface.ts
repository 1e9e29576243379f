// Two columns of tokens and the lines between them, for any number of tokens: only what is on the screen is drawn.
// The lines of all tokens are drawn once, on a canvas of their own that is hidden while one token is looked at: a
// pointer that moves costs the lines of that token and the names, never the thousands behind them. And a frame draws
// no more lines than it has time for, the strongest first; the next frames add the others.
import { typeScale } from "./scale";
import { fitted, makeCanvas, sized, theme, writeName } from "./theme";
import type { EdgeSet } from "../core/edges";
import { oncePerFrame } from "../core/frame";

export const lineRow = 22;
const above = 8; // pixels over the first row
const mostLines = 4000; // on one canvas, the strongest
// Without a graphics card a line of one pixel costs about 20 µs, a broader one eight times that.
const costOfBroad = 8;
const costPerFrame = 160;
const broadFrom = 0.1; // weights that get a broader line
const broad = 1.6;

export type LineSide = "query" | "key";

export interface Place {
  side: LineSide;
  index: number;
}

export interface LinesModel {
  queries: string[];
  keys: string[];
  edges: EdgeSet; // of all tokens
  heads: number[]; // those shown
  colours: string[]; // of all heads
  chosen: Place[];
}

// One token, and its lines.
export interface Focus extends Place {
  edges: EdgeSet;
}

// Of the container, in pixels; read once, not at every move of the pointer.
interface Extent {
  left: number; // on the screen
  top: number;
  width: number;
  height: number;
  text: number; // the width of a column of names
}

// Lines of which some are on a canvas already.
interface Drawing {
  context: CanvasRenderingContext2D;
  edges: EdgeSet;
  next: number;
  drawn: number;
}

export class LinesSurface {
  private readonly all: HTMLCanvasElement; // lines of all tokens
  private readonly front: HTMLCanvasElement; // names, and the lines of one token
  private readonly space = document.createElement("div");
  private readonly observer: ResizeObserver;
  private readonly request = oncePerFrame(() => this.paint());
  private readonly row = lineRow * typeScale;
  private model: LinesModel | null = null;
  private focus: Focus | null = null;
  private extent: Extent | null = null;
  private scrolled = 0;
  private allStale = true;
  private frontStale = true;
  private allDrawing: Drawing | null = null;
  private focusDrawing: Drawing | null = null;
  private names: Record<LineSide, string[]> | null = null; // cut to the width of their column

  constructor(private readonly container: HTMLElement) {
    const sticky = document.createElement("div");
    sticky.className = "sticky";
    this.all = makeCanvas(sticky, "layer");
    this.front = makeCanvas(sticky, "layer");
    this.space.className = "space";
    container.append(sticky, this.space);
    // Scrolling anywhere may move the container on the screen.
    addEventListener("scroll", this.onScroll, { passive: true, capture: true });
    this.observer = new ResizeObserver(() => this.measureAgain());
    this.observer.observe(container);
  }

  dispose(): void {
    this.observer.disconnect();
    removeEventListener("scroll", this.onScroll, { capture: true });
    this.container.replaceChildren();
  }

  show(model: LinesModel): void {
    this.model = model;
    const rows = Math.max(model.queries.length, model.keys.length);
    this.space.style.height = `${rows * this.row + 2 * above}px`;
    this.measureAgain();
  }

  // Called once per frame at most, when another token is looked at.
  focusOn(focus: Focus | null): void {
    this.focus = focus;
    this.all.style.visibility = focus ? "hidden" : "visible";
    this.frontStale = true;
    this.paint();
  }

  tokenAt(clientX: number, clientY: number): Place | null {
    if (!this.model) return null;
    const { left, top, width, text } = (this.extent ??= this.measured());
    const x = clientX - left;
    const index = Math.floor((clientY - top + this.scrolled - above) / this.row);
    const side = x <= text + 8 ? "query" : x >= width - text - 8 ? "key" : null;
    const count = side === "query" ? this.model.queries.length : this.model.keys.length;
    return side && index >= 0 && index < count ? { side, index } : null;
  }

  reveal(index: number): void {
    const y = index * this.row;
    const { scrollTop, clientHeight } = this.container;
    if (y < scrollTop) this.container.scrollTop = y;
    else if (y + 2 * this.row > scrollTop + clientHeight) this.container.scrollTop = y + 2 * this.row - clientHeight;
  }

  private readonly onScroll = (event: Event) => {
    this.extent = null;
    if (event.target === this.container) this.repaint();
  };

  private measureAgain(): void {
    this.extent = null;
    this.names = null;
    this.repaint();
  }

  private repaint(): void {
    this.allStale = true;
    this.frontStale = true;
    this.request();
  }

  private measured(): Extent {
    const { left, top } = this.container.getBoundingClientRect();
    const { clientWidth: width, clientHeight: height, scrollTop } = this.container;
    this.scrolled = scrollTop;
    return { left, top, width, height, text: Math.min(200, width * 0.3) };
  }

  private y(index: number): number {
    return above + (index + 0.5) * this.row - this.scrolled;
  }

  private paint(): void {
    const { model, focus } = this;
    const extent = (this.extent ??= this.measured());
    if (!model || !extent.width || !extent.height) return;
    if (this.frontStale) this.paintFront(model, extent);
    if (!focus && this.allStale) {
      this.allStale = false;
      this.allDrawing = { context: sized(this.all, extent.width, extent.height), edges: model.edges, next: 0, drawn: 0 };
    }
    const drawing = focus ? this.focusDrawing : this.allDrawing;
    if (drawing && this.strokeSome(drawing, model.colours, extent)) this.request();
  }

  private paintFront(model: LinesModel, extent: Extent): void {
    const { focus } = this;
    this.frontStale = false;
    const context = sized(this.front, extent.width, extent.height);
    if (focus) this.fillShades(context, focus, model, extent);
    this.writeNames(context, model, extent);
    this.focusDrawing = focus && { context, edges: focus.edges, next: 0, drawn: 0 };
  }

  // As many lines as a frame has time for; are there more?
  private strokeSome(drawing: Drawing, colours: string[], { width, height, text }: Extent): boolean {
    const { context, edges } = drawing;
    const [left, middle, right] = [text + 6, width / 2, width - text - 6];
    const onScreen = (y: number) => y >= 0 && y <= height;
    let cost = 0;
    while (drawing.next < edges.count && drawing.drawn < mostLines && cost < costPerFrame) {
      const at = drawing.next++;
      const [from, to] = [this.y(edges.query[at]), this.y(edges.key[at])];
      if (!onScreen(from) && !onScreen(to)) continue;
      const weight = edges.weight[at];
      const strong = weight >= broadFrom;
      // A thinner line is stronger in colour by as much.
      context.globalAlpha = Math.max(0.04, Math.min(1, strong ? weight : broad * weight));
      context.lineWidth = strong ? broad : 1;
      context.strokeStyle = colours[edges.head[at]];
      context.beginPath();
      context.moveTo(left, from);
      context.bezierCurveTo(middle, from, middle, to, right, to);
      context.stroke();
      ++drawing.drawn;
      cost += strong ? costOfBroad : 1;
    }
    context.globalAlpha = 1;
    return drawing.next < edges.count && drawing.drawn < mostLines;
  }

  // Colour behind a token: how much it gets from each head, or gives to it.
  private fillShades(context: CanvasRenderingContext2D, focus: Focus, model: LinesModel, { width, height, text }: Extent): void {
    const out = focus.side === "query";
    const begin = out ? width - text : 4;
    const step = (text - 4) / model.heads.length;
    const { edges } = focus;
    const others = out ? edges.key : edges.query;
    for (let i = 0; i < edges.count; ++i) {
      const top = this.y(others[i]) - this.row / 2;
      if (top < -this.row || top > height) continue;
      context.fillStyle = model.colours[edges.head[i]];
      context.globalAlpha = Math.min(1, edges.weight[i]) * 0.75;
      context.fillRect(begin + step * model.heads.indexOf(edges.head[i]), top + 1, step, this.row - 2);
    }
    context.globalAlpha = 1;
  }

  private writeNames(context: CanvasRenderingContext2D, model: LinesModel, { width, height, text }: Extent): void {
    const { ink, faint, accent, font } = theme();
    context.font = `${13 * typeScale}px ${font}`;
    context.textBaseline = "middle";
    const cut = (name: string) => fitted(context, name, text - 14);
    this.names ??= { query: model.queries.map(cut), key: model.keys.map(cut) };
    const first = Math.max(0, Math.floor((this.scrolled - above) / this.row));
    const last = first + Math.ceil(height / this.row) + 1;
    for (const side of ["query", "key"] as const) {
      const [x, mark] = side === "query" ? [text - 4, text + 1] : [width - text + 4, width - text - 4];
      const chosen = new Set(model.chosen.filter((one) => one.side === side).map(({ index }) => index));
      const focused = this.focus?.side === side ? this.focus.index : -1;
      context.textAlign = side === "query" ? "right" : "left";
      const names = this.names[side];
      const whole = side === "query" ? model.queries : model.keys;
      for (let i = first; i < Math.min(last, names.length); ++i) {
        context.fillStyle = i === focused || chosen.has(i) ? accent : focused >= 0 ? faint : ink;
        writeName(context, whole[i], names[i], x, this.y(i));
        if (chosen.has(i)) context.fillRect(mark, this.y(i) - 8, 3, 16);
      }
    }
  }
}
