import { useLayoutEffect, useRef } from "preact/hooks";
import { ScatterSurface } from "../canvas/scatter_surface";
import type { ScatterModel } from "../canvas/scatter_surface";

export function Scatter(props: {
  model: ScatterModel;
  label: string;
  onHover: (index: number) => void;
  onSelect: (index: number) => void;
}) {
  const element = useRef<HTMLDivElement>(null);
  const surface = useRef<ScatterSurface | null>(null);
  useLayoutEffect(() => {
    const made = new ScatterSurface(element.current!);
    surface.current = made;
    const observer = new ResizeObserver(made.requestDraw);
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => surface.current?.show(props.model));
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
    const count = props.model.points.length;
    if (!by || !count) return;
    event.preventDefault();
    event.stopPropagation();
    props.onSelect((props.model.selected + by + count) % count);
  };
  return (
    <div
      ref={element} class="canvas scatter" role="application" tabIndex={0} aria-label={props.label} onKeyDown={onKey}
      onPointerMove={(event) => {
        const index = surface.current?.pointAt(event.clientX, event.clientY) ?? -1;
        surface.current?.hover(index);
        props.onHover(index);
      }}
      onPointerLeave={() => {
        surface.current?.hover(-1);
        props.onHover(-1);
      }}
      onClick={(event) => {
        const index = surface.current?.pointAt(event.clientX, event.clientY) ?? -1;
        if (index >= 0) props.onSelect(index);
      }}
    />
  );
}
