// A film's frames: which one a step means, and how a frame is named where a run is.
import { baseRun } from "./whatif";
import type { Capture, FilmInfo, FilmPoints } from "../data/types";

// "f0x12": frame 12 of the run "f0".
export const frameId = (run: string, frame: number) => `${run}x${frame}`;

// The run of a name: a frame belongs to its text, a changed run to the one that was changed.
export function runOf(all: Capture[], name: string): Capture | undefined {
  const id = baseRun(name);
  return all.find((one) => one.id === id) ?? all.find((one) => one.film && id.startsWith(`${one.id}x`));
}

// The last frame at or before a step; the first one if there is none.
export function frameAt(film: FilmInfo, step: number): number {
  let frame = 0;
  while (frame + 1 < film.frames.step.length && film.frames.step[frame + 1] <= step) ++frame;
  return frame;
}

// Where a step lies among the frames, as a share of the way from the first to the last: the slider counts frames, and
// the curve above it has to keep its places, whatever the distance between frames.
export function shareOf(film: FilmInfo, step: number): number {
  const steps = film.frames.step;
  const last = steps.length - 1;
  if (last < 1) return 0;
  const frame = Math.min(frameAt(film, step), last - 1);
  const within = (step - steps[frame]) / (steps[frame + 1] - steps[frame]);
  return Math.min(1, Math.max(0, (frame + within) / last));
}

// What the loss curve is drawn from: every step's loss where it was kept, else those of the frames.
export function curveOf(film: FilmInfo): FilmPoints {
  return film.losses.step.length > 1 ? film.losses : film.frames;
}

export function lossRange(points: FilmPoints): [number, number] {
  const known = points.loss.filter((loss): loss is number => loss !== null);
  if (!known.length) return [0, 1];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  return high > low ? [low, high] : [low - 0.5, low + 0.5];
}

// "M0 12L3.5 11 …" in a box of this size; a new line begins where a loss is not known.
export function curvePath(film: FilmInfo, width: number, height: number): string {
  const points = curveOf(film);
  const [low, high] = lossRange(points);
  let path = "";
  let open = false;
  points.step.forEach((step, i) => {
    const loss = points.loss[i];
    open = open && loss !== null;
    if (loss === null) return;
    const [x, y] = [shareOf(film, step) * width, (1 - (loss - low) / (high - low)) * height];
    path += `${open ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`;
    open = true;
  });
  return path;
}

// The frames to fetch while one is looked at: first where play goes, then around.
export function framesAhead(frame: number, count: number, most: number): number[] {
  const wanted: number[] = [];
  for (let by = 1; wanted.length < most && by < count; ++by) {
    if (frame + by < count) wanted.push(frame + by);
    if (by % 2 === 0 && frame - by / 2 >= 0) wanted.push(frame - by / 2);
  }
  return wanted;
}
