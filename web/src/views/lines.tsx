// BertViz's head view: lines from queries to keys, one colour per head.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Failure, NumberField, Segmented } from "../components/controls";
import { LensButtons, lensNotes } from "../components/lens_tools";
import { useLoaded } from "../components/loading";
import { ViewFrame } from "../components/view_frame";
import { LinesSurface } from "../canvas/lines_surface";
import type { LinesModel, Place } from "../canvas/lines_surface";
import { linesFigure } from "../exports/lines_export";
import { runFrame } from "../exports/frame";
import { useExport } from "../exports/view_export";
import { headColour } from "../core/colours";
import { chosenKeys, EdgeCollector, edgesIn, noEdges, passes } from "../core/edges";
import type { EdgeSet } from "../core/edges";
import type { SegmentFilter, Threshold } from "../core/hash";
import { clamp, oncePerFrame } from "../core/frame";
import { t } from "../core/language";
import { weightText } from "../core/numbers";
import { largest } from "../core/ranking";
import { hint, say } from "../core/readout";
import {
  activeMask, address, change, dark, keySequence, kindInfo, now, querySequence, selectedTokens,
} from "../core/state";
import { axes, lens, pictureColumn, pictureRow, shownMatrix } from "../core/shown";
import { placed } from "../core/tokens";
import { fitsWhole, whole } from "../core/weights";
import type { HeadAddress, KindInfo, Matrix } from "../data/types";

function activeHeads(info: KindInfo): number[] {
  const chosen = now.lineHeads.value.filter((head) => head < info.heads);
  const head = address.value!.head;
  if (chosen.length) return chosen;
  return head === "mean" ? Array.from({ length: info.heads }, (_, h) => h) : [head];
}

function HeadTiles(props: { info: KindInfo; active: number[] }) {
  const { info, active } = props;
  const toggle = (head: number) => {
    const rest = active.filter((other) => other !== head);
    change({ lineHeads: rest.length < active.length && rest.length ? rest : [...rest, head].sort((a, b) => a - b) });
  };
  const solo = (head: number) => change({ lineHeads: [head], head });
  const all = () => change({ lineHeads: Array.from({ length: info.heads }, (_, h) => h) });
  return (
    <div class="tiles" role="group" aria-label={t("headTiles")}>
      {Array.from({ length: info.heads }, (_, head) => (
        <button
          type="button" key={head} aria-pressed={active.includes(head)} title={t("tileAdvice", { head })}
          style={{ "--tile": headColour(head, info.heads, dark.value) }}
          onClick={(event) => (event.detail > 1 ? undefined : toggle(head))}
          onDblClick={() => solo(head)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !event.shiftKey) return;
            event.preventDefault();
            solo(head);
          }}
        >{head}</button>
      ))}
      <button type="button" class="all" onClick={all}>{t("all")}</button>
    </div>
  );
}

function Controls(props: { pair: boolean }) {
  const { threshold } = { threshold: now.threshold.value };
  const set = (value: Threshold) => change({ threshold: value });
  const parts: SegmentFilter[] = ["all", "aa", "ab", "ba", "bb"];
  const names: Record<SegmentFilter, string> = { all: t("all"), aa: "A → A", ab: "A → B", ba: "B → A", bb: "B → B" };
  return (
    <>
      <Segmented
        label={t("keep")} value={threshold.by}
        choices={[{ value: "mass", label: t("byMass") }, { value: "top", label: t("byCount") }]}
        onChange={(by) => set(by === "mass" ? { by, mass: 0.9 } : { by, count: 3 })}
      />
      {threshold.by === "mass"
        ? <NumberField label={t("mass")} value={threshold.mass} least={0.05} largest={1} step={0.05} onChange={(mass) => change({ threshold: { by: "mass", mass } }, true)} />
        : <NumberField label="k" value={threshold.count} least={1} largest={50} onChange={(count) => change({ threshold: { by: "top", count } }, true)} />}
      {props.pair && (
        <Segmented label={t("parts")} value={now.segments.value} onChange={(segments) => change({ segments })}
          choices={parts.map((value) => ({ value, label: names[value] }))} />
      )}
    </>
  );
}

interface HeadRows {
  head: number;
  matrix: Matrix; // whole
}

// The part (first or second text) of each row and column.
function partsOf() {
  const { queryAt, keyAt } = axes.peek();
  const [queries, keys] = [querySequence.peek()!.segments, keySequence.peek()!.segments];
  return { queries: queryAt.map((token) => queries[token]), keys: keyAt.map((token) => keys[token]) };
}

