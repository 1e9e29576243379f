// The film on the screen: its frame, play and pause, and what is fetched ahead.
import { computed, signal } from "@preact/signals";
import { frameAt, frameId, framesAhead } from "./film_frames";
import { address, capture, change, film, frame, kindInfo, now, source } from "./state";
import { fitsWhole, whole } from "./weights";
import type { HeadAddress } from "../data/types";

const framesPerSecond = 10;
const mostAhead = 120; // frames that are fetched while one is looked at

export const playing = signal(false);

export const frameCount = computed(() => film.value?.frames.step.length ?? 0);

export function showFrame(to: number): void {
  const steps = film.peek()?.frames.step;
  if (steps) change({ filmStep: steps[Math.min(steps.length - 1, Math.max(0, to))] }, true);
}

export const otherFrame = computed(() => (film.value ? frameAt(film.value, now.otherFilmStep.value) : 0));

// Everything the view needs of a frame, so that showing it waits for nothing. What fails fails when it is shown.
async function fetchFrame(at: number): Promise<void> {
  const from = source.peek();
  const shown = address.peek();
  const info = kindInfo.peek();
  if (!from || !shown || !info || !capture.peek()?.film) return;
  const id = frameId(capture.peek()!.id, at);
  const head: HeadAddress = { ...shown, capture: id };
  const wanted: Promise<unknown>[] = [from.overview(id, shown.kind)];
  const view = now.view.peek();
  if (view === "grid") wanted.push(from.thumbnails(id, shown.kind));
  else if (view === "heads") wanted.push(from.similarity(id, shown.kind));
  else if (view === "flow") wanted.push(from.rollout(id, shown.kind), whole({ ...head, head: "mean" }, ""));
  else if (view === "lines" && now.lineHeads.peek().length) {
    for (const one of now.lineHeads.peek()) wanted.push(whole({ ...head, head: Math.min(one, info.heads - 1) }, ""));
  } else if (fitsWhole(info)) wanted.push(whole(head, ""));
  await Promise.allSettled(wanted);
}

let fetching = 0; // what an earlier place asked for is not wanted any more

export async function fetchAhead(): Promise<void> {
  const mine = ++fetching;
  for (const at of framesAhead(frame.peek(), frameCount.peek(), mostAhead)) {
    await fetchFrame(at);
    await new Promise((rest) => setTimeout(rest)); // what a file holds is there at once, and the page must not stand still
    if (mine !== fetching) return;
  }
}

// Each frame is shown when its numbers are there: a slow server makes a slow film, not one with holes.
export function play(): () => void {
  let stopped = false;
  const step = async () => {
    const begin = performance.now();
    const next = frame.peek() + 1;
    if (next >= frameCount.peek()) {
      playing.value = false;
      return;
    }
    await fetchFrame(next);
    const rest = 1000 / framesPerSecond - (performance.now() - begin);
    setTimeout(() => {
      if (stopped) return;
      showFrame(next);
      void step();
    }, Math.max(0, rest));
  };
  if (frame.peek() === frameCount.peek() - 1) showFrame(0);
  void step();
  return () => (stopped = true);
}
