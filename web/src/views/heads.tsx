// The heads in numbers: table, scatter, likeness, and what each measure means.
import { useMemo, useRef, useState } from "preact/hooks";
import { Failure, Select, Working } from "../components/controls";
import { HeadFinder } from "../components/head_finder";
import { HeadToggle } from "../components/head_switch";
import { useLoaded } from "../components/loading";
import { RoleGroundsNote, useRoleGrounds } from "../components/role_grounds";
import { useScrollCue } from "../components/scroll_cue";
import { MatrixCanvas } from "../components/matrix_canvas";
import { Scatter } from "../components/scatter";
import { ViewFrame } from "../components/view_frame";
import { modelOf, pixelsOf, weightEntry } from "../canvas/matrix_model";
import { plainBar, runFrame } from "../exports/frame";
import { pictureColours } from "../exports/light";
import { arrange, inks, matrixPanel } from "../exports/panels";
import type { Panel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { headColour } from "../core/colours";
import { pick, t } from "../core/language";
import { axisRange, shortText } from "../core/numbers";
import { isOff } from "../core/head_off";
import { overviewOf } from "../core/overviews";
import { hint } from "../core/readout";
import { address, change, colours, dark, kindInfo, now, page, source } from "../core/state";
import type { Similarity } from "../data/source";
import type { MeasureInfo } from "../data/types";
import { headPlaces, sortedHeads } from "./grid";

type Places = ReturnType<typeof headPlaces>;
const firstRows = 48;
const halfLife = Math.log(2); // the largest Jensen–Shannon divergence, in nats

function Table(props: { places: Places; measures: MeasureInfo[] }) {
  const [all, setAll] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const more = useScrollCue(box);
  const sort = now.gridSort.value;
  const chosen = address.value!;
  const places = sortedHeads(props.places, sort);
  const shown = all ? places : places.slice(0, firstRows);
  const rests = useRoleGrounds();
  return (
    <>
    <div class="table-box" ref={box} tabIndex={0} role="region" aria-label={t("headTable")}>
      <table>
        <thead>
          <tr>
            <th scope="col"><button type="button" aria-pressed={!sort} onClick={() => change({ gridSort: "" })}>{t("head")}</button></th>
            <th scope="col"><b>{t("role")}</b></th>
            {props.measures.map(({ name, title }) => (
              <th scope="col" key={name} aria-sort={sort === name ? "descending" : undefined}>
                <button type="button" aria-pressed={sort === name} onClick={() => change({ gridSort: name })}>{pick(title)}</button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ layer, head, overview }) => (
            <tr key={`${layer}.${head}`} class={isOff(layer, head) ? "is-off" : undefined} aria-current={chosen.layer === layer && chosen.head === head ? "true" : undefined}>
              <th scope="row"><button type="button" class="plain" onClick={() => change({ layer, head })}>L{layer} H{head}</button><HeadToggle layer={layer} head={head} /></th>
              <td title={pick(overview?.role.rule)}>{pick(overview?.role.name)} <small class="rests">{overview && (rests(layer, head, overview.role.id) || t("restsOnThis"))}</small></td>
              {props.measures.map(({ name }) => {
                const value = overview?.measures[name];
                return <td key={name} class="number">{value == null ? "–" : shortText(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {!all && places.length > firstRows && <button type="button" onClick={() => setAll(true)}>{t("showAll", { count: places.length })}</button>}
    </div>
    {more && <p class="below">{t("tableMore")}</p>}
    </>
  );
}

function selectedIndex(heads: number): number {
  const { layer, head } = address.value!;
  return head === "mean" ? -1 : layer * heads + head;
}

function pointsOf(places: Places, x: (at: number) => number, y: (at: number) => number, layers: number) {
  return places.map(({ layer, head }, at) => ({
    x: x(at), y: y(at), label: `L${layer} H${head}`, colour: headColour(layer, layers, dark.value),
  }));
}

function LayerLegend(props: { layers: number }) {
  return (
    <span class="legend">
      {t("layer")}
      {Array.from({ length: props.layers }, (_, layer) => (
        <span key={layer}><i style={{ background: headColour(layer, props.layers, dark.value) }} />{layer}</span>
      ))}
    </span>
  );
}

function MeasureScatter(props: { places: Places; measures: MeasureInfo[]; layers: number; heads: number }) {
  const { places, measures } = props;
  const [x, y] = [now.measureX.value, now.measureY.value];
  const title = (name: string) => pick(measures.find((one) => one.name === name)?.title) || name;
  const value = (name: string) => (at: number) => places[at].overview?.measures[name] ?? NaN;
  const choices = measures.map(({ name, title: words }) => ({ value: name, label: pick(words) }));
  const describe = (at: number) =>
    at < 0 ? "" : `L${places[at].layer} H${places[at].head} · ${title(x)} ${shortText(value(x)(at))} · ${title(y)} ${shortText(value(y)(at))} · ${pick(places[at].overview?.role.name)}`;
  return (
    <figure>
      <figcaption>
        <Select label="x" value={x} choices={choices} onChange={(measureX) => change({ measureX })} />
        <Select label="y" value={y} choices={choices} onChange={(measureY) => change({ measureY })} />
        <LayerLegend layers={props.layers} />
      </figcaption>
      <Scatter
        model={{ points: pointsOf(places, value(x), value(y), props.layers), xTitle: title(x), yTitle: title(y), axes: true, selected: selectedIndex(props.heads) }}
        label={t("scatterLabel")} onHover={(at) => hint(describe(at))}
        onSelect={(at) => change({ layer: places[at].layer, head: places[at].head })}
      />
    </figure>
  );
}

function SimilarityMap(props: { similarity: Similarity; places: Places; layers: number; heads: number }) {
  const { similarity, places } = props;
  const { divergence, layout, order } = similarity;
  const table = colours.value;
  // 1 − divergence / ln 2: 1 for heads that do the same.
  const likeness = useMemo(() => {
    const n = order.length;
    const data = new Float32Array(n * n);
    order.forEach((a, i) => order.forEach((b, j) => (data[i * n + j] = 1 - divergence.data[a * n + b] / halfLife)));
    return { rows: n, columns: n, data };
  }, [similarity]);
  const names = order.map((at) => `L${places[at]?.layer} H${places[at]?.head}`);
  const model = useMemo(
    () => ({ ...modelOf(likeness, names, names, table, weightEntry(likeness, "unit"), (value) => value.toFixed(2)), numbered: false }),
    [likeness, table],
  );
  const name = (at: number) => `L${places[at].layer} H${places[at].head}`;
  const go = (at: number) => change({ layer: places[at].layer, head: places[at].head });
  const selected = order.indexOf(selectedIndex(props.heads));
  return (
    <>
      <figure>
        <figcaption><b>{t("similarityMap")}</b> {t("similarityMapAbout")}</figcaption>
        <Scatter
          model={{
            points: pointsOf(places, (at) => layout.data[2 * at], (at) => layout.data[2 * at + 1], props.layers),
            xTitle: "", yTitle: "", axes: false, selected: selectedIndex(props.heads),
          }}
          label={t("similarityMap")} onHover={(at) => hint(at < 0 ? "" : `${name(at)} · ${pick(places[at].overview?.role.name)}`)} onSelect={go}
        />
      </figure>
      <figure>
        <figcaption><b>{t("similarityMatrix")}</b> {t("similarityMatrixAbout")}</figcaption>
        <MatrixCanvas
          model={model} class="square" label={t("similarityMatrix")} zoomable
          selected={selected < 0 ? null : { row: selected, column: -1 }}
          onHover={(cell) => hint(cell ? `${names[cell.row]} – ${names[cell.column]}: ${t("divergence")} ${shortText(divergence.data[order[cell.row] * order.length + order[cell.column]])}` : "")}
          onSelect={(cell) => go(order[cell.row])}
        />
      </figure>
    </>
  );
}

function Definitions(props: { measures: MeasureInfo[] }) {
  return (
    <section class="definitions">
      <h2>{t("definitions")}</h2>
      {props.measures.map((measure) => (
        <details key={measure.name}>
          <summary>{pick(measure.title)} <code>{measure.name}</code></summary>
          <p class="formula">{pick(measure.formula)}</p>
          <p>{pick(measure.definition)}</p>
          <p><b>{t("measureRange")}</b> {pick(measure.range)}</p>
          <p><b>{t("caveat")}</b> {pick(measure.caveat)}</p>
        </details>
      ))}
      {(page.value?.role_rules.length ?? 0) > 0 && (
        <details>
          <summary>{t("roleRules")}</summary>
          <ol>{page.value!.role_rules.map((rule, i) => <li key={i}>{pick(rule.text)}</li>)}</ol>
        </details>
      )}
    </section>
  );
}

function scatterPanel(places: Places, x: string, y: string, layers: number): Panel {
  const { ink, faint, line } = inks();
  const points = places.map(({ overview }) => [overview?.measures[x] ?? NaN, overview?.measures[y] ?? NaN]);
  const known = points.filter((point) => point.every(Number.isFinite));
  const [[x0, x1], [y0, y1]] = [0, 1].map((at) => axisRange(known.map((point) => point[at])));
  const shapes: Panel["shapes"] = [
    { type: "text", x: 40, y: 14, text: `${x} × ${y}`, size: 13, fill: ink, bold: true },
    { type: "rect", x: 40, y: 24, width: 400, height: 300, fill: "none", stroke: line },
    { type: "text", x: 240, y: 344, text: `${x}  ${shortText(x0)} – ${shortText(x1)}`, size: 11, fill: faint, anchor: "middle" },
    { type: "text", x: 30, y: 174, text: `${y}  ${shortText(y0)} – ${shortText(y1)}`, size: 11, fill: faint, anchor: "middle", rotate: -90 },
  ];
  points.forEach(([a, b], at) => {
    if (!Number.isFinite(a) || !Number.isFinite(b)) return;
    const fill = headColour(places[at].layer, layers, false);
    shapes.push({ type: "circle", x: 50 + ((a - x0) / (x1 - x0 || 1)) * 380, y: 314 - ((b - y0) / (y1 - y0 || 1)) * 280, radius: 4, fill });
  });
  const legend = Array.from({ length: layers }, (_, layer) => layer);
  shapes.push({ type: "text", x: 40, y: 366, text: t("layer"), size: 11, fill: faint });
  for (const layer of legend) {
    const x = 90 + (layer % 12) * 29;
    const line = 362 + Math.floor(layer / 12) * 14;
    shapes.push({ type: "circle", x, y: line, radius: 4, fill: headColour(layer, layers, false) });
    shapes.push({ type: "text", x: x + 6, y: line + 4, text: String(layer), size: 10, fill: faint });
  }
  return { width: 450, height: 366 + 14 * Math.floor((layers - 1) / 12), shapes };
}

function useHeadsExport(places: Places, measures: MeasureInfo[], layers: number, similarity: Similarity | null) {
  const names = measures.map(({ name }) => name);
  const value = (at: number, name: string) => places[at].overview?.measures[name] ?? null;
  useExport(places[0]?.overview ? {
    name: "heads",
    frame: () => runFrame(similarity ? plainBar(t("divergence"), "0", "1") : null),
    figure: () => {
      const panels = [scatterPanel(places, now.measureX.peek(), now.measureY.peek(), layers)];
      if (similarity) {
        const { divergence } = similarity;
        const pixels = pixelsOf(divergence, pictureColours(), weightEntry(divergence, "unit"));
        panels.push(matrixPanel({ title: t("divergence"), rows: divergence.rows, columns: divergence.columns, rowLabels: [], columnLabels: [], rowTitle: t("head"), columnTitle: t("head"), pixel: (i, j) => pixels[i * divergence.columns + j] }));
      }
      return arrange(panels);
    },
    table: () => ({
      columns: ["layer", "head", "role", ...names],
      rows: places.map(({ layer, head, overview }, at) => [layer, head, pick(overview?.role.name), ...names.map((name) => value(at, name))]),
    }),
    json: () => places.map(({ layer, head, overview }) => ({ layer, head, ...overview })),
    arrays: () => ({
      ...Object.fromEntries(names.map((name) => [name, { shape: [places.length], data: Float64Array.from(places, (_, at) => value(at, name) ?? NaN) }])),
      ...(similarity ? { divergence: { shape: [similarity.divergence.rows, similarity.divergence.columns], data: similarity.divergence.data } } : {}),
    }),
  } : null);
}

export function HeadsView() {
  const info = kindInfo.value!;
  const chosen = address.value!;
  const key = `${chosen.capture}|${chosen.kind}`;
  const overview = useLoaded(key, () => overviewOf(chosen.capture, chosen.kind));
  const similarity = useLoaded(key, () => source.value!.similarity(chosen.capture, chosen.kind));
  const places = useMemo(() => headPlaces(info.layers, info.heads, overview.value), [overview.value, info]);
  const all = page.value?.measures ?? [];
  const measures = all.filter((one) => one.per_head);
  useHeadsExport(places, measures, info.layers, similarity.value);
  return (
    <ViewFrame view="heads">
      <Failure error={overview.error} />
      <HeadFinder />
      <RoleGroundsNote />
      <Table places={places} measures={measures} />
      <div class="side-by-side">
        <MeasureScatter places={places} measures={measures} layers={info.layers} heads={info.heads} />
        {similarity.value && similarity.value.order.length === places.length && (
          <SimilarityMap similarity={similarity.value} places={places} layers={info.layers} heads={info.heads} />
        )}
      </div>
      {similarity.key !== key && <Working>{t("comparingHeads")}</Working>}
      <Failure error={similarity.error} />
      <Definitions measures={all} />
    </ViewFrame>
  );
}