// Lines of all tokens, of a short text.
function allEdges(heads: HeadRows[]): EdgeSet {
  const edges = new EdgeCollector();
  const { queries, keys } = partsOf();
  const filter = now.segments.value;
  const threshold = now.threshold.value;
  for (const { head, matrix } of heads) {
    for (let i = 0; i < matrix.rows; ++i) {
      const values = matrix.data.subarray(i * matrix.columns, (i + 1) * matrix.columns);
      for (const j of chosenKeys(values, threshold)) {
        if (passes(filter, queries[i], keys[j])) edges.add(i, j, values[j], head);
      }
    }
  }
  return edges.strongestFirst();
}

// Lines of one token; of heads whose weights are still on their way, later.
function edgesOf(place: Place, heads: number[], base: HeadAddress, mask: string, arrived: () => void): EdgeSet {
  const edges = new EdgeCollector();
  const { queries, keys } = partsOf();
  const filter = now.segments.peek();
  for (const head of heads) {
    const address = { ...base, head };
    const values = (place.side === "query" ? pictureRow : pictureColumn)(address, place.index, mask, lens.peek());
    if (!(values instanceof Float32Array)) {
      values.then(arrived, () => undefined);
      continue;
    }
    for (let index = 0; index < values.length; ++index) {
      if (values[index] < 0.001) continue;
      const [query, key] = place.side === "query" ? [place.index, index] : [index, place.index];
      if (passes(filter, queries[query], keys[key])) edges.add(query, key, values[index], head);
    }
  }
  return edges.strongestFirst();
}

// `shown`: the lines on the screen.
function useLinesExport(model: LinesModel, shown: () => EdgeSet, layer: number, heads: number[]) {
  const lines = () => edgesIn(shown());
  useExport({
    name: `lines-L${layer}`,
    figure: () => linesFigure(model, lines(), `L${layer} H${heads.join(", ")}`),
    frame: () => runFrame(null),
    table: () => ({
      columns: ["query", "query_token", "key", "key_token", "head", "weight"],
      rows: lines().map(({ query, key, weight, head }) => [query, model.queries[query], key, model.keys[key], head, weight]),
    }),
    json: () => ({ layer, heads, notes: lensNotes("lines"), lines: lines() }),
    arrays: () => {
      const { count, query, key, weight, head } = shown();
      const array = (values: ArrayLike<number>) => ({ shape: [count], data: Float32Array.from(values) });
      return {
        query: array(query), key: array(key), head: array(head), weight: array(weight),
        queries: model.queries, keys: model.keys,
      };
    },
  });
}

function tell(place: Place, edges: EdgeSet, heads: number[]): string {
  const out = place.side === "query";
  const { queries, keys, queryAt, keyAt } = axes.peek();
  const [own, others] = out ? [queries, keys] : [keys, queries];
  const [ownAt, othersAt] = out ? [queryAt, keyAt] : [keyAt, queryAt];
  const best = largest(edges.weight, 3).map((at) => {
    const other = out ? edges.key[at] : edges.query[at];
    const by = heads.length > 1 ? ` (H${edges.head[at]})` : "";
    return `${placed(others[other], othersAt[other])} ${weightText(edges.weight[at])}${by}`;
  });
  return `${placed(own[place.index], ownAt[place.index])} ${out ? "→" : "←"} ${best.join(", ")}`;
}

function select(place: Place, chosen: Place[]): void {
  const same = chosen.length === 1 && chosen[0].side === place.side && chosen[0].index === place.index;
  change({ direction: place.side === "query" ? "out" : "in", tokens: same ? [] : [tokenAt(place.side, place.index)], key: -1 });
}

function tokenAt(side: Place["side"], index: number): number {
  return (side === "query" ? axes.peek().queryAt : axes.peek().keyAt)[index];
}

// The token that is selected then; null: not a key of this view.
function moveByKey(event: KeyboardEvent, place: Place): number | null {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const side = event.key === "ArrowLeft" ? "query" : event.key === "ArrowRight" ? "key" : place.side;
  if (!by && side === place.side) return null;
  const index = clamp(place.index + by, 0, (side === "query" ? axes.peek().queries : axes.peek().keys).length - 1);
  change({ direction: side === "query" ? "out" : "in", tokens: [tokenAt(side, index)], key: -1 });
  event.preventDefault();
  event.stopPropagation();
  return index;
}

