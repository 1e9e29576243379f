// BertViz's head view: lines from queries to keys, one colour per head.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure, NumberField, Segmented } from "../components/controls";
import { useLoaded } from "../components/loading";
import { ViewFrame } from "../components/view_frame";
import { lineRow, LinesSurface } from "../canvas/lines_surface";
import type { Edge, LinesModel } from "../canvas/lines_surface";
import { arrange, inks } from "../exports/panels";
import type { Shape } from "../exports/figure";
import { useExport } from "../exports/view_export";
import { headColour } from "../core/colours";
import { chosenKeys, passes } from "../core/edges";
import type { SegmentFilter, Threshold } from "../core/hash";
import { clamp } from "../core/frame";
import { t } from "../core/language";
import { weightText } from "../core/numbers";
import { hint, say } from "../core/readout";
import {
  activeMask, address, change, dark, keyNames, keySequence, kindInfo, now, queryNames, querySequence, selectedTokens,
} from "../core/state";
import { column, fitsWhole, row, whole } from "../core/weights";
import type { HeadAddress, KindInfo, Matrix } from "../data/types";

type Place = { side: "query" | "key"; index: number };

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
        ? <NumberField label={t("mass")} value={threshold.mass} least={0.05} largest={1} step={0.05} onChange={(mass) => set({ by: "mass", mass })} />
        : <NumberField label="k" value={threshold.count} least={1} largest={50} onChange={(count) => set({ by: "top", count })} />}
      {props.pair && (
        <Segmented label={t("parts")} value={now.segments.value} onChange={(segments) => change({ segments })}
          choices={parts.map((value) => ({ value, label: names[value] }))} />
      )}
    </>
  );
}

interface HeadRows {
  head: number;
  matrix: Matrix | null; // whole, of a short text
}

// Lines of all tokens, of a short text.
function allEdges(heads: HeadRows[], info: KindInfo): Edge[] {
  const edges: Edge[] = [];
  const queries = querySequence.value!.segments;
  const keys = keySequence.value!.segments;
  const filter = now.segments.value;
  for (const { head, matrix } of heads) {
    if (!matrix) continue;
    const colour = headColour(head, info.heads, dark.value);
    for (let i = 0; i < matrix.rows; ++i) {
      const values = matrix.data.subarray(i * matrix.columns, (i + 1) * matrix.columns);
      for (const j of chosenKeys(values, now.threshold.value)) {
        if (passes(filter, queries[i], keys[j])) edges.push({ query: i, key: j, weight: values[j], colour });
      }
    }
  }
  return edges;
}

// Lines of one token, and the shades behind those it is tied to.
function focusParts(place: Place, heads: number[], base: HeadAddress, mask: string, info: KindInfo, redraw: () => void) {
  const edges: Edge[] = [];
  const shades: LinesModel["shades"] = [];
  const other = place.side === "query" ? "key" : "query";
  const queries = querySequence.peek()!.segments;
  const keys = keySequence.peek()!.segments;
  heads.forEach((head, slot) => {
    const address = { ...base, head };
    const values = place.side === "query" ? row(address, place.index, mask) : column(address, place.index, mask);
    if (!(values instanceof Float32Array)) {
      values.then(redraw, () => undefined);
      return;
    }
    const colour = headColour(head, info.heads, dark.peek());
    values.forEach((weight, index) => {
      if (weight < 0.001) return;
      const [query, key] = place.side === "query" ? [place.index, index] : [index, place.index];
      if (!passes(now.segments.peek(), queries[query], keys[key])) return;
      edges.push({ query, key, weight, colour });
      shades.push({ side: other, index, colour, strength: weight, slot, slots: heads.length });
    });
  });
  return { edges, shades };
}

function useLinesExport(model: LinesModel | null, layer: number, heads: number[]) {
  useExport(model && {
    name: `lines-L${layer}`,
    figure: () => {
      const { ink } = inks();
      const shapes: Shape[] = [{ type: "text", x: 0, y: 14, text: `L${layer} H${heads.join(", ")}`, size: 13, fill: ink, bold: true }];
      const y = (index: number) => 34 + index * lineRow;
      for (const { query, key, weight, colour } of model.edges) {
        shapes.push({ type: "curve", x1: 170, y1: y(query), x2: 430, y2: y(key), stroke: colour, width: 1.600, opacity: Math.min(1, weight) });
      }
      model.queries.forEach((text, i) => shapes.push({ type: "text", x: 164, y: y(i) + 4, text, size: 13, fill: ink, anchor: "end" }));
      model.keys.forEach((text, j) => shapes.push({ type: "text", x: 436, y: y(j) + 4, text, size: 13, fill: ink }));
      return arrange([{ width: 600, height: y(Math.max(model.queries.length, model.keys.length)), shapes }]);
    },
    table: () => ({
      columns: ["query", "query_token", "key", "key_token", "weight"],
      rows: model.edges.map(({ query, key, weight }) => [query, model.queries[query], key, model.keys[key], weight]),
    }),
    json: () => ({ layer, heads, lines: model.edges.map(({ query, key, weight }) => ({ query, key, weight })) }),
    arrays: () => ({
      query: { shape: [model.edges.length], data: Float32Array.from(model.edges, (edge) => edge.query) },
      key: { shape: [model.edges.length], data: Float32Array.from(model.edges, (edge) => edge.key) },
      weight: { shape: [model.edges.length], data: Float32Array.from(model.edges, (edge) => edge.weight) },
      queries: model.queries, keys: model.keys,
    }),
  });
}

