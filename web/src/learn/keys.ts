// ← and → turn pages, unless somebody writes or moves something.
import { useLayoutEffect } from "preact/hooks";

export function useArrows(back: () => void, forward: () => void): void {
  // Before the next key: who presses twice turns two pages.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (target.matches?.("input, textarea, select, pre, .table-scroll") || document.querySelector("dialog[open]")) return;
      if (event.key === "ArrowRight") forward();
      else if (event.key === "ArrowLeft") back();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
}
