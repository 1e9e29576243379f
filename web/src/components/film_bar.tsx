// The slider over the steps of a training, with the loss above it: every view shows the chosen step.
import { useEffect, useMemo } from "preact/hooks";
import { fetchAhead, frameCount, otherFrame, play, playing, showFrame } from "../core/film";
import { curveOf, curvePath, lossRange, shareOf } from "../core/film_frames";
import { language, t } from "../core/language";
import { address, change, film, frame, kindInfo, now } from "../core/state";
import type { FilmInfo } from "../data/types";
import { Select } from "./controls";

const [width, height] = [1000, 40]; // of the curve, stretched to the width there is

export function wholeNumber(value: number): string {
  return value.toLocaleString(language.value === "zh" ? "zh-CN" : "en-US");
}

function lossText(loss: number | null): string {
  return loss === null ? t("filmLossUnknown") : t("filmLoss", { loss: loss.toFixed(loss < 0.1 ? 4 : 3) });
}

// "step 1,200, loss 2.310"
export function frameText(of: FilmInfo, at: number): string {
  return `${t("filmStep", { step: wholeNumber(of.frames.step[at]) })}${t("filmComma")}${lossText(of.frames.loss[at])}`;
}

function Curve(props: { film: FilmInfo; frame: number }) {
  const { frames } = props.film;
  const points = curveOf(props.film);
  const [low, high] = lossRange(points);
  const x = shareOf(props.film, frames.step[props.frame]) * 100;
  const loss = frames.loss[props.frame];
  const path = useMemo(() => curvePath(props.film, width, height), [props.film]);
  const y = loss === null ? null : Math.min(100, Math.max(0, (1 - (loss - low) / (high - low)) * 100));
  return (
    <div class="film-curve" aria-hidden="true">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none">
        <path d={path} vector-effect="non-scaling-stroke" />
      </svg>
      <i class="film-now" style={{ left: `${x}%` }} />
      {y !== null && <i class="film-dot" style={{ left: `${x}%`, top: `${y}%` }} />}
      <span class="film-high">{high.toFixed(2)}</span>
      <span class="film-low">{low.toFixed(2)}</span>
    </div>
  );
}

export function FilmBar() {
  const of = film.value;
  const at = frame.value;
  const count = frameCount.value;
  const run = playing.value;
  useEffect(() => (run ? play() : undefined), [run]);
  // Whoever leafs through heads or views gets the frames around the one that is shown.
  const head = address.value;
  useEffect(() => {
    if (!of || run) return;
    const timer = setTimeout(() => void fetchAhead(), 60);
    return () => clearTimeout(timer);
  }, [of, run, now.view.value, kindInfo.value, head?.layer, head?.head, at]);
  useEffect(() => () => void (playing.value = false), []);
  if (!of) return null;
  const move = (to: number) => {
    playing.value = false;
    showFrame(to);
  };
  return (
    <section class="film" aria-label={t("film")}>
      <button type="button" class="primary film-play" aria-pressed={run} title={t("filmPlayTitle")} onClick={() => (playing.value = !run)}>
        {run ? t("pause") : t("play")}
      </button>
      <div class="film-track">
        <Curve film={of} frame={at} />
        <input
          type="range" min={0} max={count - 1} value={at} aria-label={t("filmSlider")}
          aria-valuetext={t("filmSpoken", { step: wholeNumber(of.frames.step[at]), last: wholeNumber(of.frames.step[count - 1]), loss: lossText(of.frames.loss[at]) })}
          onInput={(event) => move(Number(event.currentTarget.value))}
        />
      </div>
      <p class="film-reading">
        <b>{t("filmStep", { step: wholeNumber(of.frames.step[at]) })}</b>
        <span>{lossText(of.frames.loss[at])}</span>
      </p>
    </section>
  );
}

// The step that another one is compared with.
export function OtherFrame(props: { film: FilmInfo }) {
  const { frames } = props.film;
  return (
    <Select
      label={t("filmOther")} value={String(otherFrame.value)}
      choices={frames.step.map((_, at) => ({ value: String(at), label: frameText(props.film, at) }))}
      onChange={(at) => change({ otherFilmStep: frames.step[Number(at)] })}
    />
  );
}
