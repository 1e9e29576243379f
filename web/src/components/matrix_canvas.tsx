// A matrix to look at: hover, select, zoom, pan, by pointer and by keys.
import { useLayoutEffect, useRef } from "preact/hooks";
import { MatrixSurface } from "../canvas/matrix_surface";
import type { Cell, MatrixModel } from "../canvas/matrix_model";
import { clamp } from "../core/frame";
import type { Crop } from "../data/types";

export interface MatrixCanvasProps {
  model: MatrixModel | null;
  label: string; // for screen readers
  selected?: Cell | null;
  hovered?: Cell | null; // from another matrix beside this one
  zoomable?: boolean;
  onHover?: (cell: Cell | null) => void;
  onSelect?: (cell: Cell) => void;
  onPaint?: (cell: Cell, first: boolean) => void; // dragging paints instead of moving
  onViewport?: (shown: Crop, cell: number) => void;
  class?: string;
}

interface Drag {
  x: number;
  y: number;
  moved: boolean;
}

// Pointer events on one matrix. Two fingers zoom.
class Pointers {
  private readonly down = new Map<number, Drag>();
  private spread = 0;
  private at: [number, number] | null = null; // where the pointer is

  constructor(
    private readonly surface: MatrixSurface,
    private readonly element: HTMLElement,
    private readonly props: () => MatrixCanvasProps,
  ) {}

  private point(event: PointerEvent | WheelEvent | MouseEvent): [number, number] {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event: PointerEvent): void {
    const [x, y] = this.point(event);
    this.down.set(event.pointerId, { x, y, moved: false });
    this.element.setPointerCapture?.(event.pointerId);
    this.spread = this.distance();
    const cell = this.surface.viewport.cellAt(x, y);
    if (cell && event.button === 0) this.props().onPaint?.(cell, true);
  }

  move(event: PointerEvent): void {
    const { surface } = this;
    const { onPaint, zoomable, onHover } = this.props();
    const [x, y] = this.point(event);
    const drag = this.down.get(event.pointerId);
    const cell = surface.viewport.cellAt(x, y);
    if (drag && (drag.moved || Math.hypot(x - drag.x, y - drag.y) > 3)) {
      drag.moved = true;
      if (onPaint) {
        if (cell) onPaint(cell, false);
      } else if (zoomable) {
        this.dragTo(drag, x, y);
      }
    }
    this.at = [x, y];
    surface.hover(cell);
    onHover?.(cell);
  }

  // The numbers changed under a pointer that stands still: what is said of them must change, too.
  tellAgain(): void {
    if (!this.at) return;
    const cell = this.surface.viewport.cellAt(...this.at);
    this.surface.hover(cell);
    this.props().onHover?.(cell);
  }

  private dragTo(drag: Drag, x: number, y: number): void {
    const [dx, dy] = [x - drag.x, y - drag.y];
    drag.x = x;
    drag.y = y;
    if (this.down.size === 2) {
      const spread = this.distance();
      if (this.spread > 0) this.surface.viewport.zoom(spread / this.spread, x, y);
      this.spread = spread;
    } else {
      this.surface.viewport.pan(dx, dy);
    }
    this.surface.requestDraw();
  }

  private distance(): number {
    const [a, b] = [...this.down.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
  }

  release(event: PointerEvent): void {
    const drag = this.down.get(event.pointerId);
    this.down.delete(event.pointerId);
    if (!drag || drag.moved) return;
    const [x, y] = this.point(event);
    const cell = this.surface.viewport.cellAt(x, y);
    if (cell && !this.props().onPaint) this.props().onSelect?.(cell);
  }

  cancel(event: PointerEvent): void {
    this.down.delete(event.pointerId);
  }

  leave(): void {
    this.at = null;
    this.surface.hover(null);
    this.props().onHover?.(null);
  }

  wheel(event: WheelEvent): void {
    if (!this.props().zoomable) return;
    event.preventDefault();
    this.surface.viewport.zoom(Math.exp(-event.deltaY * 0.0018), ...this.point(event));
    this.surface.requestDraw();
  }

  doubleClick(event: MouseEvent): void {
    if (!this.props().zoomable) return;
    this.surface.viewport.zoom(2, ...this.point(event));
    this.surface.requestDraw();
  }
}

function listen(pointers: Pointers, element: HTMLElement): void {
  element.addEventListener("pointerdown", (event) => pointers.press(event));
  element.addEventListener("pointermove", (event) => pointers.move(event));
  element.addEventListener("pointerup", (event) => pointers.release(event));
  element.addEventListener("pointercancel", (event) => pointers.cancel(event));
  element.addEventListener("pointerleave", () => pointers.leave());
  element.addEventListener("wheel", (event) => pointers.wheel(event), { passive: false });
  element.addEventListener("dblclick", (event) => pointers.doubleClick(event));
}

const steps: Record<string, [number, number]> = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
};

function onKey(event: KeyboardEvent, surface: MatrixSurface, props: MatrixCanvasProps): void {
  const { viewport } = surface;
  const step = steps[event.key];
  const center: [number, number] = [viewport.left + viewport.plotWidth / 2, viewport.top + viewport.plotHeight / 2];
  if (step && (props.onSelect || props.onPaint)) {
    const far = event.shiftKey ? 10 : 1;
    const from = props.selected ?? { row: -step[0], column: -step[1] };
    const cell = {
      row: clamp(Math.max(from.row, 0) + step[0] * far, 0, viewport.rows - 1),
      column: clamp(Math.max(from.column, 0) + step[1] * far, 0, viewport.columns - 1),
    };
    viewport.reveal(cell.row, cell.column);
    props.onSelect?.(cell);
  } else if ((event.key === "Enter" || event.key === " ") && props.onPaint && props.selected) {
    props.onPaint(props.selected, true);
  } else if (props.zoomable && (event.key === "+" || event.key === "=")) viewport.zoom(1.5, ...center);
  else if (props.zoomable && event.key === "-") viewport.zoom(1 / 1.5, ...center);
  else if (props.zoomable && event.key === "0") viewport.fit();
  else return;
  event.preventDefault();
  event.stopPropagation();
  surface.requestDraw();
}

export function MatrixCanvas(props: MatrixCanvasProps) {
  const element = useRef<HTMLDivElement>(null);
  const surface = useRef<MatrixSurface | null>(null);
  const pointers = useRef<Pointers | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    const container = element.current!;
    const made = new MatrixSurface(container, () =>
      latest.current.onViewport?.(made.viewport.shown, made.viewport.cell),
    );
    surface.current = made;
    pointers.current = new Pointers(made, container, () => latest.current);
    listen(pointers.current, container);
    return () => made.dispose();
  }, []);

  useLayoutEffect(() => {
    if (props.model) surface.current?.show(props.model);
    else surface.current?.clear();
    pointers.current?.tellAgain();
  }, [props.model]);
  useLayoutEffect(() => surface.current?.select(props.selected ?? null), [props.selected?.row, props.selected?.column]);
  useLayoutEffect(() => surface.current?.hover(props.hovered ?? null), [props.hovered?.row, props.hovered?.column]);

  return (
    <div
      ref={element}
      class={`canvas ${props.zoomable ? "zoomable" : ""} ${props.class ?? ""}`}
      role="application"
      tabIndex={0}
      aria-label={props.label}
      onKeyDown={(event) => surface.current && onKey(event, surface.current, latest.current)}
    />
  );
}
