// A matrix on two canvases: the picture below, cross-hair and selection above, so that hovering redraws little.
import { columnLabels, labelSize, labelStep } from "./column_labels";
import type { ColumnLabels } from "./column_labels";
import { typeScale } from "./scale";
import { fitted, makeCanvas, sized, theme, writeName } from "./theme";
import { Viewport } from "./viewport";
import { placed } from "../core/tokens";
import { maximumOf } from "../core/ranking";
import { oncePerFrame } from "../core/frame";
import type { Cell, MarginBars, MatrixModel } from "./matrix_model";

const numbersFrom = 30; // pixels per cell
const widestLabel = () => 110 * typeScale;
const shortLabel = () => 46 * typeScale;
const marginSize = () => 44 * typeScale;
const manyLabels = 64;

export class MatrixSurface {
  readonly viewport = new Viewport();
  readonly requestDraw = oncePerFrame(() => this.draw());
  readonly requestOverlay = oncePerFrame(() => this.drawOverlay());
  private readonly base: HTMLCanvasElement;
  private readonly overlay: HTMLCanvasElement;
  private readonly observer: ResizeObserver;
  private model: MatrixModel | null = null;
  private hovered: Cell | null = null;
  private selected: Cell | null = null;
  private width = 0;
  private height = 0;
  private columns: ColumnLabels = columnLabels(0);

  constructor(
    private readonly container: HTMLElement,
    private readonly onViewport: () => void,
  ) {
    this.base = makeCanvas(container, "layer");
    this.overlay = makeCanvas(container, "layer");
    this.observer = new ResizeObserver(this.requestDraw);
    this.observer.observe(container);
  }

  dispose(): void {
    this.observer.disconnect();
    this.base.remove();
    this.overlay.remove();
  }

  show(model: MatrixModel): void {
    const reshaped = model.rows !== this.viewport.rows || model.columns !== this.viewport.columns;
    this.model = model;
    this.viewport.rows = model.rows;
    this.viewport.columns = model.columns;
    if (reshaped) this.viewport.fit();
    this.draw(); // at once: the numbers have just arrived, and waiting for a frame would double the delay
  }

  // Nothing is known of what should be here.
  clear(): void {
    this.model = null;
    this.viewport.rows = this.viewport.columns = 0;
    for (const canvas of [this.base, this.overlay]) sized(canvas, this.width, this.height);
  }

  hover(cell: Cell | null): void {
    this.hovered = cell;
    this.requestOverlay();
  }

  select(cell: Cell | null): void {
    this.selected = cell;
    this.requestOverlay();
  }

  // Room for labels and margins; the rest is the plot.
  private layout(context: CanvasRenderingContext2D, model: MatrixModel): void {
    context.font = `${labelSize()}px ${theme().font}`;
    // A small picture cuts long names, but not those of a few letters.
    const share = this.width < 300 ? 0.6 : 1;
    const room = (labels: string[]) => {
      const widest = Math.min(widestLabel(), widestOf(context, labels));
      return Math.max(Math.min(widest, shortLabel()), widest * share);
    };
    // Where not every token has room for its name, the names carry numbers.
    const number = (count: number) => (model.numbered && count > manyLabels ? 8 * String(count).length : 0);
    const least = model.bottom ? 56 : 0;
    const left = model.rowLabels.length ? Math.max(least, room(model.rowLabels) + 14 + number(model.rows)) : 4;
    const right = model.right ? marginSize() : 4;
    const bottom = model.bottom ? marginSize() : 4;
    const overhang = model.right || !model.columnLabels.length ? 0 : 28;
    const place = () => {
      const { rise } = this.columns;
      const top = model.columnLabels.length ? rise * (room(model.columnLabels) + number(model.columns)) + 14 : 4;
      this.viewport.place(left, top, this.width - left - right - overhang, this.height - top - bottom);
    };
    this.columns = columnLabels(Infinity); // slanted, if the cells are then large enough for it
    place();
    this.columns = columnLabels(this.viewport.fittingCell);
    if (this.columns.rise === 1) place();
  }

  private draw(): void {
    const { model, container } = this;
    this.width = container.clientWidth;
    this.height = container.clientHeight;
    if (!model || !this.width || !this.height) return;
    const context = sized(this.base, this.width, this.height);
    this.layout(context, model);
    this.drawPictures(context, model);
    if (model.visible) this.drawHidden(context, model.visible);
    if (this.viewport.cell >= numbersFrom) this.drawNumbers(context, model);
    this.drawLabels(context, model);
    this.drawMargins(context, model);
    this.drawOverlay();
    this.onViewport();
  }

