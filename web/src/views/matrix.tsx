// Queries × keys of one head: the whole of it while that is small, else cells of many weights and crops.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Failure } from "../components/controls";
import { hiddenOfRow, LensButtons, lensNotes } from "../components/lens_tools";
import { useLoaded, useNeighbours } from "../components/loading";
import { MatrixCanvas } from "../components/matrix_canvas";
import { ViewFrame } from "../components/view_frame";
import { modelOf, pictureOf, pixelsOf, weightEntry, wholeCrop } from "../canvas/matrix_model";
import type { Cell, MarginBars, MatrixModel } from "../canvas/matrix_model";
import { matrixTable } from "../exports/csv";
import { pictureColours } from "../exports/light";
import { arrange, matrixPanel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { language, t } from "../core/language";
import { percentText, weightText, wholeText } from "../core/numbers";
import { maximumOf, rankOf } from "../core/ranking";
import { hint, say } from "../core/readout";
import {
  activeMask, address, change, colours, kindInfo, now, selectedTokens, source,
} from "../core/state";
import { axes, lens, pictureRow, shownMatrix, shownVisibility } from "../core/shown";
import { placed } from "../core/tokens";
import { cropOf, fitsWhole, statisticsOf, whole } from "../core/weights";
import type { RowStatistics } from "../data/source";
import type { Crop, HeadAddress, Matrix } from "../data/types";

const cellsAcross = 768; // of a long matrix
const largestCrop = 1024 * 1024;

function bars(values: Float32Array, title: string): MarginBars {
  return { values, maximum: maximumOf(values), title };
}

function cellName({ row: i, column: j }: Cell): string {
  const { queries, keys, queryAt, keyAt } = axes.peek();
  return `${placed(queries[i], queryAt[i])} → ${placed(keys[j], keyAt[j])}`;
}

// "fox 4 → dog 9: 0.1234 (12.3 %), rank 2 of 12", from the whole row. Hidden keys have no rank.
function reading(cell: Cell, values: Float32Array): string {
  const visible = shownVisibility.peek()?.(cell.row);
  if (visible?.[cell.column] === 0) return `${cellName(cell)}: ${t("hidden")}`;
  const weight = values[cell.column];
  const count = visible ? visible.reduce((sum, one) => sum + one, 0) : values.length;
  const rank = t("rank", { rank: rankOf(values, cell.column), count });
  return `${cellName(cell)}: ${weightText(weight)} (${percentText(weight)}), ${rank}`;
}

// Of a long text: what is known of the crop on the screen. Hovering fetches nothing.
function readingOfCrop(cell: Cell, detail: Detail): string {
  if (shownVisibility.peek()?.(cell.row)[cell.column] === 0) return `${cellName(cell)}: ${t("hidden")}`;
  const weight = valueIn(detail, cell.row, cell.column);
  return `${cellName(cell)}: ${weight === null ? t("zoomIn") : `${weightText(weight)} (${percentText(weight)})`}`;
}

interface Parts {
  matrix: Matrix | null; // all weights, of a short text
  cells: Matrix | null; // largest weight of each cell, of a long one
  statistics: RowStatistics | null; // of a long one
}

// Entropy and received attention: of short texts computed here, after the matrix is on the screen.
function useStatistics(parts: Parts | null): RowStatistics | null {
  const [known, setKnown] = useState<{ of: Matrix; statistics: RowStatistics } | null>(null);
  const matrix = parts?.matrix;
  useEffect(() => {
    if (matrix) setKnown({ of: matrix, statistics: statisticsOf(matrix) });
  }, [matrix]);
  return matrix ? (known?.of === matrix ? known.statistics : null) : (parts?.statistics ?? null);
}

async function load(head: HeadAddress, mask: string, short: boolean): Promise<Parts> {
  if (short) {
    return { matrix: await whole(head, mask), cells: null, statistics: null };
  }
  const from = source.peek()!;
  const [cells, statistics] = await Promise.all([
    from.cells(head, cellsAcross, mask),
    mask ? null : from.rows(head).catch(() => null),
  ]);
  return { matrix: null, cells: cells.max, statistics };
}

// The crop on the screen, fetched when it stands still and is small enough.
function useDetail(head: HeadAddress, mask: string, wanted: boolean) {
  const [shown, setShown] = useState<Crop | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onViewport = (crop: Crop) => {
    if (!wanted) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      const cells = (crop.rowEnd - crop.rowBegin) * (crop.keyEnd - crop.keyBegin);
      const next = cells <= largestCrop ? crop : null;
      setShown((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    }, 120);
  };
  const key = wanted && shown ? `${JSON.stringify([head, shown])}${mask}` : "";
  const detail = useLoaded(key, async () => ({ crop: shown!, matrix: await cropOf(head, shown!, mask) }));
  return { detail: detail.key === key ? detail.value : null, onViewport };
}

type Detail = { crop: Crop; matrix: Matrix } | null;

function valueIn(detail: Detail, i: number, j: number): number | null {
  if (!detail) return null;
  const { crop, matrix } = detail;
  const inside = i >= crop.rowBegin && i < crop.rowEnd && j >= crop.keyBegin && j < crop.keyEnd;
  return inside ? matrix.data[(i - crop.rowBegin) * matrix.columns + j - crop.keyBegin] : null;
}

function longModel(cells: Matrix, detail: Detail, rowLabels: string[], columnLabels: string[]): MatrixModel {
  const table = colours.value;
  const range = now.range.value;
  const covers = wholeCrop(rowLabels.length, columnLabels.length);
  const pictures = [pictureOf(cells, table, weightEntry(cells, range), covers)];
  const entry = detail ? weightEntry(detail.matrix, range) : null;
  if (detail && entry) pictures.push(pictureOf(detail.matrix, table, entry, detail.crop));
  return {
    rows: rowLabels.length, columns: columnLabels.length, rowLabels, columnLabels, numbered: true, pictures,
    number: (i, j) => {
      const value = valueIn(detail, i, j);
      if (value === null || !entry || !detail) return null;
      return { text: value.toFixed(3), darkText: table.darkText[entry(value, i - detail.crop.rowBegin)] };
    },
    visible: null, emptyRows: [], right: null, bottom: null,
  };
}

function useModel(parts: Parts | null, detail: Detail, statistics: RowStatistics | null): MatrixModel | null {
  const { queries: rowLabels, keys: columnLabels } = axes.value;
  const table = colours.value;
  const range = now.range.value;
  const visible = shownVisibility.value;
  const base = useMemo(() => {
    if (!parts) return null;
    const matrix = parts.matrix;
    if (matrix && (matrix.rows !== rowLabels.length || matrix.columns !== columnLabels.length)) return null;
    const model = matrix
      ? modelOf(matrix, rowLabels, columnLabels, table, weightEntry(matrix, range), (value) => value.toFixed(3))
      : longModel(parts.cells!, detail, rowLabels, columnLabels);
    model.visible = visible;
    return model;
  }, [parts, detail, rowLabels, columnLabels, table, range, visible]);
  return useMemo(() => {
    const empty = new Float32Array(0); // room for the margins is kept while they are computed
    return base && {
      ...base,
      right: bars(statistics?.entropy ?? empty, t("entropy")),
      bottom: bars(statistics?.received ?? empty, t("received")),
    };
  }, [base, statistics, language.value]);
}

function useMatrixExport(head: HeadAddress, parts: Parts | null) {
  const matrix = parts?.matrix ?? parts?.cells ?? null;
  const short = parts?.matrix !== null;
  const rows = short ? axes.value.queries : [];
  const keys = short ? axes.value.keys : [];
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => String(i));
  useExport(matrix && {
    name: `matrix-L${head.layer}-H${head.head}`,
    figure: () => {
      const table = pictureColours();
      const seen = short ? shownVisibility.peek() : null;
      const pixels = pixelsOf(matrix, table, weightEntry(matrix, now.range.peek()));
      const entry = weightEntry(matrix, now.range.peek());
      return arrange([matrixPanel({
        title: `L${head.layer} H${head.head}`, rows: matrix.rows, columns: matrix.columns, rowLabels: rows, columnLabels: keys,
        rowTitle: t("axisQuery"), columnTitle: t("axisKey"),
        pixel: (i, j) => pixels[i * matrix.columns + j],
        value: (i, j) => (seen?.(i)[j] === 0 ? "" : matrix.data[i * matrix.columns + j].toFixed(3)),
        darkText: (i, j) => table.darkText[entry(matrix.data[i * matrix.columns + j], i)],
      })]);
    },
    table: () => matrixTable(rows.length ? rows : numbered(matrix.rows), keys.length ? keys : numbered(matrix.columns),
      (i, j) => matrix.data[i * matrix.columns + j]),
    json: () => ({ ...head, notes: lensNotes("matrix"), queries: rows, keys, shape: [matrix.rows, matrix.columns], weights: matrix.data }),
    arrays: () => ({
      [short ? "weights" : "largest_weight_of_cells"]: { shape: [matrix.rows, matrix.columns], data: matrix.data },
      queries: rows, keys,
    }),
  });
}

