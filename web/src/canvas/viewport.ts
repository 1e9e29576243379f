// Which part of a matrix is on the screen, and at what size.
import { clamp } from "../core/frame";
import type { Crop } from "../data/types";

const largestCell = 56;

export class Viewport {
  left = 0; // of the plot, in pixels of the canvas
  top = 0;
  width = 1;
  height = 1;
  cell = 1; // pixels per cell
  private x = 0; // of cell (0, 0), from the plot's corner; at most 0 when zoomed in
  private y = 0;
  private fitting = true;

  constructor(
    public rows = 1,
    public columns = 1,
  ) {}

  get fittingCell(): number {
    return Math.min(this.width / this.columns, this.height / this.rows, largestCell);
  }

  place(left: number, top: number, width: number, height: number): void {
    Object.assign(this, { left, top, width: Math.max(1, width), height: Math.max(1, height) });
    if (this.fitting || this.cell < this.fittingCell) this.fit();
    else this.keepInside();
  }

  fit(): void {
    this.fitting = true;
    this.cell = this.fittingCell;
    this.x = 0;
    this.y = 0;
  }

  // Around a point of the canvas.
  zoom(factor: number, pointX: number, pointY: number): void {
    const cell = clamp(this.cell * factor, this.fittingCell, Math.max(largestCell, this.fittingCell));
    const [px, py] = [pointX - this.left, pointY - this.top];
    this.x = px - ((px - this.x) / this.cell) * cell;
    this.y = py - ((py - this.y) / this.cell) * cell;
    this.cell = cell;
    this.fitting = cell <= this.fittingCell * 1.0001;
    this.keepInside();
  }

  pan(dx: number, dy: number): void {
    this.x += dx;
    this.y += dy;
    this.keepInside();
  }

  // Scrolls as little as needed.
  reveal(row: number, column: number): void {
    const [x, y] = [this.xOf(column) - this.left, this.yOf(row) - this.top];
    if (x < 0) this.x -= x;
    if (y < 0) this.y -= y;
    if (x + this.cell > this.width) this.x -= x + this.cell - this.width;
    if (y + this.cell > this.height) this.y -= y + this.cell - this.height;
    this.keepInside();
  }

  xOf(column: number): number {
    return this.left + this.x + column * this.cell;
  }

  yOf(row: number): number {
    return this.top + this.y + row * this.cell;
  }

  // The pixels that the matrix covers, at most the plot.
  get plotWidth(): number {
    return Math.min(this.width, this.columns * this.cell);
  }

  get plotHeight(): number {
    return Math.min(this.height, this.rows * this.cell);
  }

  cellAt(pointX: number, pointY: number): { row: number; column: number } | null {
    const [px, py] = [pointX - this.left, pointY - this.top];
    if (px < 0 || py < 0 || px >= this.plotWidth || py >= this.plotHeight) return null;
    const column = Math.floor((px - this.x) / this.cell);
    const row = Math.floor((py - this.y) / this.cell);
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return null;
    return { row, column };
  }

  get shown(): Crop {
    return {
      rowBegin: clamp(Math.floor(-this.y / this.cell), 0, this.rows),
      rowEnd: clamp(Math.ceil((this.height - this.y) / this.cell), 0, this.rows),
      keyBegin: clamp(Math.floor(-this.x / this.cell), 0, this.columns),
      keyEnd: clamp(Math.ceil((this.width - this.x) / this.cell), 0, this.columns),
    };
  }

  private keepInside(): void {
    this.x = clamp(this.x, Math.min(0, this.width - this.columns * this.cell), 0);
    this.y = clamp(this.y, Math.min(0, this.height - this.rows * this.cell), 0);
  }
}