  private clipToPlot(context: CanvasRenderingContext2D): void {
    const { left, top, plotWidth, plotHeight } = this.viewport;
    context.save();
    context.beginPath();
    context.rect(left, top, plotWidth, plotHeight);
    context.clip();
  }

  private drawPictures(context: CanvasRenderingContext2D, model: MatrixModel): void {
    const view = this.viewport;
    this.clipToPlot(context);
    for (const picture of model.pictures) {
      const x = view.xOf(picture.keyBegin);
      const y = view.yOf(picture.rowBegin);
      const width = (picture.keyEnd - picture.keyBegin) * view.cell;
      const height = (picture.rowEnd - picture.rowBegin) * view.cell;
      // Smaller than on the screen: sharp cells; larger: averaged.
      context.imageSmoothingEnabled = picture.canvas.width > width * (devicePixelRatio || 1);
      context.drawImage(picture.canvas, x, y, width, height);
    }
    context.restore();
  }

  // Runs of hidden cells, hatched with one pattern.
  private drawHidden(context: CanvasRenderingContext2D, visible: (row: number) => Uint8Array): void {
    const view = this.viewport;
    const { rowBegin, rowEnd, keyBegin, keyEnd } = view.shown;
    const pattern = context.createPattern(hatching(), "repeat");
    if (!pattern) return;
    const step = Math.max(1, Math.floor(1 / view.cell)); // rows thinner than a pixel are not all drawn
    this.clipToPlot(context);
    context.beginPath();
    for (let i = rowBegin; i < rowEnd; i += step) {
      const row = visible(i);
      for (let j = keyBegin; j < keyEnd; ++j) {
        if (row[j]) continue;
        const begin = j;
        while (j + 1 < keyEnd && !row[j + 1]) ++j;
        context.rect(view.xOf(begin), view.yOf(i), (j + 1 - begin) * view.cell, view.cell * step);
      }
    }
    context.fillStyle = theme().ground;
    context.fill();
    context.fillStyle = pattern;
    context.fill();
    context.restore();
  }

