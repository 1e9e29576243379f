// All heads as thumbnails with their roles, in the order of layers or of any measure.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Failure, Select } from "../components/controls";
import { HeadFinder } from "../components/head_finder";
import { HeadToggle } from "../components/head_switch";
import { LensButtons, lensNotes } from "../components/lens_tools";
import { useLoaded } from "../components/loading";
import { RoleGroundsNote, useRoleGrounds } from "../components/role_grounds";
import { ViewFrame } from "../components/view_frame";
import { pixelsOf, weightEntry } from "../canvas/matrix_model";
import { imageCanvas } from "../exports/paint";
import { pictureColours } from "../exports/light";
import { arrange, inks } from "../exports/panels";
import type { Panel } from "../exports/panels";
import { useExport } from "../exports/view_export";
import { language, pick, t } from "../core/language";
import { shortText } from "../core/numbers";
import { hint } from "../core/readout";
import { isOff } from "../core/head_off";
import { overviewOf, thumbnailsOf } from "../core/overviews";
import { lens } from "../core/shown";
import { address, change, colours, kindInfo, now, page } from "../core/state";
import { thumbnailOf } from "../core/thumbnail";
import type { Thumbnails } from "../data/source";
import type { HeadOverview, Matrix, Overview } from "../data/types";

interface HeadPlace {
  layer: number;
  head: number;
  overview: HeadOverview | undefined;
}

export function headPlaces(layers: number, heads: number, overview: Overview | null): HeadPlace[] {
  return Array.from({ length: layers * heads }, (_, at) => {
    const [layer, head] = [Math.floor(at / heads), at % heads];
    return { layer, head, overview: overview?.heads[layer]?.[head] };
  });
}

// Largest value first; heads without a value last.
export function sortedHeads(places: HeadPlace[], measure: string): HeadPlace[] {
  if (!measure) return places;
  const value = (place: HeadPlace) => place.overview?.measures[measure] ?? -Infinity;
  return [...places].sort((a, b) => value(b) - value(a));
}

function Thumbnail(props: { matrix: Matrix }) {
  const element = useRef<HTMLCanvasElement>(null);
  const table = colours.value;
  const range = now.range.value;
  useLayoutEffect(() => {
    const { matrix } = props;
    const canvas = element.current!;
    canvas.width = matrix.columns;
    canvas.height = matrix.rows;
    const pixels = pixelsOf(matrix, table, weightEntry(matrix, range));
    canvas.getContext("2d")!.drawImage(imageCanvas(pixels, matrix.columns), 0, 0);
  }, [props.matrix.data, table, range]);
  return <canvas ref={element} aria-hidden="true" />;
}

function Tile(props: { place: HeadPlace; thumbnails: Thumbnails | null; selected: boolean; measure: string; rests: string }) {
  const { layer, head, overview } = props.place;
  const value = props.measure ? overview?.measures[props.measure] : undefined;
  const name = `L${layer} H${head}`;
  const role = pick(overview?.role.name);
  return (
    <div class={isOff(layer, head) ? "tile-box is-off" : "tile-box"}>
    <button
      type="button" class="tile" aria-pressed={props.selected} data-head={`${layer}.${head}`}
      title={pick(overview?.role.rule)}
      onClick={() => change({ layer, head })} onDblClick={() => change({ layer, head, view: "matrix" })}
      onPointerEnter={() => hint(`${name} · ${role} · ${pick(overview?.role.rule)}`)} onPointerLeave={() => hint("")}
    >
      {props.thumbnails && <Thumbnail matrix={thumbnailOf(props.thumbnails, layer, head, lens.value)} />}
      <span class="tile-name">{name}{value != null && <b>{shortText(value)}</b>}</span>
      <span class={`badge role-${overview?.role.id ?? ""}`}>{role || " "}</span>
      {props.rests && <small class="rests">{props.rests}</small>}
    </button>
    <HeadToggle layer={layer} head={head} />
    </div>
  );
}

