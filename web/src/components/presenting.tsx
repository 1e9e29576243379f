// Presentation: the view alone, in large type. A button, the key p, and a link.
import { useEffect } from "preact/hooks";
import { chooseScale } from "../canvas/scale";
import { t } from "../core/language";
import { change, now } from "../core/state";

const largeType = 1.6;

export function PresentButton() {
  const on = now.presenting.value;
  return (
    <button
      type="button" class={on ? "present" : "plain present"} data-key="present" aria-pressed={on} title={t(on ? "presentEnd" : "presentTitle")}
      onClick={() => change({ presenting: !now.presenting.peek() })}
    >{on ? `× ${t("presentEnd")}` : t("present")}</button>
  );
}

// Canvases write in the size of the type around them. Escape ends the presentation before it clears a selection.
export function usePresenting(): boolean {
  const on = now.presenting.value;
  chooseScale(on ? largeType : 1);
  useEffect(() => {
    dispatchEvent(new Event("resize"));
    if (!on) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open], .menu")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      change({ presenting: false });
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, [on]);
  return on;
}
