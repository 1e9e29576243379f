// The stages in a row: play, scrub, arrow keys.
import { useEffect, useRef } from "preact/hooks";
import { useScrollCue } from "./scroll_cue";
import { t } from "../core/language";
import { reducedMotion } from "../core/frame";
import { playingSteps, secondsOf } from "../core/stage_motion";
import { change, now } from "../core/state";
import type { Stage } from "../core/stages";

export function Timeline(props: { stages: Stage[]; step: number; row: number }) {
  const { stages, step } = props;
  const playing = playingSteps.value;
  const setPlaying = (on: boolean) => (playingSteps.value = on);
  useEffect(() => () => void setPlaying(false), []);
  const last = stages.length - 1;
  const names = useRef<HTMLOListElement>(null);
  useScrollCue(names);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      const next = now.step.peek() + 1;
      if (next > last) setPlaying(false);
      else change({ step: next }, true);
    }, secondsOf(stages[step], props.row, reducedMotion()) * 1000);
    return () => clearTimeout(timer);
  }, [playing, last, step]);
  const toggle = () => {
    if (!playing && step === last) change({ step: 0 });
    setPlaying(!playing);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || target.matches("input, textarea, select")) return;
      if (event.key === "ArrowRight") change({ step: Math.min(last, now.step.peek() + 1) });
      else if (event.key === "ArrowLeft") change({ step: Math.max(0, Math.min(last, now.step.peek()) - 1) });
      else if (event.key === " " && !target.matches("button, [role=application]")) toggle();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <div class="timeline">
      <button type="button" class="primary" aria-pressed={playing} onClick={toggle}>{playing ? t("pause") : t("play")}</button>
      <input
        type="range" min={0} max={last} value={step} aria-label={t("step")} aria-valuetext={t(`stageName.${stages[step].name}`)}
        onInput={(event) => change({ step: Number(event.currentTarget.value) }, true)}
      />
      <ol ref={names}>
        {stages.map((stage, i) => {
          const { matrix } = stage.boxes[stage.boxes.length - 1];
          return (
            <li key={stage.name}>
              <button type="button" aria-current={i === step ? "step" : undefined} onClick={() => change({ step: i })}>
                {t(`stageName.${stage.name}`)} <small>{matrix.rows}×{matrix.columns}</small>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
