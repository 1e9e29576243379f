// Rollout over the layers beside raw attention: where the information at one position comes from.
import { useMemo, useState } from "preact/hooks";
import { Failure, Notice, Working } from "../components/controls";
import { useLoaded } from "../components/loading";
import { MatrixCanvas } from "../components/matrix_canvas";
import { FlowPaths } from "../components/flow_paths";
import { ViewFrame } from "../components/view_frame";
import { modelOf, pixelsOf, weightEntry } from "../canvas/matrix_model";
import type { Cell } from "../canvas/matrix_model";
import { matrixTable } from "../exports/csv";
import { pictureColours } from "../exports/light";
import { arrange, matrixPanel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { t } from "../core/language";
import { Mask } from "../core/mask";
import { pooledColumns } from "../core/pooling";
import { weightText, wholeText } from "../core/numbers";
import { hint } from "../core/readout";
import { address, change, colours, kindInfo, modelMask, now, queryNames, selectedTokens, source } from "../core/state";
import { placed } from "../core/tokens";
import { row, whole } from "../core/weights";
import type { Rollout } from "../data/source";
import type { HeadAddress, KindInfo, Matrix } from "../data/types";

const largestRollout = 512;
const mostCells = 40; // of a strip

// [L, N]: mean attention of the query in each layer.
async function rawRows(base: HeadAddress, info: KindInfo, query: number): Promise<Matrix> {
  const n = info.keys;
  const layers = Array.from({ length: info.layers }, (_, layer) => layer);
  const rows = await Promise.all(layers.map((layer) => row({ ...base, layer, head: "mean" }, query, "")));
  const raw = { rows: info.layers, columns: n, data: new Float32Array(info.layers * n) };
  rows.forEach((values, layer) => raw.data.set(values, layer * n));
  return raw;
}

// [L, N]: one row of each layer.
function rowOfEach({ layers, tokens: n, data }: Rollout, query: number): Matrix {
  const rows = { rows: layers, columns: n, data: new Float32Array(layers * n) };
  for (let layer = 0; layer < layers; ++layer) {
    const begin = (layer * n + query) * n;
    rows.data.set(data.subarray(begin, begin + n), layer * n);
  }
  return rows;
}

// Of a short text the rollout of all layers and tokens, fetched once; of a long one [1, N] for one token, which takes
// the server long and can be stopped.
function useRollout(base: HeadAddress, info: KindInfo, query: number, self: boolean) {
  const few = info.keys <= largestRollout;
  const key = JSON.stringify([base.capture, base.kind, query]);
  const [stopped, setStopped] = useState("");
  const all = useLoaded(self && few ? JSON.stringify([base.capture, base.kind]) : "", () => source.peek()!.rollout(base.capture, base.kind));
  const one = useLoaded(self && !few && stopped !== key ? key : "", async (signal) => ({
    rows: 1, columns: info.keys, data: await source.peek()!.rolloutRow(base.capture, base.kind, query, signal),
  }));
  const ofShort = useMemo(() => all.value && all.value.tokens === info.keys ? rowOfEach(all.value, query) : null, [all.value, key]);
  const rows: Matrix | null = few ? ofShort : one.key === key ? one.value : null;
  const error = few ? all.error : one.key === key ? one.error : null;
  return {
    all: few ? all.value : null, rows, error,
    running: self && !rows && !error && stopped !== key,
    stop: few ? null : () => setStopped(key),
    again: stopped === key ? () => setStopped("") : null,
  };
}

// What a query may see in a layer: a later token may be hidden by the model itself.
function seenBy(query: number, layer: number): Uint8Array {
  const info = kindInfo.peek()!;
  return new Mask(modelMask(info, layer), info.queries, info.keys).row(query);
}

const layerNames = (matrix: Matrix, info: KindInfo) =>
  matrix.rows === 1 ? [`L${info.layers - 1}`] : Array.from({ length: matrix.rows }, (_, layer) => `L${layer}`);

// Layers × tokens; of many tokens, cells of several.
function useStrip(matrix: Matrix | null, info: KindInfo, tokens: string[]) {
  const table = colours.value;
  const range = now.range.value;
  return useMemo(() => {
    if (!matrix || matrix.columns !== tokens.length) return null;
    const pooled = pooledColumns(matrix, mostCells);
    const many = tokens.length > mostCells;
    const labels = pooled.begins.map((at) => (many ? placed(tokens[at], at) : tokens[at]));
    const entry = weightEntry(pooled.matrix, range);
    const model = modelOf(pooled.matrix, layerNames(matrix, info), labels, table, entry, (value) => value.toFixed(3));
    model.numbered = false;
    return { model, at: (cell: Cell) => pooled.at[Math.min(cell.row, matrix.rows - 1) * pooled.matrix.columns + cell.column] };
  }, [matrix, table, range, tokens.length]);
}

// Of the chosen layer: every position's raw attention, and its rollout.
function LayerMatrices(props: { base: HeadAddress; tokens: string[]; all: Rollout | null }) {
  const { base, tokens, all } = props;
  const n = tokens.length;
  const few = n <= largestRollout;
  const raw = useLoaded(few ? JSON.stringify([base.capture, base.kind, base.layer]) : "", () => whole({ ...base, head: "mean" }, ""));
  const rollout = useMemo<Matrix | null>(
    () => all && { rows: all.tokens, columns: all.tokens, data: all.data.subarray(base.layer * n * n, (base.layer + 1) * n * n) },
    [all, base.layer],
  );
  const table = colours.value;
  const range = now.range.value;
  const model = (matrix: Matrix | null) =>
    matrix && matrix.columns === n ? modelOf(matrix, tokens, tokens, table, weightEntry(matrix, range), (value) => value.toFixed(3)) : null;
  const rawModel = useMemo(() => model(raw.value), [raw.value, table, range]);
  const rolloutModel = useMemo(() => model(rollout), [rollout, table, range]);
  const [hovered, setHovered] = useState<Cell | null>(null);
  if (!few) return null;
  const pair = ({ row: i, column: j }: Cell) => `L${base.layer} · ${placed(tokens[i], i)} → ${placed(tokens[j], j)}`;
  const onHover = (cell: Cell | null) => {
    setHovered(cell);
    if (!cell || !raw.value || !rollout) return hint("");
    const at = cell.row * n + cell.column;
    if (!seenBy(cell.row, base.layer)[cell.column]) return hint(`${pair(cell)}: ${t("hidden")}`);
    hint(`${pair(cell)}: ${t("rawAttention")} ${weightText(raw.value.data[at])} · ${t("rollout")} ${weightText(rollout.data[at])}`);
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
  const rawLoaded = useLoaded(key, () => rawRows(base, info, query));
  const rolled = useRollout(base, info, query, self);
  const raw = useStrip(rawLoaded.value, info, tokens);
  const rollout = useStrip(rolled.rows, info, tokens);
  const flow = rawLoaded.value && rolled.rows && { raw: rawLoaded.value, rollout: rolled.rows };
  const [hovered, setHovered] = useState<Cell | null>(null);
  useExport(flow ? {
    name: `flow-${query}`,
    figure: () => {
      const panel = (title: string, full: Matrix) => {
        const { matrix, begins } = pooledColumns(full, mostCells);
        const pixels = pixelsOf(matrix, pictureColours(), weightEntry(matrix, now.range.peek()));
        const columnLabels = begins.map((at) => tokens[at]);
        return matrixPanel({ title, rows: matrix.rows, columns: matrix.columns, rowLabels: layerNames(matrix, info), columnLabels, rowTitle: t("layer"), columnTitle: t("axisKey"), pixel: (i, j) => pixels[i * matrix.columns + j] });
      };
      const name = placed(tokens[query], query);
      return arrange([panel(`${t("rawAttention")}: ${name}`, flow.raw), panel(`${t("rollout")}: ${name}`, flow.rollout)], 1);
    },
    table: () => {
      const { raw: a, rollout: b } = flow;
      const first = matrixTable(layerNames(a, info).map((name) => `raw ${name}`), tokens, (i, j) => a.data[i * a.columns + j]);
      const second = matrixTable(layerNames(b, info).map((name) => `rollout ${name}`), tokens, (i, j) => b.data[i * b.columns + j]);
      return { columns: first.columns, rows: [...first.rows, ...second.rows] };
    },
    json: () => ({ query, tokens, ...flow }),
    arrays: () => ({
      raw: { shape: [flow.raw.rows, tokens.length], data: flow.raw.data },
      rollout: { shape: [flow.rollout.rows, tokens.length], data: flow.rollout.data },
      tokens,
    }),
  } : null);
  if (!self) return <ViewFrame view="flow"><Notice>{t("flowSelfOnly")}</Notice></ViewFrame>;
  // A strip of one row is the last layer's.
  const layerOf = (cell: Cell, matrix: Matrix) => (matrix.rows === 1 ? info.layers - 1 : cell.row);
  const onHover = (of: Matrix | null, shown: typeof raw) => (cell: Cell | null) => {
    setHovered(cell);
    if (!cell || !of || !shown) return hint("");
    const [token, layer] = [shown.at(cell), layerOf(cell, of)];
    const value = (name: string, matrix: Matrix | null) =>
      matrix ? [`${name} ${weightText(matrix.data[Math.min(layer, matrix.rows - 1) * matrix.columns + token])}`] : [];
    const values = seenBy(query, layer)[token] ? [...value(t("rawAttention"), rawLoaded.value), ...value(t("rollout"), rolled.rows)] : [t("hidden")];
    hint(`L${layer} · ${placed(tokens[query], query)} → ${placed(tokens[token], token)}: ${values.join(" · ")}`);
  };
  const strip = (title: string, about: string, of: Matrix | null, shown: typeof raw) => (
    <figure>
      <figcaption>
        <b>{title}</b> {about}
        {tokens.length > mostCells && ` · ${t("pooledAbout", { count: Math.round(tokens.length / mostCells) })}`}
      </figcaption>
      <MatrixCanvas
        model={shown?.model ?? null} class="strip" label={title} hovered={hovered} onHover={onHover(of, shown)}
        onSelect={(cell) => of && shown && change({ layer: layerOf(cell, of), tokens: [shown.at(cell)], direction: "out", key: -1 })}
        selected={of?.rows === 1 ? null : { row: base.layer, column: -1 }}
      />
    </figure>
  );
  return (
    <ViewFrame view="flow" controls={<span class="advice">{t("flowOf", { token: placed(tokens[query], query) })}</span>}>
      <Failure error={rawLoaded.error ?? rolled.error} />
      {rolled.running && (
        <Working>
          {rolled.stop ? t("rolloutRunning", { count: wholeText(tokens.length) }) : t("loading")}
          {rolled.stop && <button type="button" onClick={rolled.stop}>{t("stop")}</button>}
        </Working>
      )}
      {rolled.again && <p class="advice">{t("rolloutStopped")} <button type="button" onClick={rolled.again}>{t("compute")}</button></p>}
      <div class="strips">
        {strip(t("rawAttention"), t("rawAbout"), rawLoaded.value, raw)}
        {strip(t("rollout"), tokens.length > largestRollout ? t("rolloutLast") : t("rolloutAbout"), rolled.rows, rollout)}
      </div>
      <LayerMatrices base={base} tokens={tokens} all={rolled.all} />
      <FlowPaths base={base} info={info} tokens={tokens} query={query} />
    </ViewFrame>
  );
}
