// Two heads, layers, texts or masks side by side, and the difference.
import { useMemo, useState } from "preact/hooks";
import { Failure, maskErrorText, Notice, Segmented, Select, Stepper } from "../components/controls";
import { useLoaded } from "../components/loading";
import { MatrixCanvas } from "../components/matrix_canvas";
import { frameText, OtherFrame } from "../components/film_bar";
import { ReadingNote } from "../components/reading_note";
import { ViewFrame } from "../components/view_frame";
import { differenceEntry, modelOf, pixelsOf, weightEntry } from "../canvas/matrix_model";
import type { Cell, MatrixModel } from "../canvas/matrix_model";
import { matrixTable } from "../exports/csv";
import { differenceBar, runFrame, weightBar } from "../exports/frame";
import { pictureColours, pictureDifferenceColours } from "../exports/light";
import { arrange, matrixPanel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { differenceOf, otherRun } from "../core/comparison";
import type { Difference } from "../core/comparison";
import { otherFrame } from "../core/film";
import { frameId, runOf } from "../core/film_frames";
import { t } from "../core/language";
import { Mask } from "../core/mask";
import { parseMask } from "../core/mask_expression";
import type { MaskTree } from "../core/mask_expression";
import { shortText, weightText } from "../core/numbers";
import { hint } from "../core/readout";
import { activeMask, address, canChange, capture, captures, change, colours, differenceColours, film, isChanged, kindInfo, modelMask, namesOf, now, readMask, runChange, showsPassed, source } from "../core/state";
import { chooseOther, runName } from "../core/runs";
import { placed } from "../core/tokens";
import { fitsWhole, infoOf, whole } from "../core/weights";
import { noChange, variantName } from "../core/whatif";
import type { Capture, HeadAddress, Matrix, Side } from "../data/types";

const cellsAcross = 384;

interface SideOf {
  head: HeadAddress;
  mask: string;
  title: string; // which head of which run, and its mask
}

interface Shown {
  matrix: Matrix;
  mask: Mask | null; // what is hidden; null: nothing, or a long text
  run: Capture;
  queries: string[];
  keys: string[];
  cells: { rows: number[]; columns: number[] } | null; // of a long text: where each cell begins
}

// "L1 H4 · minilm: The quick brown fox"; with the mask that was put on it.
function titleOf(head: HeadAddress, mask: string): string {
  const run = runOf(captures.value, head.capture)!;
  const frame = Number(/x(\d+)$/.exec(head.capture)?.[1]);
  return [`L${head.layer} H${head.head}`, run.film ? frameText(film.value!, frame) : runName(run), mask].filter(Boolean).join(" · ");
}

function secondSide(first: HeadAddress): SideOf | null {
  const by = now.comparing.value;
  const mask = activeMask.value;
  if (by === "texts") {
    const other = otherRun(captures.value, capture.value!, now.otherCapture.value);
    const info = other?.kinds.find(({ kind }) => kind === first.kind) ?? other?.kinds[0];
    if (!other || !info) return null;
    const head = first.head === "mean" ? first.head : Math.min(first.head, info.heads - 1);
    const same = { capture: variantName(other.id, noChange, showsPassed.value), kind: info.kind, layer: Math.min(first.layer, info.layers - 1), head };
    return { head: same, mask: "", title: titleOf(same, "") };
  }
  if (by === "frames" && film.value) {
    const same = { ...first, capture: frameId(capture.value!.id, otherFrame.value) };
    return { head: same, mask, title: titleOf(same, mask) };
  }
  if (by === "changed") {
    if (!isChanged.value) return null;
    const after = { ...first, capture: variantName(capture.value!.id, runChange.value, showsPassed.value) };
    return { head: after, mask, title: `${titleOf(after, mask)} · ${t("afterShort")}` };
  }
  const info = kindInfo.value!;
  if (by === "masks") {
    const fits = readMask(now.otherMask.value, info.queries, info.keys).tree !== null;
    const own = fits ? now.otherMask.value : "";
    return { head: first, mask: own, title: titleOf(first, own || "none") };
  }
  const chosen = now.otherHead.value;
  const head = { ...first, layer: Math.min(now.otherLayer.value, info.layers - 1), head: chosen === "mean" ? chosen : Math.min(chosen, info.heads - 1) };
  return { head, mask, title: titleOf(head, mask) };
}

function firstSide(head: HeadAddress, mask: string): SideOf {
  if (now.comparing.value !== "changed" || !isChanged.value) return { head, mask, title: titleOf(head, mask) };
  const before = { ...head, capture: variantName(capture.value!.id, noChange, showsPassed.value) };
  return { head: before, mask, title: `${titleOf(before, mask)} · ${t("beforeShort")}` };
}

// How alike the vectors are that an encoder makes of the two texts.
function CosineFact(props: { other: Capture }) {
  const of = capture.value!;
  const encodes = ({ predicts }: Capture) => predicts === "vector" || predicts === "masked";
  const both = canChange.value && encodes(of) && encodes(props.other) && of.model === props.other.model;
  const name = variantName(of.id, { ...runChange.value, hide: "", visible: "" }, false);
  const cosine = useLoaded(both ? `${name}|${props.other.id}` : "", () => source.value!.cosine(name, props.other.id));
  if (!both || !cosine.value) return null;
  const { cosine: now, before } = cosine.value;
  return (
    <div class="cosine"><dt>{t("cosineTexts")}</dt><dd>{now.toFixed(4)}{before !== undefined && <small> ({t("cosineBefore")} {before.toFixed(4)})</small>}</dd></div>
  );
}

async function load(side: SideOf): Promise<Shown> {
  const info = infoOf(side.head);
  const run = runOf(captures.peek(), side.head.capture)!;
  const named = (which: Side) => namesOf(run, which);
  if (fitsWhole(info)) {
    const own = modelMask(info, side.head.layer);
    const tree: MaskTree = side.mask ? { type: "and", left: own, right: parseMask(side.mask) } : own;
    const mask = tree.type === "none" ? null : new Mask(tree, info.queries, info.keys);
    return { matrix: await whole(side.head, side.mask), mask, run, cells: null, queries: named(info.query_side), keys: named(info.key_side) };
  }
  const matrix = (await source.peek()!.cells(side.head, cellsAcross, side.mask)).mean;
  const begins = (count: number, all: number) => Array.from({ length: count }, (_, i) => Math.floor((i * all) / count));
  const [rows, columns] = [begins(matrix.rows, info.queries), begins(matrix.columns, info.keys)];
  const [queries, keys] = [named(info.query_side), named(info.key_side)];
  return {
    matrix, mask: null, run, cells: { rows, columns },
    queries: rows.map((i) => placed(queries[i], i)), keys: columns.map((j) => placed(keys[j], j)),
  };
}

function Choices(props: { first: HeadAddress }) {
  const info = kindInfo.value!;
  const by = now.comparing.value;
  const others = captures.value.filter((one) => one !== runOf(captures.value, props.first.capture));
  const other = otherRun(captures.value, capture.value!, now.otherCapture.value);
  const chosen = now.otherHead.value;
  const error = by === "masks" ? readMask(now.otherMask.value, info.queries, info.keys).error : null;
  return (
    <>
      <Segmented
        label={t("compareBy")} value={by} onChange={(comparing) => change({ comparing })}
        choices={[{ value: "heads", label: t("byHeads") }, { value: "texts", label: t("byTexts") }, { value: "masks", label: t("byMasks") }, ...(isChanged.value || by === "changed" ? [{ value: "changed" as const, label: t("byChange") }] : []), ...(film.value ? [{ value: "frames" as const, label: t("byFrames") }] : [])]}
      />
      {by === "frames" && film.value && <OtherFrame film={film.value} />}
      {by === "heads" && (
        <>
          <Stepper label={`B ${t("layer")}`} value={Math.min(now.otherLayer.value, info.layers - 1)} count={info.layers} onChange={(otherLayer) => change({ otherLayer })} />
          <Stepper label={`B ${t("head")}`} value={chosen === "mean" ? 0 : Math.min(chosen, info.heads - 1)} text={chosen === "mean" ? t("mean") : undefined} count={info.heads} onChange={(otherHead) => change({ otherHead })} />
          <button type="button" aria-pressed={chosen === "mean"} onClick={() => change({ otherHead: chosen === "mean" ? 0 : "mean" })}>{t("mean")}</button>
        </>
      )}
      {by === "texts" && others.length > 0 && (
        <Select
          label="B" value={other?.id ?? ""} onChange={chooseOther}
          choices={[...(other ? [] : [{ value: "", label: t("chooseRun") }]), ...others.map((one) => ({ value: one.id, label: runName(one) }))]}
        />
      )}
      {by === "masks" && (
        <label class="field">
          <span>B {t("mask")}</span>
          <input type="text" class="code" value={now.otherMask.value} spellcheck={false} aria-invalid={error !== null} onInput={(event) => change({ otherMask: event.currentTarget.value }, true)} />
        </label>
      )}
      {error && <span class="advice error">{maskErrorText(error)}</span>}
    </>
  );
}

function Facts(props: { difference: Difference }) {
  const { largest, mean, divergence } = props.difference;
  return (
    <dl class="facts">
      <div><dt>{t("largestDifference")}</dt><dd>{shortText(largest)}</dd></div>
      <div><dt>{t("meanDifference")}</dt><dd>{shortText(mean)}</dd></div>
      <div><dt>{t("divergence")}</dt><dd>{shortText(divergence)}</dd></div>
    </dl>
  );
}

function useCompareExport(a: Shown | null, b: Shown | null, difference: Difference | null, titles: [string, string]) {
  useExport(a && b ? {
    name: "compare",
    frame: () => ({ ...runFrame(weightBar()), bars: difference ? [weightBar(), differenceBar(difference.largest)] : [weightBar()] }),
    figure: () => {
      const panel = (title: string, shown: Shown) => {
        const pixels = pixelsOf(shown.matrix, pictureColours(), weightEntry(shown.matrix, now.range.peek()));
        return matrixPanel({ title, rows: shown.matrix.rows, columns: shown.matrix.columns, rowLabels: shown.queries, columnLabels: shown.keys, rowTitle: t("axisQuery"), columnTitle: t("axisKey"), pixel: (i, j) => pixels[i * shown.matrix.columns + j] });
      };
      const panels = [panel(`A ${titles[0]}`, a), panel(`B ${titles[1]}`, b)];
      if (difference) {
        const { matrix } = difference;
        const pixels = pixelsOf(matrix, pictureDifferenceColours(), differenceEntry(difference.largest));
        panels.push(matrixPanel({ title: "B − A", rows: matrix.rows, columns: matrix.columns, rowLabels: a.queries, columnLabels: a.keys, rowTitle: t("axisQuery"), columnTitle: t("axisKey"), pixel: (i, j) => pixels[i * matrix.columns + j] }));
      }
      return arrange(panels);
    },
    table: () => {
      const { matrix } = difference ?? a;
      return matrixTable(a.queries, a.keys, (i, j) => matrix.data[i * matrix.columns + j]);
    },
    json: () => ({ titles, a: a.matrix, b: b.matrix, difference }),
    arrays: () => ({
      a: { shape: [a.matrix.rows, a.matrix.columns], data: a.matrix.data },
      b: { shape: [b.matrix.rows, b.matrix.columns], data: b.matrix.data },
      ...(difference ? { difference: { shape: [a.matrix.rows, a.matrix.columns], data: difference.matrix.data } } : {}),
    }),
  } : null);
}

const extentOf = ({ matrix }: Shown) => `${matrix.rows} × ${matrix.columns}`;

// What is under the pointer, in each of the two: a weight, hidden, or nothing.
function reading({ row: i, column: j }: Cell, a: Shown, b: Shown | null): string {
  const weight = (shown: Shown | null) => {
    if (!shown || i >= shown.matrix.rows || j >= shown.matrix.columns) return null;
    return shown.mask?.row(i)[j] === 0 ? NaN : shown.matrix.data[i * shown.matrix.columns + j];
  };
  const text = (value: number | null) => (value === null ? "–" : Number.isNaN(value) ? t("hidden") : weightText(value));
  const [x, y] = [weight(a), weight(b)];
  const name = (names: string[], at: number) => (a.cells ? `${names[at] ?? ""} …` : placed(names[at] ?? "", at));
  const difference = x !== null && y !== null ? ` · B − A ${shortText((y || 0) - (x || 0))}` : "";
  return `${name(a.queries, i)} → ${name(a.keys, j)}: A ${text(x)} · B ${text(y)}${difference}`;
}

export function CompareView() {
  const head = address.value!;
  const mask = now.comparing.value === "texts" ? "" : activeMask.value;
  const first = firstSide(head, mask);
  const second = secondSide(head);
  const a = useLoaded(JSON.stringify(first), () => load(first));
  const b = useLoaded(second ? JSON.stringify(second) : "", () => load(second!));
  const difference = useMemo(() => (a.value && b.value ? differenceOf(a.value.matrix, b.value.matrix) : null), [a.value, b.value]);
  const [hovered, setHovered] = useState<Cell | null>(null);
  const table = colours.value;
  const range = now.range.value;
  const weightModel = (shown: Shown | null): MatrixModel | null => {
    if (!shown) return null;
    const model = modelOf(shown.matrix, shown.queries, shown.keys, table, weightEntry(shown.matrix, range), (value) => value.toFixed(3));
    const { mask } = shown;
    if (mask) model.visible = (i) => mask.row(i);
    model.numbered = !shown.cells;
    return model;
  };
  const modelA = useMemo(() => weightModel(a.value), [a.value, table, range]);
  const modelB = useMemo(() => weightModel(b.value), [b.value, table, range]);
  const reds = differenceColours.value;
  const modelD = useMemo(() => {
    if (!difference || !a.value) return null;
    const model = modelOf(difference.matrix, a.value.queries, a.value.keys, reds, differenceEntry(difference.largest), (value) => value.toFixed(3));
    model.numbered = !a.value.cells;
    return model;
  }, [difference, reds]);
  useCompareExport(a.value, b.value, difference, [first.title, second?.title ?? ""]);
  const onHover = (cell: Cell | null) => {
    setHovered(cell);
    if (!cell || !a.value) return hint("");
    hint(reading(cell, a.value, b.value));
  };
  const select = ({ row: i, column: j }: Cell) => {
    const cells = a.value?.cells;
    change({ tokens: [cells ? cells.rows[i] : i], key: cells ? cells.columns[j] : j, direction: "out" });
  };
  const figure = (title: string, about: string, model: MatrixModel | null) => (
    <figure>
      <figcaption><b>{title}</b> {about}</figcaption>
      <MatrixCanvas model={model} class="square" label={`${title} ${about}`} hovered={hovered} onHover={onHover} onSelect={select} />
    </figure>
  );
  return (
    <ViewFrame view="compare" controls={<Choices first={head} />}>
      <Failure error={a.error ?? b.error} />
      {!second && <Notice>{t(now.comparing.value === "changed" ? "nothingChanged" : captures.value.length > 1 ? "chooseB" : "oneCapture")}</Notice>}
      {second && b.value && b.value.run !== a.value?.run && <ReadingNote of={b.value.run} name="B" />}
      {a.value?.cells && <p class="advice">{t("compareCells", { rows: a.value.matrix.rows, columns: a.value.matrix.columns })}</p>}
      {difference && <Facts difference={difference} />}
      {now.comparing.value === "texts" && b.value && <dl class="facts"><CosineFact other={b.value.run} /></dl>}
      {difference?.largest === 0 && <Notice>{t("identical")}</Notice>}
      {a.value && b.value && !difference && <Notice>{t("shapesDiffer", { a: extentOf(a.value), b: extentOf(b.value) })}</Notice>}
      <div class="side-by-side">
        {figure("A", first.title, modelA)}
        {second && figure("B", second.title, modelB)}
        {modelD && figure("B − A", `± ${shortText(difference!.largest)}`, modelD)}
      </div>
    </ViewFrame>
  );
}
