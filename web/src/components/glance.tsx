// Below the text: all heads and this head's matrix as small pictures that lead on, and other texts to try.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { MatrixCanvas } from "./matrix_canvas";
import { SampleButtons } from "./samples";
import { useLoaded } from "./loading";
import { modelOf, weightEntry } from "../canvas/matrix_model";
import type { Cell } from "../canvas/matrix_model";
import { paintThumbnails } from "../canvas/thumbnails";
import { sized, theme } from "../canvas/theme";
import { clamp } from "../core/frame";
import { pick, t } from "../core/language";
import { weightText } from "../core/numbers";
import { overviewOf, patience, thumbnailsOf } from "../core/overviews";
import { hint } from "../core/readout";
import {
  activeMask, address, change, colours, keyNames, kindInfo, now, queryNames, shownTokens, source,
} from "../core/state";
import { placed } from "../core/tokens";
import { whole } from "../core/weights";

const mostNamed = 48; // tokens; above that the small matrix has no names
const widest = 420;

function AllHeads() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const info = kindInfo.value!;
  const chosen = address.value!;
  const key = `${chosen.capture}|${chosen.kind}`;
  const thumbnails = useLoaded(key, () => thumbnailsOf(chosen.capture, chosen.kind, patience)).value;
  const overview = useLoaded(key, () => overviewOf(chosen.capture, chosen.kind, patience)).value;
  const [layers, heads] = [info.layers, info.heads];
  const cell = clamp(Math.floor(Math.min(widest / heads, 270 / layers)), 6, 56);
  const table = colours.value;
  const range = now.range.value;
  const fits = thumbnails?.layers === layers && thumbnails.heads === heads ? thumbnails : null;
  const picture = useMemo(() => fits && paintThumbnails(fits, cell * (devicePixelRatio || 1), table, range), [fits, cell, table, range]);
  useLayoutEffect(() => {
    const context = sized(canvas.current!, cell * heads, cell * layers);
    if (picture) context.drawImage(picture, 0, 0, cell * heads, cell * layers);
    context.strokeStyle = theme().accent;
    context.lineWidth = 2;
    const { layer, head } = chosen;
    const width = head === "mean" ? heads * cell : cell;
    context.strokeRect((head === "mean" ? 0 : head * cell) + 0.5, layer * cell + 0.5, width - 2, cell - 2);
  });
  const placeOf = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const at = (place: number, size: number, count: number) => clamp(Math.floor((place / size) * count), 0, count - 1);
    return { layer: at(event.clientY - box.top, box.height, layers), head: at(event.clientX - box.left, box.width, heads) };
  };
  const tell = (event: MouseEvent) => {
    const { layer, head } = placeOf(event);
    hint(`L${layer} H${head} · ${pick(overview?.heads[layer]?.[head]?.role.name)}`);
  };
  const onKey = (event: KeyboardEvent) => {
    const moves: Record<string, [number, number]> = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    const head = chosen.head === "mean" ? 0 : chosen.head;
    event.preventDefault();
    event.stopPropagation();
    change({ layer: clamp(chosen.layer + move[0], 0, layers - 1), head: clamp(head + move[1], 0, heads - 1) });
  };
  return (
    <section class="card heads-card">
      <h2>{t("allHeads", { count: layers * heads })}</h2>
      <p>{t("allHeadsAbout")}</p>
      <div class="small-heads" role="application" tabIndex={0} aria-label={t("allHeadsLabel", { layers, heads })} onKeyDown={onKey}
        onClick={(event) => change(placeOf(event))} onPointerMove={tell} onPointerLeave={() => hint("")}>
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <button type="button" class="onward" onClick={() => change({ view: "grid" })}>{t("openGrid")} ›</button>
    </section>
  );
}

function ThisHead() {
  const info = kindInfo.value!;
  const head = address.value!;
  const mask = activeMask.value;
  const cell = useRef<Cell | null>(null);
  const small = info.queries <= mostNamed && info.keys <= mostNamed;
  const loaded = useLoaded(small ? JSON.stringify([head, mask]) : "", () => whole(head, mask));
  const thumbnails = useLoaded(small ? "" : `${head.capture}|${head.kind}`, () => thumbnailsOf(head.capture, head.kind, patience)).value;
  const table = colours.value;
  const range = now.range.value;
  const [queries, keys] = [queryNames.value, keyNames.value];
  const model = useMemo(() => {
    const { layer } = head;
    if (small && loaded.value) return modelOf(loaded.value, queries, keys, table, weightEntry(loaded.value, range), weightText);
    if (!thumbnails || head.head === "mean" || thumbnails.heads !== info.heads) return null;
    const { rows, columns, max } = thumbnails;
    const begin = (layer * info.heads + head.head) * rows * columns;
    const matrix = { rows, columns, data: max.subarray(begin, begin + rows * columns) };
    const none = (count: number) => Array.from({ length: count }, () => "");
    return { ...modelOf(matrix, none(rows), none(columns), table, weightEntry(matrix, range), weightText), numbered: false };
  }, [loaded.value, thumbnails, head, table, range, queries, keys]);
  const open = () => {
    const at = small ? cell.current : null;
    change({ view: "matrix", ...(at && { tokens: [at.row], key: at.column, direction: "out" as const }) });
  };
  const row = shownTokens.value[0] ?? -1;
  const tell = (at: Cell | null) => {
    cell.current = at;
    const value = at && small ? loaded.value?.data[at.row * info.keys + at.column] : null;
    hint(value == null || !at ? "" : `${placed(queries[at.row], at.row)} → ${placed(keys[at.column], at.column)}: ${weightText(value)}`);
  };
  return (
    <section class="card">
      <h2>{t("thisHead")} <small>L{head.layer} H{head.head === "mean" ? ` ${t("mean")}` : head.head}</small></h2>
      <p>{t("thisHeadAbout")}</p>
      <div class="small-matrix" onClick={open} onKeyDown={(event) => event.key === "Enter" && !(event.target as HTMLElement).matches("button") && open()}>
        <MatrixCanvas model={model} label={t("thisHeadLabel")} onHover={tell}
          selected={small && row >= 0 && now.direction.value === "out" ? { row, column: -1 } : null} />
      </div>
      <button type="button" class="onward" onClick={() => change({ view: "matrix" })}>{t("openMatrix")} ›</button>
    </section>
  );
}

export function Glance() {
  return (
    <div class="glance">
      <AllHeads />
      <ThisHead />
      {source.value?.canRun && (
        <section class="card">
          <h2>{t("tryText")}</h2>
          <p>{t("tryTextAbout")}</p>
          <SampleButtons />
        </section>
      )}
    </div>
  );
}