export function MatrixView() {
  const head = address.value!;
  const info = kindInfo.value!;
  const mask = activeMask.value;
  const short = fitsWhole(info);
  const loaded = useLoaded(`${JSON.stringify(head)}${mask}`, () => load(head, mask, short));
  const raw = loaded.value?.matrix;
  const through = lens.value;
  // Through the lens only what has its extents: for a moment the last run's matrix may still be here.
  const fits = !through || (raw?.rows === through.queryCount && raw.columns === through.keyCount);
  const parts = useMemo(
    () => ({ ...loaded, value: loaded.value && raw ? (fits ? { ...loaded.value, matrix: shownMatrix(raw, through) } : null) : loaded.value }),
    [loaded, raw, through, fits],
  );
  useNeighbours(head, raw != null);
  const { detail, onViewport } = useDetail(head, mask, !short);
  const measured = useStatistics(parts.value);
  const model = useModel(parts.value, detail, measured);
  useMatrixExport(head, parts.value);
  const out = now.direction.value === "out";
  const { rowOf, columnOf, queryAt, keyAt } = axes.value;
  const first = out ? rowOf(selectedTokens.value[0] ?? -1) : -1;
  const key = columnOf(out ? now.key.value : (selectedTokens.value[0] ?? -1));
  const selected = first >= 0 || key >= 0 ? { row: first, column: key } : null;
  useEffect(() => {
    if (!selected || selected.row < 0 || selected.column < 0) return;
    let here = true;
    const tell = (values: Float32Array) => here && say(reading(selected, values));
    void Promise.resolve(pictureRow(head, selected.row, mask, through)).then(tell, () => undefined);
    return () => void (here = false);
  }, [JSON.stringify([selected, head, mask]), through]);
  return (
    <ViewFrame view="matrix" controls={<><LensButtons /><span class="advice">{t("matrixAdvice")}</span></>}>
      <Failure error={parts.error} />
      <MatrixCanvas
        model={model} zoomable class="tall" selected={selected} onViewport={onViewport}
        label={t("matrixLabel", { rows: axes.value.queries.length, columns: axes.value.keys.length })}
        onHover={(cell) => {
          if (!cell) return hint("");
          const more = measured ? ` · ${t("entropy")} ${measured.entropy[cell.row]?.toFixed(3)} · ${t("received")} ${measured.received[cell.column]?.toFixed(3)}` : "";
          const values = short ? pictureRow(head, cell.row, mask, through) : null;
          hint((values instanceof Float32Array ? reading(cell, values) : readingOfCrop(cell, detail)) + more + hiddenOfRow(raw, cell.row));
        }}
        onSelect={(cell) => change({ tokens: [queryAt[cell.row]], key: keyAt[cell.column], direction: "out" })}
      />
      <p class="below">
        {wholeText(axes.value.queries.length)} × {wholeText(axes.value.keys.length)}
        {!short && ` · ${t("cellsShown", { cells: cellsAcross })}`}
      </p>
    </ViewFrame>
  );
}