// Hovering goes past the framework: the surface is told which token's lines to show, and nothing is rendered.
function useFocus(surface: { current: LinesSurface | null }, model: LinesModel, linesOf: (place: Place) => EdgeSet) {
  const hovered = useRef<Place | null>(null);
  const latest = useRef({ model, linesOf });
  latest.current = { model, linesOf };
  const shown = () => {
    const place = hovered.current ?? latest.current.model.chosen[0];
    return place ? { ...place, edges: latest.current.linesOf(place) } : null;
  };
  const here = useRef(true);
  useEffect(() => () => void (here.current = false), []);
  const update = useMemo(() => {
    let said: LinesModel | null = null;
    return oncePerFrame(() => {
      if (!here.current) return; // another view is on the screen
      const focus = shown();
      surface.current?.focusOn(focus);
      if (!focus) return hint("");
      const fresh = !hovered.current && focus.edges.count > 0 && said !== latest.current.model;
      (fresh ? say : hint)(tell(focus, focus.edges, latest.current.model.heads));
      if (fresh) said = latest.current.model;
    });
  }, []);
  const hover = (place: Place | null) => {
    if (place?.side === hovered.current?.side && place?.index === hovered.current?.index) return;
    hovered.current = place;
    update();
  };
  return { shown, update, hover };
}

export function LinesView() {
  const info = kindInfo.value!;
  const base = address.value!;
  const mask = activeMask.value;
  const active = activeHeads(info);
  const short = fitsWhole(info);
  const container = useRef<HTMLDivElement>(null);
  const surface = useRef<LinesSurface | null>(null);
  const key = JSON.stringify([base.capture, base.kind, base.layer, active, mask]);
  const raw = useLoaded(short ? key : "", () =>
    Promise.all(active.map(async (head) => ({ head, matrix: await whole({ ...base, head }, mask) }))),
  );
  const through = lens.value;
  const loaded = useMemo(() => {
    const fits = !through || raw.value?.every(({ matrix }) => matrix.rows === through.queryCount && matrix.columns === through.keyCount);
    const value = raw.value && fits ? raw.value.map(({ head, matrix }) => ({ head, matrix: shownMatrix(matrix, through) })) : null;
    return { ...raw, value };
  }, [raw.value, raw.error, through]);
  useLayoutEffect(() => {
    surface.current = new LinesSurface(container.current!);
    return () => surface.current?.dispose();
  }, []);
  const out = now.direction.value === "out";
  const chosen = useMemo(
    () => selectedTokens.value.map(out ? axes.value.rowOf : axes.value.columnOf).filter((index) => index >= 0)
      .map((index): Place => ({ side: out ? "query" : "key", index })),
    [selectedTokens.value, out, axes.value],
  );
  const edges = useMemo(
    () => (loaded.value ? allEdges(loaded.value) : noEdges),
    [loaded.value, now.threshold.value, now.segments.value],
  );
  const model = useMemo<LinesModel>(
    () => ({
      queries: axes.value.queries, keys: axes.value.keys, chosen, edges, heads: active,
      colours: Array.from({ length: info.heads }, (_, head) => headColour(head, info.heads, dark.value)),
    }),
    [edges, chosen, key, dark.value, axes.value],
  );
  const { shown, update, hover } = useFocus(surface, model, (place) => edgesOf(place, active, base, mask, () => update()));
  useLayoutEffect(() => {
    surface.current?.show(model);
    update();
  }, [model]);
  useLinesExport(model, () => shown()?.edges ?? model.edges, base.layer, active);

  const onKey = (event: KeyboardEvent) => {
    const index = moveByKey(event, chosen[0] ?? { side: "query", index: -1 });
    if (index !== null) surface.current?.reveal(index);
  };
  const at = (event: MouseEvent) => surface.current?.tokenAt(event.clientX, event.clientY) ?? null;
  return (
    <ViewFrame view="lines" controls={<><Controls pair={querySequence.value!.segments.some(Boolean)} /><LensButtons /></>}>
      <HeadTiles info={info} active={active} />
      {!short && !chosen.length && <p class="advice">{t("linesLong")}</p>}
      <Failure error={loaded.error} />
      <div
        ref={container} class="canvas scrolling" role="application" tabIndex={0}
        aria-label={t("linesLabel", { heads: active.join(", ") })} onKeyDown={onKey}
        onPointerMove={(event) => hover(at(event))}
        onPointerLeave={() => hover(null)}
        onClick={(event) => {
          const place = at(event);
          if (place) select(place, chosen);
        }}
      />
    </ViewFrame>
  );
}