function gridPanel(places: HeadPlace[], thumbnails: Thumbnails, perRow: number): Panel {
  const [size, pitch] = [76, 108];
  const { ink, faint, line } = inks();
  const panel: Panel = { width: perRow * (size + 10), height: Math.ceil(places.length / perRow) * pitch, shapes: [] };
  places.forEach(({ layer, head, overview }, at) => {
    const [x, y] = [(at % perRow) * (size + 10), Math.floor(at / perRow) * pitch];
    const matrix = thumbnailOf(thumbnails, layer, head, lens.value);
    const pixels = pixelsOf(matrix, pictureColours(), weightEntry(matrix, now.range.peek()));
    panel.shapes.push(
      { type: "text", x, y: y + 10, text: `L${layer} H${head}`, size: 10, fill: ink },
      { type: "image", x, y: y + 14, width: size, height: size, pixels, columns: matrix.columns },
      { type: "rect", x, y: y + 14, width: size, height: size, fill: "none", stroke: line },
      { type: "text", x, y: y + 101, text: pick(overview?.role.name).slice(0, 18), size: 8.500, fill: faint },
    );
  });
  panel.shapes.push({ type: "text", x: 0, y: panel.height + 8, text: t("gridAxes"), size: 11, fill: faint });
  panel.height += 14;
  return panel;
}

function useGridExport(places: HeadPlace[], thumbnails: Thumbnails | null, heads: number) {
  const names = Object.keys(places[0]?.overview?.measures ?? {});
  useExport(thumbnails && {
    name: "grid",
    figure: () => arrange([gridPanel(places, thumbnails, heads)]),
    table: () => ({
      columns: ["layer", "head", "role", ...names],
      rows: places.map(({ layer, head, overview }) => [layer, head, pick(overview?.role.name), ...names.map((name) => overview?.measures[name] ?? null)]),
    }),
    json: () => places.map(({ layer, head, overview }) => ({ layer, head, ...overview, notes: lensNotes("grid") })),
    arrays: () => {
      const shape = [thumbnails.layers, thumbnails.heads, thumbnails.rows, thumbnails.columns];
      return { thumbnails_mean: { shape, data: thumbnails.mean }, thumbnails_max: { shape, data: thumbnails.max } };
    },
  });
}

export function GridView() {
  const info = kindInfo.value!;
  const chosen = address.value!;
  const key = `${chosen.capture}|${chosen.kind}`;
  const thumbnails = useLoaded(key, () => thumbnailsOf(chosen.capture, chosen.kind));
  const overview = useLoaded(key, () => overviewOf(chosen.capture, chosen.kind));
  const measure = now.gridSort.value;
  const places = sortedHeads(headPlaces(info.layers, info.heads, overview.value), measure);
  const fits = thumbnails.value?.layers === info.layers && thumbnails.value.heads === info.heads;
  useGridExport(places, fits ? thumbnails.value : null, info.heads);
  const measures = page.value?.measures.filter((one) => one.per_head) ?? [];
  const rests = useRoleGrounds();
  return (
    <ViewFrame
      view="grid"
      controls={
        <>
          <Select
            label={t("sortBy")} value={measure} onChange={(gridSort) => change({ gridSort })}
            choices={[{ value: "", label: t("layerAndHead") }, ...measures.map(({ name, title }) => ({ value: name, label: title[language.value] }))]}
          />
          <LensButtons />
          <span class="advice">{t("gridAdvice")}</span>
        </>
      }
    >
      <Failure error={thumbnails.error ?? overview.error} />
      <HeadFinder />
      <RoleGroundsNote />
      <div class="thumbs" style={{ "--heads": measure ? "auto-fill" : String(info.heads) }} data-sorted={Boolean(measure)}>
        {places.map((place) => (
          <Tile
            key={`${place.layer}.${place.head}`} place={place} thumbnails={fits ? thumbnails.value : null} measure={measure}
            selected={chosen.layer === place.layer && chosen.head === place.head}
            rests={rests(place.layer, place.head, place.overview?.role.id)}
          />
        ))}
      </div>
    </ViewFrame>
  );
}