function tell(place: Place, parts: { edges: Edge[] }): string {
  const queries = queryNames.peek();
  const keys = keyNames.peek();
  const out = place.side === "query";
  const name = (out ? queries : keys)[place.index];
  const best = [...parts.edges].sort((a, b) => b.weight - a.weight).slice(0, 3);
  const others = best.map(({ query, key, weight }) => `${out ? keys[key] : queries[query]} ${out ? key : query} ${weightText(weight)}`);
  return `${name} ${place.index} ${out ? "→" : "←"} ${others.join(", ")}`;
}

function select(place: Place, chosen: Place[]): void {
  const same = chosen.length === 1 && chosen[0].side === place.side && chosen[0].index === place.index;
  change({ direction: place.side === "query" ? "out" : "in", tokens: same ? [] : [place.index], key: -1 });
}

// The token that is selected then; null: not a key of this view.
function moveByKey(event: KeyboardEvent, place: Place, info: KindInfo): number | null {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const side = event.key === "ArrowLeft" ? "query" : event.key === "ArrowRight" ? "key" : place.side;
  if (!by && side === place.side) return null;
  const index = clamp(place.index + by, 0, (side === "query" ? info.queries : info.keys) - 1);
  change({ direction: side === "query" ? "out" : "in", tokens: [index], key: -1 });
  event.preventDefault();
  event.stopPropagation();
  return index;
}

export function LinesView() {
  const info = kindInfo.value!;
  const base = address.value!;
  const mask = activeMask.value;
  const active = activeHeads(info);
  const short = fitsWhole(info);
  const container = useRef<HTMLDivElement>(null);
  const surface = useRef<LinesSurface | null>(null);
  const [hovered, setHovered] = useState<Place | null>(null);
  const [arrived, setArrived] = useState(0);
  const key = JSON.stringify([base.capture, base.kind, base.layer, active, mask]);
  const loaded = useLoaded(short ? key : "", () =>
    Promise.all(active.map(async (head) => ({ head, matrix: await whole({ ...base, head }, mask) }))),
  );
  useLayoutEffect(() => {
    surface.current = new LinesSurface(container.current!);
    return () => surface.current?.dispose();
  }, []);
  const out = now.direction.value === "out";
  const chosen = selectedTokens.value.map((index): Place => ({ side: out ? "query" : "key", index }));
  const focus = hovered ?? chosen[0] ?? null;
  const every = useMemo(() => (loaded.value ? allEdges(loaded.value, info) : []), [
    loaded.value, now.threshold.value, now.segments.value, dark.value,
  ]);
  const model = useMemo<LinesModel>(() => {
    const queries = queryNames.value;
    const keys = keyNames.value;
    const redraw = () => setArrived((count) => count + 1);
    const parts = focus ? focusParts(focus, active, base, mask, info, redraw) : { edges: every, shades: [] };
    return { queries, keys, ...parts, focus, chosen };
  }, [every, JSON.stringify([focus, chosen, key]), arrived, now.segments.value]);
  useLayoutEffect(() => {
    surface.current?.show(model);
    if (focus) (hovered ? hint : say)(tell(focus, model));
    else hint("");
  }, [model]);
  useLinesExport(model, base.layer, active);

  const onKey = (event: KeyboardEvent) => {
    const index = moveByKey(event, chosen[0] ?? { side: "query", index: -1 }, info);
    if (index !== null) surface.current?.reveal(index);
  };
  const at = (event: MouseEvent) => surface.current?.tokenAt(event.clientX, event.clientY) ?? null;
  return (
    <ViewFrame view="lines" controls={<Controls pair={querySequence.value!.segments.some(Boolean)} />}>
      <HeadTiles info={info} active={active} />
      {!short && !focus && <p class="advice">{t("linesLong")}</p>}
      <Failure error={loaded.error} />
      <div
        ref={container} class="canvas scrolling" role="application" tabIndex={0}
        aria-label={t("linesLabel", { heads: active.join(", ") })} onKeyDown={onKey}
        onPointerMove={(event) => {
          const place = at(event);
          if (place?.side !== hovered?.side || place?.index !== hovered?.index) setHovered(place);
        }}
        onPointerLeave={() => setHovered(null)}
        onClick={(event) => {
          const place = at(event);
          if (place) select(place, chosen);
        }}
      />
    </ViewFrame>
  );
}
