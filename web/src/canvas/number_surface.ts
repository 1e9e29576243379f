// A matrix of numbers that scrolls: only the cells on the screen are drawn, whatever its size.
import { typeScale } from "./scale";
import { fitted, makeCanvas, sized, theme, writeName } from "./theme";
import { oncePerFrame } from "../core/frame";
import { shortText } from "../core/numbers";
import type { Cell } from "./matrix_model";
import type { Matrix } from "../data/types";

const firstLabelWidth = 26;

// In the size of the type around.
const sizes = () => ({ cellWidth: 58 * typeScale, cellHeight: 22 * typeScale, headHeight: 20 * typeScale, font: 11 * typeScale });

export interface NumberModel {
  matrix: Matrix;
  rowLabels: string[];
  columnLabels: string[];
  selected: Cell | null;
  band: { row: number; column: number }; // operands of the selected result; −1: none
  marked: [number, number] | null;
  spot?: Cell | null; // the number that the sum has reached
}

export class NumberSurface {
  readonly requestDraw = oncePerFrame(() => this.draw());
  private readonly canvas: HTMLCanvasElement;
  private readonly space = document.createElement("div");
  private model: NumberModel | null = null;
  private labelWidth = firstLabelWidth * typeScale;
  private largest = 0;
  private measured: Matrix | null = null;
  private readonly size = sizes();

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
    context.font = `${this.size.font}px ${theme().font}`;
    let width = firstLabelWidth * typeScale;
    for (const label of model.rowLabels) width = Math.max(width, context.measureText(label).width + 10);
    this.labelWidth = Math.min(84 * typeScale, width);
    const [fullWidth, fullHeight] = [this.labelWidth + matrix.columns * this.size.cellWidth, this.size.headHeight + matrix.rows * this.size.cellHeight];
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
    const y = clientY - box.top - this.size.headHeight;
    if (x < 0 || y < 0) return null;
    const column = Math.floor((x + this.container.scrollLeft) / this.size.cellWidth);
    const row = Math.floor((y + this.container.scrollTop) / this.size.cellHeight);
    return row < this.model.matrix.rows && column < this.model.matrix.columns ? { row, column } : null;
  }

  reveal({ row, column }: Cell): void {
    const { container } = this;
    const roomX = container.clientWidth - this.labelWidth - this.size.cellWidth;
    const roomY = container.clientHeight - this.size.headHeight - this.size.cellHeight;
    const [x, y] = [column * this.size.cellWidth, row * this.size.cellHeight];
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
    const first = { row: Math.floor(scrollTop / this.size.cellHeight), column: Math.floor(scrollLeft / this.size.cellWidth) };
    const last = {
      row: Math.min(matrix.rows, Math.ceil((scrollTop + height) / this.size.cellHeight)),
      column: Math.min(matrix.columns, Math.ceil((scrollLeft + width) / this.size.cellWidth)),
    };
    context.save();
    context.beginPath();
    context.rect(this.labelWidth, this.size.headHeight, width, height);
    context.clip();
    context.translate(this.labelWidth - scrollLeft, this.size.headHeight - scrollTop);
    for (let i = first.row; i < last.row; ++i) {
      for (let j = first.column; j < last.column; ++j) this.drawCell(context, model, i, j);
    }
    if (model.selected) this.drawSelected(context, model.selected);
    if (model.spot) this.drawSpot(context, model.spot);
    context.restore();
    this.drawHeads(context, model, first, last);
  }

  private drawCell(context: CanvasRenderingContext2D, model: NumberModel, i: number, j: number): void {
    const { ink, faint, accent, warn, mono } = theme();
    const value = model.matrix.data[i * model.matrix.columns + j];
    const [x, y] = [j * this.size.cellWidth, i * this.size.cellHeight];
    const strength = Number.isFinite(value) && this.largest > 0 ? Math.abs(value) / this.largest : 0;
    context.fillStyle = value < 0 ? warn : accent;
    context.globalAlpha = strength * 0.34;
    context.fillRect(x, y, this.size.cellWidth - 1, this.size.cellHeight - 1);
    if (model.band.row === i || model.band.column === j) {
      context.globalAlpha = 0.14;
      context.fillStyle = accent;
      context.fillRect(x, y, this.size.cellWidth, this.size.cellHeight);
    }
    context.globalAlpha = 1;
    if (model.marked && j >= model.marked[0] && j < model.marked[1]) {
      context.fillStyle = accent;
      context.fillRect(x, y + this.size.cellHeight - 2, this.size.cellWidth - 1, 1);
    }
    context.font = `${this.size.font}px ${mono}`;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillStyle = Number.isFinite(value) && value !== 0 ? ink : faint;
    context.fillText(shortText(value), x + this.size.cellWidth - 5, y + this.size.cellHeight / 2 + 0.5);
  }

  private drawSelected(context: CanvasRenderingContext2D, { row, column }: Cell): void {
    context.strokeStyle = theme().accent;
    context.lineWidth = 2;
    context.strokeRect(column * this.size.cellWidth, row * this.size.cellHeight, this.size.cellWidth - 1, this.size.cellHeight - 1);
  }

  private drawSpot(context: CanvasRenderingContext2D, { row, column }: Cell): void {
    const { cellWidth, cellHeight } = this.size;
    context.globalAlpha = 0.3;
    context.fillStyle = theme().accent;
    context.fillRect(column * cellWidth, row * cellHeight, cellWidth - 1, cellHeight - 1);
    context.globalAlpha = 1;
    this.drawSelected(context, { row, column });
  }

  private drawHeads(context: CanvasRenderingContext2D, model: NumberModel, first: Cell, last: Cell): void {
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.container;
    const { faint, font, ground, line } = theme();
    context.fillStyle = ground;
    context.fillRect(0, 0, clientWidth, this.size.headHeight - 1);
    context.fillRect(0, 0, this.labelWidth - 1, clientHeight);
    context.fillStyle = line;
    context.fillRect(0, this.size.headHeight - 1, clientWidth, 1);
    context.fillRect(this.labelWidth - 1, 0, 1, clientHeight);
    context.font = `${this.size.font}px ${font}`;
    context.textBaseline = "middle";
    context.fillStyle = faint;
    context.textAlign = "right";
    for (let j = first.column; j < last.column; ++j) {
      const x = this.labelWidth + j * this.size.cellWidth - scrollLeft;
      if (x < this.labelWidth - 8) continue;
      const name = model.columnLabels[j] ?? String(j);
      writeName(context, name, fitted(context, name, this.size.cellWidth - 8), x + this.size.cellWidth - 5, this.size.headHeight / 2);
    }
    for (let i = first.row; i < last.row; ++i) {
      const y = this.size.headHeight + i * this.size.cellHeight - scrollTop + this.size.cellHeight / 2;
      if (y < this.size.headHeight + 4) continue;
      const name = model.rowLabels[i] ?? String(i);
      writeName(context, name, fitted(context, name, this.labelWidth - 8), this.labelWidth - 6, y);
    }
  }
}
