// At most one run per frame of the screen.
export function oncePerFrame(run: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      run();
    });
  };
}

export function clamp(value: number, least: number, largest: number): number {
  return Math.max(least, Math.min(largest, value));
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
