// A matrix of numbers with a cursor.
import { useLayoutEffect, useRef } from "preact/hooks";
import { NumberSurface } from "../canvas/number_surface";
import type { NumberModel } from "../canvas/number_surface";
import type { Cell } from "../canvas/matrix_model";
import { clamp } from "../core/frame";

export function NumberGrid(props: NumberModel & {
  label: string;
  large?: boolean;
  onSelect: (cell: Cell) => void;
  onEdit?: () => void; // Enter or a double click on the selected cell
}) {
  const element = useRef<HTMLDivElement>(null);
  const surface = useRef<NumberSurface | null>(null);
  useLayoutEffect(() => {
    surface.current = new NumberSurface(element.current!);
    const observer = new ResizeObserver(surface.current.requestDraw);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => surface.current?.show(props));
  useLayoutEffect(() => {
    if (props.selected) surface.current?.reveal(props.selected);
  }, [props.selected?.row, props.selected?.column]);
  const onKey = (event: KeyboardEvent) => {
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
    };
    const move = moves[event.key];
    if (!move && event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (!move) {
      props.onEdit?.();
      return;
    }
    const { row, column } = props.selected ?? { row: 0, column: -1 };
    props.onSelect({
      row: clamp(row + move[0], 0, props.matrix.rows - 1),
      column: clamp(column + move[1], 0, props.matrix.columns - 1),
    });
  };
  return (
    <div
      ref={element} class={props.large ? "canvas numbers large" : "canvas numbers"} role="application" tabIndex={0}
      aria-label={props.label} onKeyDown={onKey} onDblClick={props.onEdit}
      onClick={(event) => {
        const cell = surface.current?.cellAt(event.clientX, event.clientY);
        if (cell) props.onSelect(cell);
      }}
    />
  );
}
