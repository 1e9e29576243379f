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
import { axes, lens, shownMatrix } from "../core/shown";
import { activeMask, address, change, colours, kindInfo, now, shownTokens, source } from "../core/state";
import { thumbnailOf } from "../core/thumbnail";
import { placed } from "../core/tokens";
import { whole } from "../core/weights";
import type { Matrix } from "../data/types";

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
  const through = lens.value;
  const picture = useMemo(
    () => fits && paintThumbnails({ layers, heads, of: (layer, head) => thumbnailOf(fits, layer, head, through) }, cell * (devicePixelRatio || 1), table, range),
    [fits, cell, table, range, through],
  );
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

// All weights of a short text, or of any text that is seen through the lens, which needs them anyway; else the thumbnail.
function useSmallMatrix(): { matrix: Matrix | null; named: boolean } {
  const info = kindInfo.value!;
  const head = address.value!;
  const mask = activeMask.value;
  const through = lens.value;
  const named = Math.max(axes.value.queries.length, axes.value.keys.length) <= mostNamed;
  const all = named || through !== null;
  const loaded = useLoaded(all ? JSON.stringify([head, mask]) : "", () => whole(head, mask)).value;
  const thumbnails = useLoaded(all ? "" : `${head.capture}|${head.kind}`, () => thumbnailsOf(head.capture, head.kind, patience)).value;
  const matrix = useMemo(() => {
    if (all) return loaded && loaded.rows === info.queries && loaded.columns === info.keys ? shownMatrix(loaded, through) : null;
    if (!thumbnails || head.head === "mean" || thumbnails.heads !== info.heads) return null;
    return thumbnailOf(thumbnails, head.layer, head.head, null);
  }, [all, loaded, thumbnails, head, through]);
  return { matrix, named };
}

const none = (count: number) => Array.from({ length: count }, () => "");

function ThisHead() {
  const head = address.value!;
  const cell = useRef<Cell | null>(null);
  const { matrix, named } = useSmallMatrix();
  const table = colours.value;
  const range = now.range.value;
  const { queries, keys, queryAt, keyAt, rowOf } = axes.value;
  const model = useMemo(() => {
    if (!matrix) return null;
    const [rows, columns] = named ? [queries, keys] : [none(matrix.rows), none(matrix.columns)];
    return { ...modelOf(matrix, rows, columns, table, weightEntry(matrix, range), weightText), numbered: named };
  }, [matrix, named, table, range, queries, keys]);
  const open = () => {
    const at = named ? cell.current : null;
    change({ view: "matrix", ...(at && { tokens: [queryAt[at.row]], key: keyAt[at.column], direction: "out" as const }) });
  };
  const token = shownTokens.value[0] ?? -1;
  const row = token >= 0 ? rowOf(token) : -1;
  const tell = (at: Cell | null) => {
    cell.current = at;
    const value = at && named && matrix ? matrix.data[at.row * matrix.columns + at.column] : null;
    hint(value == null || !at ? "" : `${placed(queries[at.row], queryAt[at.row])} → ${placed(keys[at.column], keyAt[at.column])}: ${weightText(value)}`);
  };
  return (
    <section class="card">
      <h2>{t("thisHead")} <small>L{head.layer} H{head.head === "mean" ? ` ${t("mean")}` : head.head}</small></h2>
      <p>{t("thisHeadAbout")}</p>
      <div class="small-matrix" onClick={open} onKeyDown={(event) => event.key === "Enter" && !(event.target as HTMLElement).matches("button") && open()}>
        <MatrixCanvas model={model} label={t("thisHeadLabel")} onHover={tell}
          selected={named && row >= 0 && now.direction.value === "out" ? { row, column: -1 } : null} />
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
