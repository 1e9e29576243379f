// Rollout over the layers beside raw attention: where the information at one position comes from.
import { useMemo, useState } from "preact/hooks";
import { Failure, Notice } from "../components/controls";
import { useLoaded } from "../components/loading";
import { MatrixCanvas } from "../components/matrix_canvas";
import { FlowPaths } from "../components/flow_paths";
import { ViewFrame } from "../components/view_frame";
import { modelOf, pixelsOf, weightEntry } from "../canvas/matrix_model";
import type { Cell } from "../canvas/matrix_model";
import { matrixTable } from "../exports/csv";
import { arrange, matrixPanel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { t } from "../core/language";
import { weightText } from "../core/numbers";
import { hint } from "../core/readout";
import { address, change, colours, kindInfo, now, queryNames, selectedTokens, source } from "../core/state";
import { row, whole } from "../core/weights";
import type { HeadAddress, KindInfo, Matrix } from "../data/types";

const largestRollout = 512;

interface FlowOf {
  raw: Matrix; // [L, N]: mean attention of the query in each layer
  rollout: Matrix; // [L, N], or [1, N] for long texts: of the last layer only
}

async function load(base: HeadAddress, info: KindInfo, query: number): Promise<FlowOf> {
  const n = info.keys;
  const from = source.peek()!;
  const layers = Array.from({ length: info.layers }, (_, layer) => layer);
  const rows = await Promise.all(layers.map((layer) => row({ ...base, layer, head: "mean" }, query, "")));
  const raw = { rows: info.layers, columns: n, data: new Float32Array(info.layers * n) };
  rows.forEach((values, layer) => raw.data.set(values, layer * n));
  if (n > largestRollout) {
    return { raw, rollout: { rows: 1, columns: n, data: await from.rolloutRow(base.capture, base.kind, query) } };
  }
  const whole = await from.rollout(base.capture, base.kind);
  const rollout = { rows: whole.layers, columns: n, data: new Float32Array(whole.layers * n) };
  layers.forEach((layer) => {
    const begin = (layer * n + query) * n;
    rollout.data.set(whole.data.subarray(begin, begin + n), layer * n);
  });
  return { raw, rollout };
}

const layerNames = (matrix: Matrix, info: KindInfo) =>
  matrix.rows === 1 ? [`L${info.layers - 1}`] : Array.from({ length: matrix.rows }, (_, layer) => `L${layer}`);

function useStrip(matrix: Matrix | null, info: KindInfo, tokens: string[]) {
  const table = colours.value;
  const range = now.range.value;
  return useMemo(
    () => (matrix && matrix.columns === tokens.length ? modelOf(matrix, layerNames(matrix, info), tokens, table, weightEntry(matrix, range), (value) => value.toFixed(3)) : null),
    [matrix, table, range, tokens.length],
  );
}

// Of the chosen layer: every position's raw attention, and its rollout.
function LayerMatrices(props: { base: HeadAddress; tokens: string[] }) {
  const { base, tokens } = props;
  const n = tokens.length;
  const few = n <= largestRollout;
  const raw = useLoaded(few ? JSON.stringify([base.capture, base.kind, base.layer]) : "", () => whole({ ...base, head: "mean" }, ""));
  const all = useLoaded(few ? JSON.stringify([base.capture, base.kind]) : "", () => source.peek()!.rollout(base.capture, base.kind));
  const rollout = useMemo<Matrix | null>(
    () => all.value && { rows: n, columns: n, data: all.value.data.subarray(base.layer * n * n, (base.layer + 1) * n * n) },
    [all.value, base.layer],
  );
  const table = colours.value;
  const range = now.range.value;
  const model = (matrix: Matrix | null) =>
    matrix && matrix.columns === n ? modelOf(matrix, tokens, tokens, table, weightEntry(matrix, range), (value) => value.toFixed(3)) : null;
  const rawModel = useMemo(() => model(raw.value), [raw.value, table, range]);
  const rolloutModel = useMemo(() => model(rollout), [rollout, table, range]);
  const [hovered, setHovered] = useState<Cell | null>(null);
  if (!few) return null;
  const onHover = (cell: Cell | null) => {
    setHovered(cell);
    if (!cell || !raw.value || !rollout) return hint("");
    const at = cell.row * n + cell.column;
    hint(`L${base.layer} · ${tokens[cell.row]} ${cell.row} → ${tokens[cell.column]} ${cell.column}: ${t("rawAttention")} ${weightText(raw.value.data[at])} · ${t("rollout")} ${weightText(rollout.data[at])}`);
  };
  const select = (cell: Cell) => change({ tokens: [cell.row], direction: "out", key: -1 });
  const figure = (title: string, shown: typeof rawModel) => (
    <figure>
      <figcaption><b>{title}</b> L{base.layer}</figcaption>
      <MatrixCanvas model={shown} class="square" label={`${title} L${base.layer}`} hovered={hovered} onHover={onHover} onSelect={select} />
    </figure>
  );
  return <div class="side-by-side">{figure(t("rawAttention"), rawModel)}{figure(t("rollout"), rolloutModel)}</div>;
}

export function FlowView() {
  const info = kindInfo.value!;
  const base = address.value!;
  const self = info.query_side === info.key_side && info.queries === info.keys;
  const tokens = queryNames.value;
  const query = now.direction.value === "out" ? (selectedTokens.value[0] ?? 0) : 0;
  const key = self ? JSON.stringify([base.capture, base.kind, query]) : "";
  const flow = useLoaded(key, () => load(base, info, query));
  const raw = useStrip(flow.value?.raw ?? null, info, tokens);
  const rollout = useStrip(flow.value?.rollout ?? null, info, tokens);
  const [hovered, setHovered] = useState<Cell | null>(null);
  useExport(flow.value ? {
    name: `flow-${query}`,
    figure: () => {
      const panel = (title: string, matrix: Matrix) => {
        const pixels = pixelsOf(matrix, colours.peek(), weightEntry(matrix, now.range.peek()));
        return matrixPanel({ title, rows: matrix.rows, columns: matrix.columns, rowLabels: layerNames(matrix, info), columnLabels: tokens, pixel: (i, j) => pixels[i * matrix.columns + j] });
      };
      const name = `${tokens[query]} ${query}`;
      return arrange([panel(`${t("rawAttention")}: ${name}`, flow.value!.raw), panel(`${t("rollout")}: ${name}`, flow.value!.rollout)], 1);
    },
    table: () => {
      const { raw: a, rollout: b } = flow.value!;
      const first = matrixTable(layerNames(a, info).map((name) => `raw ${name}`), tokens, (i, j) => a.data[i * a.columns + j]);
      const second = matrixTable(layerNames(b, info).map((name) => `rollout ${name}`), tokens, (i, j) => b.data[i * b.columns + j]);
      return { columns: first.columns, rows: [...first.rows, ...second.rows] };
    },
    json: () => ({ query, tokens, ...flow.value }),
    arrays: () => ({
      raw: { shape: [flow.value!.raw.rows, tokens.length], data: flow.value!.raw.data },
      rollout: { shape: [flow.value!.rollout.rows, tokens.length], data: flow.value!.rollout.data },
      tokens,
    }),
  } : null);
  if (!self) return <ViewFrame view="flow"><Notice>{t("flowSelfOnly")}</Notice></ViewFrame>;
  const onHover = (cell: Cell | null) => {
    setHovered(cell);
    if (!cell || !flow.value) return hint("");
    const value = (matrix: Matrix) => matrix.data[Math.min(cell.row, matrix.rows - 1) * matrix.columns + cell.column];
    hint(`L${cell.row} · ${tokens[query]} ${query} → ${tokens[cell.column]} ${cell.column}: ${t("rawAttention")} ${weightText(value(flow.value.raw))} · ${t("rollout")} ${weightText(value(flow.value.rollout))}`);
  };
  const select = (cell: Cell) => change({ layer: Math.min(cell.row, info.layers - 1), tokens: [cell.column], direction: "out", key: -1 });
  const strip = (title: string, about: string, model: typeof raw) => (
    <figure>
      <figcaption><b>{title}</b> {about}</figcaption>
      <MatrixCanvas model={model} class="strip" label={title} hovered={hovered} onHover={onHover} onSelect={select} selected={{ row: base.layer, column: -1 }} />
    </figure>
  );
  return (
    <ViewFrame view="flow" controls={<span class="advice">{t("flowOf", { token: `${tokens[query]} ${query}` })}</span>}>
      <Failure error={flow.error} />
      <div class="strips">
        {strip(t("rawAttention"), t("rawAbout"), raw)}
        {strip(t("rollout"), flow.value?.rollout.rows === 1 ? t("rolloutLast") : t("rolloutAbout"), rollout)}
      </div>
      <LayerMatrices base={base} tokens={tokens} />
      <FlowPaths base={base} info={info} tokens={tokens} query={query} />
    </ViewFrame>
  );
}