  private drawNumbers(context: CanvasRenderingContext2D, model: MatrixModel): void {
    const view = this.viewport;
    const { rowBegin, rowEnd, keyBegin, keyEnd } = view.shown;
    this.clipToPlot(context);
    context.font = `${Math.min(10.5 * typeScale, view.cell * 0.27)}px ${theme().mono}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let i = rowBegin; i < rowEnd; ++i) {
      const visible = model.visible?.(i);
      for (let j = keyBegin; j < keyEnd; ++j) {
        if (visible && !visible[j]) continue;
        const number = model.number(i, j);
        if (!number) continue;
        context.fillStyle = number.darkText ? "#000" : "#fff";
        context.fillText(number.text, view.xOf(j) + view.cell / 2, view.yOf(i) + view.cell / 2);
      }
    }
    context.restore();
  }

  private drawLabels(context: CanvasRenderingContext2D, model: MatrixModel): void {
    const view = this.viewport;
    const { rowBegin, rowEnd, keyBegin, keyEnd } = view.shown;
    const { faint, font, warn } = theme();
    const step = Math.max(1, Math.ceil((labelSize() + 1) / view.cell));
    const { angle, rise } = this.columns;
    const columnStep = labelStep(this.columns, view.cell);
    const empty = new Set(model.emptyRows);
    context.font = `${labelSize()}px ${font}`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const first = (begin: number, by: number) => Math.ceil(begin / by) * by;
    const named = (labels: string[], i: number) => (model.numbered && labels.length > manyLabels ? placed(labels[i], i) : labels[i]);
    for (let i = first(rowBegin, step); i < rowEnd && model.rowLabels.length; i += step) {
      const y = view.yOf(i) + (step > 1 ? Math.min(view.cell * step, labelSize()) : view.cell) / 2;
      if (y < view.top || y > view.top + view.plotHeight) continue;
      context.fillStyle = empty.has(i) ? warn : faint;
      const label = `${empty.has(i) ? "∅ " : ""}${named(model.rowLabels, i)}`;
      writeName(context, label, fitted(context, label, view.left - 10), view.left - 6, y);
    }
    context.textAlign = "left";
    context.fillStyle = faint;
    for (let j = first(keyBegin, columnStep); j < keyEnd && model.columnLabels.length; j += columnStep) {
      const x = view.xOf(j) + (columnStep > 1 ? Math.min(view.cell * columnStep, labelSize()) : view.cell) / 2;
      if (x < view.left || x > view.left + view.plotWidth - (model.right && columnStep > 1 ? 12 : 0)) continue;
      context.save();
      context.translate(x, view.top - 6);
      context.rotate(-angle);
      const label = named(model.columnLabels, j);
      writeName(context, label, fitted(context, label, (view.top - 12) / rise), 0, 0);
      context.restore();
    }
  }

  private drawMargins(context: CanvasRenderingContext2D, model: MatrixModel): void {
    const view = this.viewport;
    const { rowBegin, rowEnd, keyBegin, keyEnd } = view.shown;
    const { faint, font } = theme();
    const step = Math.max(1, Math.ceil(1 / view.cell)); // a bar has at least a pixel, and is the longest of its rows
    const bar = (bars: MarginBars, index: number) =>
      bars.maximum > 0 ? (maximumOf(bars.values.subarray(index, index + step)) / bars.maximum) * (marginSize() - 16) : 0;
    const first = (begin: number) => Math.floor(begin / step) * step; // the same groups, wherever one scrolls
    context.fillStyle = faint;
    context.globalAlpha = 0.55;
    const thickness = view.cell * step - (view.cell > 4 ? 1 : 0);
    const edgeX = view.left + view.plotWidth + 4;
    const edgeY = view.top + view.plotHeight + 4;
    for (let i = first(rowBegin); model.right && i < rowEnd; i += step) {
      const y = view.yOf(i);
      if (y < view.top - thickness || y > edgeY) continue;
      context.fillRect(edgeX, y, bar(model.right, i), thickness);
    }
    for (let j = first(keyBegin); model.bottom && j < keyEnd; j += step) {
      const x = view.xOf(j);
      if (x < view.left - thickness || x > edgeX) continue;
      context.fillRect(x, edgeY, thickness, bar(model.bottom, j));
    }
    context.globalAlpha = 1;
    context.font = `${10 * typeScale}px ${font}`;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    if (model.right) context.fillText(fitted(context, model.right.title, marginSize() - 2), edgeX, edgeY + 10); // above are slanted names
    if (model.bottom) {
      context.textAlign = "right";
      context.fillText(fitted(context, model.bottom.title, view.left - 8), view.left - 6, edgeY + 10);
    }
  }

  private drawOverlay(): void {
    if (!this.model || !this.width) return;
    const context = sized(this.overlay, this.width, this.height);
    const view = this.viewport;
    const { accent } = theme();
    this.clipToPlot(context);
    if (this.hovered) {
      context.strokeStyle = accent;
      context.globalAlpha = 0.75;
      context.lineWidth = 1;
      const { row, column } = this.hovered;
      context.strokeRect(view.left - 1, view.yOf(row) + 0.5, view.plotWidth + 2, Math.max(view.cell - 1, 1));
      context.strokeRect(view.xOf(column) + 0.5, view.top - 1, Math.max(view.cell - 1, 1), view.plotHeight + 2);
      context.globalAlpha = 1;
    }
    if (this.selected && this.selected.row >= 0) this.drawSelected(context, this.selected, accent);
    context.restore();
  }

  private drawSelected(context: CanvasRenderingContext2D, { row, column }: Cell, accent: string): void {
    const view = this.viewport;
    context.strokeStyle = accent;
    context.lineWidth = 2;
    const size = Math.max(view.cell, 3);
    if (column >= 0) context.strokeRect(view.xOf(column), view.yOf(row), size, size);
    else context.strokeRect(view.left + 1, view.yOf(row), view.plotWidth - 2, size);
  }
}

// Measuring hundreds of labels takes longer than drawing them: done once per list.
const widths = new WeakMap<string[], number>();

function widestOf(context: CanvasRenderingContext2D, labels: string[]): number {
  let width = widths.get(labels);
  if (width === undefined) {
    width = 0;
    for (const label of labels) width = Math.max(width, context.measureText(label).width / typeScale);
    widths.set(labels, width);
  }
  return width * typeScale;
}

let hatch: HTMLCanvasElement | null = null;
let hatchInk = "";

function hatching(): HTMLCanvasElement {
  const { line } = theme();
  if (hatch && hatchInk === line) return hatch;
  hatchInk = line;
  hatch = document.createElement("canvas");
  hatch.width = hatch.height = 6;
  const context = hatch.getContext("2d")!;
  context.strokeStyle = line;
  context.lineWidth = 1;
  context.beginPath();
  for (const shift of [-6, 0, 6]) {
    context.moveTo(shift, 6);
    context.lineTo(shift + 6, 0);
  }
  context.stroke();
  return hatch;
}
