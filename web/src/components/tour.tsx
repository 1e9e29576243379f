// Six short notes beside the parts of the page they speak of. The page stays usable underneath.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { clamp } from "../core/frame";
import { t } from "../core/language";
import { opening } from "../core/opening";
import { change, now } from "../core/state";
import { endTour, tourStep, tourSteps } from "../core/tour";

const gap = 12;

// Below the target, beside it or above it, whichever keeps it in sight; else in the corner.
function place(card: HTMLElement, ring: HTMLElement, target: Element | null): void {
  const [width, height] = [card.offsetWidth, card.offsetHeight];
  const box = target?.getBoundingClientRect();
  ring.hidden = !box;
  if (!box) return void (card.style.translate = `${innerWidth - width - gap}px ${innerHeight - height - gap}px`);
  const [left, top] = [Math.max(2, box.left - 4), Math.max(2, box.top - 4)];
  const [right, bottom] = [Math.min(innerWidth - 2, box.right + 4), Math.min(innerHeight - 2, box.bottom + 4)];
  ring.style.translate = `${left}px ${top}px`;
  ring.style.width = `${right - left}px`;
  ring.style.height = `${bottom - top}px`;
  const inside = (x: number, y: number) => [clamp(x, gap, innerWidth - width - gap), clamp(y, gap, innerHeight - height - gap)];
  const free = (y: number) => y >= gap && y + height <= innerHeight - gap;
  const beside = right + gap + width <= innerWidth;
  const [x, y] = free(bottom + gap) ? inside(left, bottom + gap) : beside ? inside(right + gap, top) : free(top - gap - height) ? inside(left, top - gap - height) : inside(innerWidth, innerHeight);
  card.style.translate = `${x}px ${y}px`;
}

function Card(props: { step: number }) {
  const card = useRef<HTMLElement>(null);
  const ring = useRef<HTMLDivElement>(null);
  const { name, target } = tourSteps[props.step];
  const last = props.step === tourSteps.length - 1;
  const moved = useRef(false); // by the person: then the focus follows the note
  useLayoutEffect(() => {
    const element = () => document.querySelector(target);
    element()?.scrollIntoView({ block: "nearest" });
    const settle = () => place(card.current!, ring.current!, element());
    settle();
    if (moved.current) card.current!.querySelector<HTMLElement>(".primary")!.focus();
    const observer = new ResizeObserver(settle);
    for (const one of [document.body, element()]) if (one) observer.observe(one);
    const main = document.querySelector("main")!;
    main.addEventListener("scroll", settle, { passive: true });
    addEventListener("resize", settle);
    return () => {
      observer.disconnect();
      main.removeEventListener("scroll", settle);
      removeEventListener("resize", settle);
    };
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      event.stopPropagation();
      endTour();
    };
    addEventListener("keydown", onKey, { capture: true });
    return () => removeEventListener("keydown", onKey, { capture: true });
  }, []);
  const go = (by: number) => {
    moved.current = true;
    if (props.step + by >= tourSteps.length) endTour();
    else tourStep.value = Math.max(0, props.step + by);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    event.stopPropagation();
    go(event.key === "ArrowRight" ? 1 : -1);
  };
  return (
    <>
      <div class="tour-ring" ref={ring} aria-hidden="true" />
      <section class="tour" ref={card} role="dialog" aria-label={t("tour")} aria-describedby="tour-text" onKeyDown={onKey}>
        <header>
          <h2>{t(`tourTitle.${name}`)}</h2>
          <button type="button" class="plain skip" onClick={endTour}>{t("tourSkip")}</button>
        </header>
        <p id="tour-text" aria-live="polite">{t(`tour.${name}`)}</p>
        <footer>
          <span class="dots" role="img" aria-label={t("tourStep", { step: props.step + 1, count: tourSteps.length })}>
            {tourSteps.map((one, at) => <i key={one.name} data-here={at === props.step} />)}
          </span>
          {props.step > 0 && <button type="button" onClick={() => go(-1)}>{t("tourBack")}</button>}
          <button type="button" class="primary" onClick={() => go(1)}>{t(last ? "tourDone" : "tourNext")}</button>
        </footer>
      </section>
    </>
  );
}

// It speaks of the Text view; who is elsewhere is brought there.
export function Tour() {
  const step = tourStep.value;
  const elsewhere = step >= 0 && now.view.value !== "text";
  useEffect(() => {
    if (step === 0 && now.view.peek() !== "text") change({ view: "text" });
    else if (elsewhere) endTour(); // left for another view: it has had its use
  }, [step, elsewhere]);
  return step < 0 || opening.value || elsewhere ? null : <Card step={step} />;
}
