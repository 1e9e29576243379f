// A matrix of numbers that scrolls: only the cells on the screen are drawn, whatever its size.
import { fitted, makeCanvas, sized, theme, writeName } from "./theme";
import { oncePerFrame } from "../core/frame";
import { shortText } from "../core/numbers";
import type { Cell } from "./matrix_model";
import type { Matrix } from "../data/types";

const cellWidth = 58;
const cellHeight = 22;
const headHeight = 20;
const firstLabelWidth = 26;

export interface NumberModel {
  matrix: Matrix;
  rowLabels: string[];
  columnLabels: string[];
  selected: Cell | null;
  band: { row: number; column: number }; // operands of the selected result; −1: none
  marked: [number, number] | null;
}

export class NumberSurface {
  readonly requestDraw = oncePerFrame(() => this.draw());
  private readonly canvas: HTMLCanvasElement;
  private readonly space = document.createElement("div");
  private model: NumberModel | null = null;
  private labelWidth = firstLabelWidth;
  private largest = 0;
  private measured: Matrix | null = null;

  constructor(private readonly container: HTMLElement) {
    this.canvas = makeCanvas(container, "sticky");
    this.space.className = "space";
    container.append(this.space);
    container.addEventListener("scroll", this.requestDraw, { passive: true });
  }

  show(model: NumberModel): void {
    this.model = model;
    const { matrix } = model;
    if (this.measured !== matrix) {
      this.measured = matrix;
      this.largest = 0;
      for (const value of matrix.data) if (Number.isFinite(value)) this.largest = Math.max(this.largest, Math.abs(value));
    }
    const context = this.canvas.getContext("2d")!;
    context.font = `11px ${theme().font}`;
    let width = firstLabelWidth;
    for (const label of model.rowLabels) width = Math.max(width, context.measureText(label).width + 10);
    this.labelWidth = Math.min(84, width);
    const [fullWidth, fullHeight] = [this.labelWidth + matrix.columns * cellWidth, headHeight + matrix.rows * cellHeight];
    this.space.style.width = `${fullWidth}px`;
    this.space.style.height = `${fullHeight}px`;
    this.container.style.setProperty("--full-width", `${fullWidth + 2}px`);
    this.container.style.setProperty("--full-height", `${fullHeight + 2}px`);
    this.requestDraw();
  }

  cellAt(clientX: number, clientY: number): Cell | null {
    if (!this.model) return null;
    const box = this.container.getBoundingClientRect();
    const x = clientX - box.left - this.labelWidth;
    const y = clientY - box.top - headHeight;
    if (x < 0 || y < 0) return null;
    const column = Math.floor((x + this.container.scrollLeft) / cellWidth);
    const row = Math.floor((y + this.container.scrollTop) / cellHeight);
    return row < this.model.matrix.rows && column < this.model.matrix.columns ? { row, column } : null;
  }

  reveal({ row, column }: Cell): void {
    const { container } = this;
    const roomX = container.clientWidth - this.labelWidth - cellWidth;
    const roomY = container.clientHeight - headHeight - cellHeight;
    const [x, y] = [column * cellWidth, row * cellHeight];
    if (x < container.scrollLeft) container.scrollLeft = x;
    else if (x > container.scrollLeft + roomX) container.scrollLeft = x - roomX;
    if (y < container.scrollTop) container.scrollTop = y;
    else if (y > container.scrollTop + roomY) container.scrollTop = y - roomY;
  }

  private draw(): void {
    const { model, container } = this;
    const { clientWidth: width, clientHeight: height, scrollLeft, scrollTop } = container;
    if (!model || !width || !height) return;
    const context = sized(this.canvas, width, height);
    const { matrix } = model;
    const first = { row: Math.floor(scrollTop / cellHeight), column: Math.floor(scrollLeft / cellWidth) };
    const last = {
      row: Math.min(matrix.rows, Math.ceil((scrollTop + height) / cellHeight)),
      column: Math.min(matrix.columns, Math.ceil((scrollLeft + width) / cellWidth)),
    };
    context.save();
    context.beginPath();
    context.rect(this.labelWidth, headHeight, width, height);
    context.clip();
    context.translate(this.labelWidth - scrollLeft, headHeight - scrollTop);
    for (let i = first.row; i < last.row; ++i) {
      for (let j = first.column; j < last.column; ++j) this.drawCell(context, model, i, j);
    }
    if (model.selected) this.drawSelected(context, model.selected);
    context.restore();
    this.drawHeads(context, model, first, last);
  }

  private drawCell(context: CanvasRenderingContext2D, model: NumberModel, i: number, j: number): void {
    const { ink, faint, accent, warn, mono } = theme();
    const value = model.matrix.data[i * model.matrix.columns + j];
    const [x, y] = [j * cellWidth, i * cellHeight];
    const strength = Number.isFinite(value) && this.largest > 0 ? Math.abs(value) / this.largest : 0;
    context.fillStyle = value < 0 ? warn : accent;
    context.globalAlpha = strength * 0.34;
    context.fillRect(x, y, cellWidth - 1, cellHeight - 1);
    if (model.band.row === i || model.band.column === j) {
      context.globalAlpha = 0.14;
      context.fillStyle = accent;
      context.fillRect(x, y, cellWidth, cellHeight);
    }
    context.globalAlpha = 1;
    if (model.marked && j >= model.marked[0] && j < model.marked[1]) {
      context.fillStyle = accent;
      context.fillRect(x, y + cellHeight - 2, cellWidth - 1, 1);
    }
    context.font = `11px ${mono}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = Number.isFinite(value) && value !== 0 ? ink : faint;
    context.fillText(shortText(value), x + cellWidth - 5, y + cellHeight / 2 + 0.5);
  }

  private drawSelected(context: CanvasRenderingContext2D, { row, column }: Cell): void {
    context.strokeStyle = theme().accent;
    context.lineWidth = 2;
    context.strokeRect(column * cellWidth, row * cellHeight, cellWidth - 1, cellHeight - 1);
  }

  private drawHeads(context: CanvasRenderingContext2D, model: NumberModel, first: Cell, last: Cell): void {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.container;
    const { faint, font, ground, line } = theme();
    context.fillStyle = ground;
    context.fillRect(0, 0, clientWidth, headHeight - 1);
    context.fillRect(0, 0, this.labelWidth - 1, clientHeight);
    context.fillStyle = line;
    context.fillRect(0, headHeight - 1, clientWidth, 1);
    context.fillRect(this.labelWidth - 1, 0, 1, clientHeight);
    context.font = `11px ${font}`;
    context.textBaseline = "middle";
    context.fillStyle = faint;
    context.textAlign = "right";
    for (let j = first.column; j < last.column; ++j) {
      const x = this.labelWidth + j * cellWidth - scrollLeft;
      if (x < this.labelWidth - 8) continue;
      const name = model.columnLabels[j] ?? String(j);
      writeName(context, name, fitted(context, name, cellWidth - 8), x + cellWidth - 5, headHeight / 2);
    }
    for (let i = first.row; i < last.row; ++i) {
      const y = headHeight + i * cellHeight - scrollTop + cellHeight / 2;
      if (y < headHeight + 4) continue;
      const name = model.rowLabels[i] ?? String(i);
      writeName(context, name, fitted(context, name, this.labelWidth - 8), this.labelWidth - 6, y);
    }
  }
}
