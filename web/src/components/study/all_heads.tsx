// Choosing a head of a study: tiles with the main roles, and the map of heads.
import { Scatter } from "../scatter";
import { headColour } from "../../core/colours";
import { t } from "../../core/language";
import { hint } from "../../core/readout";
import { dark } from "../../core/state";
import { headName, indexOf, placeOf, roleName, shareText } from "../../core/studies";
import type { StudyHead } from "../../core/studies";
import type { StudyInfo, StudyOverview } from "../../data/study_types";

interface Choosing {
  info: StudyInfo;
  overview: StudyOverview;
  head: StudyHead;
  onHead: (head: StudyHead) => void;
}

export function HeadTiles(props: Choosing) {
  const { info, overview, head } = props;
  return (
    <div class="study-tiles" style={{ "--heads": String(info.heads) }} role="group" aria-label={t("studyTiles")} tabIndex={0}>
      {overview.heads.map(({ roles }, at) => {
        const place = placeOf(info, at);
        const main = roles[0];
        const name = headName(place);
        return (
          <button
            type="button" key={at} data-head={`${place.layer}.${place.head}`} aria-pressed={place.layer === head.layer && place.head === head.head}
            title={t("studyTile", { head: name, role: roleName(main?.id ?? "none"), share: shareText(main?.share ?? 0) })}
            onClick={() => props.onHead(place)}
          >
            <span>{name} <b>{shareText(main?.share ?? 0)}</b></span>{" "}
            <small>{roleName(main?.id ?? "none")}</small>
            <i aria-hidden="true"><i style={{ width: `${100 * (main?.share ?? 0)}%`, background: headColour(place.layer, info.layers, dark.value) }} /></i>
          </button>
        );
      })}
    </div>
  );
}

export function HeadMap(props: Choosing) {
  const { info, overview, head } = props;
  if (!overview.layout.length) return <p class="advice">{t("studyNoMap")}</p>;
  const tell = (at: number) => {
    const main = overview.heads[at]?.roles[0];
    hint(at < 0 || !main ? "" : t("studyTile", { head: headName(placeOf(info, at)), role: roleName(main.id), share: shareText(main.share) }));
  };
  return (
    <figure class="study-map">
      <figcaption>
        <b>{t("studyMap")}</b> {t("studyMapAbout")}{" "}
        <span class="legend">
          {t("layer")}
          {Array.from({ length: info.layers }, (_, layer) => (
            <span key={layer}><i style={{ background: headColour(layer, info.layers, dark.value) }} />{layer}</span>
          ))}
        </span>
      </figcaption>
      <Scatter
        model={{
          points: overview.layout.map(([x, y], at) => {
            const place = placeOf(info, at);
            return { x, y, label: headName(place), colour: headColour(place.layer, info.layers, dark.value) };
          }),
          xTitle: "", yTitle: "", axes: false, selected: indexOf(info, head),
        }}
        label={t("studyMap")} onHover={tell} onSelect={(at) => props.onHead(placeOf(info, at))}
      />
    </figure>
  );
}
