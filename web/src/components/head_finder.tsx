// "The best previous-token head is L2 H3": from the measures of all heads; a click selects it.
import { useEffect, useRef, useState } from "preact/hooks";
import { bestHeads } from "../core/best_heads";
import type { BestHead } from "../core/best_heads";
import { t } from "../core/language";
import { overviewOf } from "../core/overviews";
import { address, change } from "../core/state";
import { useLoaded } from "./loading";
import { Failure, Working } from "./controls";

function Found(props: { found: BestHead; onChoose?: () => void }) {
  const { measure, threshold, best } = props.found;
  const name = t(`finder.${measure}`);
  if (!best) {
    return <li class="absent" data-find={measure}><b>{name}</b> <small>{t(measure === "induction_lift" ? "finderNotRepeated" : "finderNotHere")}</small></li>;
  }
  const { layer, head, value } = best;
  const chosen = address.value;
  const weak = value < threshold;
  return (
    <li>
      <button
        type="button" data-find={measure} class={weak ? "weak" : ""} title={weak ? t("finderWeak", { threshold }) : undefined}
        aria-pressed={chosen?.layer === layer && chosen.head === head}
        onClick={() => {
          change({ layer, head, lineHeads: [] });
          props.onChoose?.();
        }}
      >
        <b>{name}</b> <span>L{layer} H{head}</span> <small>{measure === "induction_lift" && "×"}{value.toFixed(2)}{weak && ` · ${t("finderWeak", { threshold })}`}</small>
      </button>
    </li>
  );
}

export function HeadFinder(props: { onChoose?: () => void }) {
  const chosen = address.value!;
  const overview = useLoaded(`${chosen.capture}|${chosen.kind}`, () => overviewOf(chosen.capture, chosen.kind));
  return (
    <div class="finder" title={t("finderAbout")}>
      <span class="advice">{t("finderTitle")}</span>
      <Failure error={overview.error} />
      {!overview.value && !overview.error && <Working>{t("measuringHeads")}</Working>}
      {overview.value && <ul>{bestHeads(overview.value).map((found) => <Found key={found.measure} found={found} onChoose={props.onChoose} />)}</ul>}
    </div>
  );
}

// The same behind a button, where there is less room.
export function FindHead() {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!open) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === "Escape" : !box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, [open]);
  return (
    <span class="find-head" ref={box}>
      <button type="button" data-key="find-head" aria-expanded={open} onClick={() => setOpen(!open)}>{t("findHead")} ▾</button>
      {open && <div class="menu"><HeadFinder onChoose={() => setOpen(false)} /></div>}
    </span>
  );
}
