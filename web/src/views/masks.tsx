// Build a mask, see what it leaves, and the attention before and after.
import { computed } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";
import { NumberField, Select } from "../components/controls";
import { useLoaded } from "../components/loading";
import { MaskBuilder, printTerms, termsOf } from "../components/mask_builder";
import { MatrixCanvas } from "../components/matrix_canvas";
import { ViewFrame } from "../components/view_frame";
import { modelOf, pictureOf, pixelsOf, weightEntry, wholeCrop } from "../canvas/matrix_model";
import type { Cell, MatrixModel } from "../canvas/matrix_model";
import { matrixTable } from "../exports/csv";
import { pictureColours } from "../exports/light";
import { arrange, matrixPanel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { t } from "../core/language";
import { Mask, tileSize } from "../core/mask";
import type { MaskSummary } from "../core/mask";
import { parseMask } from "../core/mask_expression";
import { percentText, weightText, wholeText } from "../core/numbers";
import { hint } from "../core/readout";
import { address, canChange, capture, change, colours, keyNames, keySequence, kindInfo, modelMask, now, queryNames, readMask, runChange, showsPassed, source } from "../core/state";
import { placed } from "../core/tokens";
import { fitsWhole, whole } from "../core/weights";
import { covers, placeName, variantName } from "../core/whatif";
import type { HeadAddress, Matrix } from "../data/types";

const cellsAcross = 512;
const visibleShade = 0.78; // of the colour table

interface Extent {
  n: number;
  m: number;
  queries: string[];
  keys: string[];
  segments: number[];
}

const largestSize = 512; // of a mask without a model

const numbers = computed(() => Array.from({ length: Math.min(now.size.value, largestSize) }, (_, i) => String(i)));

function extentNow(): Extent {
  const info = kindInfo.value;
  if (info) {
    return { n: info.queries, m: info.keys, queries: queryNames.value, keys: keyNames.value, segments: keySequence.value!.segments };
  }
  const names = numbers.value;
  return { n: names.length, m: names.length, queries: names, keys: names, segments: names.map(() => 0) };
}

// Share of visible pairs per cell; every pair for short texts.
function densityMatrix(mask: Mask): Matrix {
  const rows = Math.min(cellsAcross, mask.n);
  const columns = Math.min(cellsAcross, mask.m);
  const [seen, pairs] = [new Float32Array(rows * columns), new Float32Array(rows * columns)];
  const row = new Uint8Array(mask.m);
  for (let i = 0; i < mask.n; ++i) {
    mask.row(i, row);
    const r = Math.floor((i * rows) / mask.n) * columns;
    for (let j = 0; j < mask.m; ++j) {
      const cell = r + Math.floor((j * columns) / mask.m);
      seen[cell] += row[j];
      ++pairs[cell];
    }
  }
  return { rows, columns, data: seen.map((count, cell) => (count / pairs[cell]) * visibleShade) };
}

function maskModel(mask: Mask, summary: MaskSummary, extent: Extent): MatrixModel {
  const matrix = densityMatrix(mask);
  const entry = weightEntry(matrix, "unit");
  const exact = matrix.rows === mask.n && matrix.columns === mask.m;
  return {
    rows: mask.n, columns: mask.m, rowLabels: extent.queries, columnLabels: extent.keys, numbered: true,
    pictures: [pictureOf(matrix, colours.value, entry, wholeCrop(mask.n, mask.m))],
    number: (i, j) => ({ text: String(mask.row(i)[j]), darkText: colours.value.darkText[entry(matrix.data[i * mask.m + j], i)] }),
    visible: exact ? (i) => mask.row(i) : null,
    emptyRows: summary.rowsSeeingNothing, right: null, bottom: null,
  };
}

async function weightsOf(head: HeadAddress, mask: string, short: boolean): Promise<Matrix> {
  return short ? whole(head, mask) : (await source.peek()!.cells(head, cellsAcross, mask)).max;
}

function useWeightModel(head: HeadAddress | null, expression: string, mask: Mask | null, extent: Extent, offered: boolean) {
  const info = kindInfo.value;
  const short = info ? fitsWhole(info) : true;
  const key = head && offered ? JSON.stringify([head, expression]) : "";
  const loaded = useLoaded(key, () => weightsOf(head!, expression, short));
  const range = now.range.value;
  const table = colours.value;
  const model = useMemo(() => {
    const matrix = loaded.value;
    if (!matrix || !info) return null;
    const labels = [extent.queries, extent.keys] as const;
    if (short && (matrix.rows !== extent.n || matrix.columns !== extent.m)) return null;
    const made = modelOf(matrix, ...labels, table, weightEntry(matrix, range), (value) => value.toFixed(3));
    if (!short) {
      made.rows = extent.n;
      made.columns = extent.m;
      made.pictures = [pictureOf(matrix, table, weightEntry(matrix, range), wholeCrop(extent.n, extent.m))];
      made.number = () => null;
    } else if (mask) made.visible = (i) => mask.row(i);
    return made;
  }, [loaded.value, mask, range, table]);
  return { model, matrix: loaded.value, error: loaded.error };
}

function Summary(props: { summary: MaskSummary; queries: string[] }) {
  const { density, tiles, rowsSeeingNothing: empty } = props.summary;
  const all = tiles.empty + tiles.full + tiles.partial;
  const named = empty.slice(0, 12).map((i) => placed(props.queries[i], i)).join(", ");
  return (
    <dl class="facts">
      <div><dt>{t("density")}</dt><dd id="density">{percentText(density)}</dd></div>
      <div><dt>{t("tiles", { size: tileSize })}</dt><dd>{t("tileCounts", { empty: wholeText(tiles.empty), full: wholeText(tiles.full), partial: wholeText(tiles.partial) })}</dd></div>
      <div><dt>{t("tilesSkipped")}</dt><dd>{percentText(all ? tiles.empty / all : 0)}</dd></div>
      <div class={empty.length ? "warn" : ""}>
        <dt>{t("emptyRows")}</dt><dd id="empty-rows">{empty.length ? `∅ ${wholeText(empty.length)}: ${named}${empty.length > 12 ? " …" : ""}` : t("none")}</dd>
      </div>
    </dl>
  );
}

// Where the mask acts: in the picture of each head, as if it had been there alone, or in the run itself.
function ActsOn(props: { head: HeadAddress }) {
  const { kind, layer, head } = props.head;
  const run = capture.value!;
  const [one, row, all] = [head === "mean" ? "" : placeName(run, kind, layer, head), placeName(run, kind, layer, "*"), placeName(run, kind, "*", "*")];
  const chosen = now.maskAt.value;
  const choices = [
    { value: "", label: t("maskActs.pictures") },
    ...(one ? [{ value: one, label: t("maskActs.head", { head: `L${layer} H${head}` }) }] : []),
    { value: row, label: t("maskActs.layer", { layer }) },
    { value: all, label: t("maskActs.all") },
    ...([one, row, all, ""].includes(chosen) ? [] : [{ value: chosen, label: t("maskActs.other", { heads: chosen }) }]),
  ];
  return <Select label={t("maskActsOn")} value={chosen} choices={choices} onChange={(maskAt) => change({ maskAt, before: false })} />;
}

// The run without the mask, and with it where it acts in the run.
function runsAround(head: HeadAddress | null): { before: HeadAddress | null; after: HeadAddress | null } {
  if (!head || !runChange.value.hide) return { before: head, after: head };
  const run = capture.value!.id;
  const named = (change: typeof runChange.value) => ({ ...head, capture: variantName(run, change, showsPassed.value) });
  return { before: named({ ...runChange.value, hide: "", visible: "" }), after: named(runChange.value) };
}

// Dragging over cells changes whether they belong to the term made by hand.
function usePainting(extent: Extent) {
  const hiding = useRef(true);
  const paint = (cell: Cell, first: boolean) => {
    const terms = termsOf(now.mask.peek());
    if (!terms) return;
    const at = terms.findIndex((term) => term.leaf.type === "hand");
    const leaf = at < 0 ? null : terms[at].leaf;
    const cells = leaf?.type === "hand" ? leaf.cells : [];
    const isIn = cells.some(([i, j]) => i === cell.row && j === cell.column);
    if (first) hiding.current = !isIn;
    if (isIn === hiding.current) return;
    const changed: [number, number][] = hiding.current
      ? [...cells, [cell.row, cell.column]]
      : cells.filter(([i, j]) => i !== cell.row || j !== cell.column);
    const term = { join: "and" as const, negated: false, ...(at < 0 ? {} : terms[at]), leaf: { type: "hand" as const, cells: changed } };
    const mask = printTerms(at < 0 ? [...terms, term] : terms.map((old, other) => (other === at ? term : old)));
    change({ mask }, !first); // one stroke is one step
  };
  return extent.n * extent.m <= 512 * 512 ? paint : undefined;
}

function useMaskExport(mask: Mask, summary: MaskSummary, extent: Extent, before: Matrix | null, after: Matrix | null): void {
  const names = { rows: extent.queries, keys: extent.keys };
  const panel = (title: string, matrix: Matrix, range: "unit" | "row" | "log") => {
    const pixels = pixelsOf(matrix, pictureColours(), weightEntry(matrix, range));
    return matrixPanel({ title, rows: matrix.rows, columns: matrix.columns, rowLabels: names.rows, columnLabels: names.keys, rowTitle: t("axisQuery"), columnTitle: t("axisKey"), pixel: (i, j) => pixels[i * matrix.columns + j] });
  };
  useExport({
    name: "mask",
    figure: () => arrange([
      panel(now.mask.peek() || "none", densityMatrix(mask), "unit"),
      ...(before && after ? [panel(t("beforeMask"), before, now.range.peek()), panel(t("afterMask"), after, now.range.peek())] : []),
    ]),
    table: () => {
      const bits = mask.bits();
      return matrixTable(names.rows, names.keys, (i, j) => bits[i * mask.m + j]);
    },
    json: () => ({ expression: now.mask.peek(), n: mask.n, m: mask.m, ...summary, rows: Array.from({ length: mask.n }, (_, i) => mask.row(i).join("")) }),
    arrays: () => ({
      mask: { shape: [mask.n, mask.m], data: Float32Array.from(mask.bits()) },
      ...(after && fitsWhole(kindInfo.peek()!) ? { weights_after: { shape: [mask.n, mask.m], data: after.data } } : {}),
    }),
  });
}

export function MasksView() {
  const extent = extentNow();
  const head = address.value;
  const info = kindInfo.value;
  const expression = readMask(now.mask.value, extent.n, extent.m).tree ? now.mask.value : "";
  const [cursor, setCursor] = useState<Cell | null>(null);
  const paint = usePainting(extent);
  const layer = head?.layer ?? 0;
  const own = info ? modelMask(info, layer) : parseMask("none");
  const ownText = own.type === "none" ? "" : (info?.each_layer[layer]?.mask ?? "");
  const mask = useMemo(() => {
    const built = parseMask(expression || "none");
    return new Mask(own.type === "none" ? built : { type: "and", left: own, right: built }, extent.n, extent.m);
  }, [expression, ownText, extent.n, extent.m]);
  const ownMask = useMemo(() => (own.type === "none" ? null : new Mask(own, extent.n, extent.m)), [ownText, extent.n, extent.m]);
  const summary = useMemo(() => mask.summary(), [mask]);
  const table = colours.value;
  const picture = useMemo(() => maskModel(mask, summary, extent), [mask, summary, table, extent.queries, extent.keys]);
  const acts = runChange.value.hide;
  const runs = runsAround(head);
  const masked = !acts || (head !== null && covers(capture.value!, acts, head.kind, head.layer, head.head));
  const before = useWeightModel(runs.before, "", ownMask, extent, true);
  const after = useWeightModel(runs.after, acts ? "" : expression, masked ? mask : ownMask, extent, true);
  if (after.model) after.model.emptyRows = masked ? summary.rowsSeeingNothing : [];
  useMaskExport(mask, summary, extent, before.matrix, after.matrix);
  const pair = (cell: Cell) => `${placed(extent.queries[cell.row], cell.row)} → ${placed(extent.keys[cell.column], cell.column)}`;
  const value = (matrix: Matrix | null, cell: Cell) => (matrix && matrix.rows === extent.n ? weightText(matrix.data[cell.row * extent.m + cell.column]) : "");
  const onHover = (cell: Cell | null) =>
    hint(cell ? `${pair(cell)}: ${mask.row(cell.row)[cell.column] ? t("visible") : t("hidden")}${after.matrix ? ` · ${value(before.matrix, cell)} → ${value(after.matrix, cell)}` : ""}` : "");
  return (
    <ViewFrame view="masks" controls={!info && <NumberField label={t("tokens")} value={extent.n} least={1} largest={largestSize} onChange={(size) => change({ size }, true)} />}>
      <MaskBuilder expression={now.mask.value} n={extent.n} m={extent.m} keys={extent.keys} segments={extent.segments} onChange={(text, typed) => change({ mask: text }, typed)} />
      {head && canChange.value && <ActsOn head={head} />}
      {ownText && <p class="advice">{t("withOwnMask", { mask: ownText })}</p>}
      <Summary summary={summary} queries={extent.queries} />
      <div class="side-by-side">
        <figure>
          <figcaption><b>{t("mask")}</b> {paint && <span>{t("paintAdvice")}</span>}</figcaption>
          <MatrixCanvas
            model={picture} class={paint ? "square paintable" : "square"} label={t("maskLabel", { rows: extent.n, columns: extent.m })}
            selected={cursor} onSelect={setCursor} onPaint={paint} onHover={onHover}
          />
        </figure>
        {head && (
          <>
            <figure>
              <figcaption><b>{t("beforeMask")}</b> L{head.layer} H{head.head}</figcaption>
              <MatrixCanvas model={before.model} class="square" label={t("beforeMask")} onHover={onHover} />
            </figure>
            <figure>
              <figcaption><b>{t("afterMask")}</b> <code title={expression}>{expression || t("none")}</code></figcaption>
              <MatrixCanvas model={after.model} class="square" label={t("afterMask")} onHover={onHover} />
            </figure>
          </>
        )}
      </div>
      {head && <p class="below">{acts ? t("maskWentThrough", { heads: acts }) : t("maskExact")}</p>}
    </ViewFrame>
  );
}
