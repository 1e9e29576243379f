// The paths behind the rollout: columns are layers, lines the mean attention plus the residual, from the chosen
// position of the last layer back to the inputs.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useLoaded } from "./loading";
import { fitted, sized, theme, writeName } from "../canvas/theme";
import { t } from "../core/language";
import { whole } from "../core/weights";
import { largest } from "../core/ranking";
import type { HeadAddress, KindInfo, Matrix } from "../data/types";

const mostTokens = 96;
const linesPerNode = 3;
const rowHeight = 17;

interface Path {
  layer: number; // from layer + 1 down to layer
  from: number;
  to: number;
  share: number; // of the whole flow
}

// Â = (mean attention + identity) with rows of sum 1, from the last layer down.
export function pathsOf(means: Matrix[], query: number): Path[] {
  const n = means[0].columns;
  let share = new Float64Array(n);
  share[query] = 1;
  const paths: Path[] = [];
  for (let layer = means.length - 1; layer >= 0; --layer) {
    const next = new Float64Array(n);
    for (let i = 0; i < n; ++i) {
      if (share[i] < 1e-4) continue;
      const row = means[layer].data.slice(i * n, (i + 1) * n);
      row[i] += 1;
      let sum = 0;
      for (const value of row) sum += value;
      for (let j = 0; j < n; ++j) next[j] += (share[i] * row[j]) / sum;
      for (const j of largest(row, linesPerNode)) paths.push({ layer, from: i, to: j, share: (share[i] * row[j]) / sum });
    }
    share = next;
  }
  return paths;
}

function draw(canvas: HTMLCanvasElement, width: number, paths: Path[], layers: number, tokens: string[], query: number): void {
  const height = tokens.length * rowHeight + 34;
  const context = sized(canvas, width, height);
  const { accent, faint, ink, font } = theme();
  const label = Math.min(100, width * 0.2);
  const x = (column: number) => label + ((width - 2 * label) * column) / layers;
  const y = (token: number) => 26 + (token + 0.5) * rowHeight;
  const most = Math.max(...paths.map((path) => path.share), 1e-9);
  context.strokeStyle = accent;
  for (const { layer, from, to, share } of paths) {
    context.globalAlpha = Math.min(1, Math.max(0.05, Math.sqrt(share / most)));
    context.lineWidth = 0.6 + 3.5 * Math.sqrt(share);
    const middle = (x(layer) + x(layer + 1)) / 2;
    context.beginPath();
    context.moveTo(x(layer), y(to));
    context.bezierCurveTo(middle, y(to), middle, y(from), x(layer + 1), y(from));
    context.stroke();
  }
  context.globalAlpha = 1;
  context.font = `11.5px ${font}`;
  context.textBaseline = "middle";
  tokens.forEach((token, i) => {
    context.fillStyle = ink;
    context.textAlign = "right";
    const cut = fitted(context, token, label - 10);
    writeName(context, token, cut, x(0) - 6, y(i));
    context.textAlign = "left";
    context.fillStyle = i === query ? accent : faint;
    writeName(context, token, cut, x(layers) + 6, y(i));
  });
  context.fillStyle = faint;
  context.textAlign = "center";
  for (let layer = 0; layer < layers; ++layer) context.fillText(`L${layer}`, (x(layer) + x(layer + 1)) / 2, 10);
}

export function FlowPaths(props: { base: HeadAddress; info: KindInfo; tokens: string[]; query: number }) {
  const { base, info, tokens, query } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const few = tokens.length <= mostTokens;
  const means = useLoaded(few ? JSON.stringify([base.capture, base.kind]) : "", () =>
    Promise.all(Array.from({ length: info.layers }, (_, layer) => whole({ ...base, layer, head: "mean" }, ""))),
  );
  const paths = useMemo(() => (means.value && means.value[0].columns === tokens.length ? pathsOf(means.value, query) : []), [means.value, query]);
  useLayoutEffect(() => {
    if (!box.current) return;
    const redraw = () => canvas.current && draw(canvas.current, box.current!.clientWidth, paths, info.layers, tokens, query);
    const observer = new ResizeObserver(redraw);
    observer.observe(box.current);
    redraw();
    return () => observer.disconnect();
  });
  if (!few || !paths.length) return null;
  return (
    <figure class="paths">
      <figcaption><b>{t("paths")}</b> {t("pathsAbout")}</figcaption>
      <div ref={box}><canvas ref={canvas} role="img" aria-label={t("paths")} /></div>
    </figure>
  );
}
