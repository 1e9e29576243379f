// Every head over a corpus: tiles, the map of heads, a card per head; two studies side by side.
import { Failure, Select } from "../components/controls";
import { useLoaded } from "../components/loading";
import { HeadMap, HeadTiles } from "../components/study/all_heads";
import { measureTitle } from "../components/study/charts";
import { HeadCard } from "../components/study/head_card";
import { ViewFrame } from "../components/view_frame";
import { headColour } from "../core/colours";
import { t } from "../core/language";
import { axisRange, shortText, wholeText } from "../core/numbers";
import { change, source } from "../core/state";
import {
  headName, headsGoTogether, indexOf, otherStudy, otherStudyHead, placeOf, studies, study, studyHead, studyName,
} from "../core/studies";
import type { StudyHead } from "../core/studies";
import type { StudyInfo, StudyOverview } from "../data/study_types";
import { arrange, inks } from "../exports/panels";
import type { Panel } from "../exports/panels";
import { useExport } from "../exports/view_export";

function NoStudy() {
  return (
    <div class="study-none">
      <p>{t("studyNoneAbout")}</p>
      <p>{t("studyNone")}</p>
      <pre tabIndex={0}>{"fovea study --model minilm aclImdb.tgz -o study.safetensors\nfovea serve --study study.safetensors"}</pre>
    </div>
  );
}

function Facts(props: { info: StudyInfo }) {
  const { info } = props;
  const facts = t("studyFacts", {
    texts: wholeText(info.texts), tokens: wholeText(info.tokens), length: info.length, cut: wholeText(info.cut),
  });
  return <p class="study-facts"><b>{info.model}</b> {info.corpus} · {facts} {info.shard && t("studyShard", { shard: info.shard })}</p>;
}

// What differs most between the two, first.
function Differences(props: { first: StudyOverview; second: StudyOverview; at: [number, number] }) {
  const [a, b] = [props.first.heads[props.at[0]]?.means ?? {}, props.second.heads[props.at[1]]?.means ?? {}];
  const names = Object.keys(a).filter((name) => a[name] != null && b[name] != null);
  const text = (value: number) => shortText(value);
  return (
    <div class="table-box study-differences" tabIndex={0} role="region" aria-label={t("studyDifference")}>
      <table>
        <thead><tr><th scope="col"><b>{t("studyMeasure")}</b></th><th scope="col"><b>A</b></th><th scope="col"><b>B</b></th><th scope="col"><b>{t("studyChange")}</b></th></tr></thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">{measureTitle(name)}</th>
              <td class="number">{text(a[name]!)}</td><td class="number">{text(b[name]!)}</td>
              <td class="number">{text(b[name]! - a[name]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function mapPanel(info: StudyInfo, overview: StudyOverview): Panel {
  const { ink, faint, line } = inks();
  const [[x0, x1], [y0, y1]] = [0, 1].map((axis) => axisRange(overview.layout.map((point) => point[axis])));
  const shapes: Panel["shapes"] = [
    { type: "text", x: 10, y: 14, text: studyName(info), size: 13, fill: ink, bold: true },
    { type: "rect", x: 10, y: 24, width: 500, height: 380, fill: "none", stroke: line },
  ];
  overview.layout.forEach(([x, y], at) => {
    const place = placeOf(info, at);
    const [left, top] = [30 + ((x - x0) / (x1 - x0 || 1)) * 440, 390 - ((y - y0) / (y1 - y0 || 1)) * 350];
    shapes.push({ type: "circle", x: left, y: top, radius: 4, fill: headColour(place.layer, info.layers, false) });
    shapes.push({ type: "text", x: left + 6, y: top + 3, text: headName(place), size: 8, fill: faint });
  });
  return { width: 520, height: 414, shapes };
}

function useStudyExport(shown: [StudyInfo, StudyOverview][]) {
  const measures = Object.keys(shown[0]?.[1].heads[0]?.means ?? {});
  const rows = shown.flatMap(([info, overview]) =>
    overview.heads.map(({ roles, means }, at) => ({ info, place: placeOf(info, at), main: roles[0], means })));
  useExport(shown.length ? {
    name: "study",
    frame: () => ({ title: t("view.study"), lines: shown.map(([info]) => studyName(info)), bars: [] }),
    figure: () => arrange(shown.map(([info, overview]) => mapPanel(info, overview))),
    table: () => ({
      columns: ["model", "corpus", "texts", "layer", "head", "role", "share", ...measures],
      rows: rows.map(({ info, place, main, means }) => [
        info.model, info.corpus, info.texts, place.layer, place.head, main?.id ?? "", main?.share ?? null, ...measures.map((name) => means[name] ?? null),
      ]),
    }),
    json: () => shown.map(([info, overview]) => ({ ...info, ...overview })),
    arrays: () => Object.fromEntries(shown.flatMap(([info, overview]) => measures.map((name) => [
      `${info.id}_${name}`, { shape: [info.layers, info.heads], data: Float64Array.from(overview.heads, ({ means }) => means[name] ?? NaN) },
    ]))),
  } : null);
}

function Chooser() {
  const all = studies.value.map((info) => ({ value: info.id, label: studyName(info) }));
  if (all.length < 2) return null;
  const shown = study.value!.id;
  return (
    <>
      <Select label={`${t("study")} A`} value={shown} choices={all} onChange={(id) => change({ study: id })} />
      <Select
        label={`B: ${t("studyBeside")}`} value={otherStudy.value?.id ?? "none"} onChange={(id) => change({ otherStudy: id })}
        choices={[{ value: "none", label: t("studyNothing") }, ...all.filter(({ value }) => value !== shown)]}
      />
    </>
  );
}

function Side(props: { info: StudyInfo; overview: StudyOverview | null; head: StudyHead; onHead: (head: StudyHead) => void; letter: string }) {
  const { info, overview } = props;
  const choosing = overview && { info, overview, head: props.head, onHead: props.onHead };
  return (
    <section class="study-side" aria-label={props.letter ? `${props.letter}: ${studyName(info)}` : studyName(info)}>
      <Facts info={info} />
      {choosing && <HeadTiles {...choosing} />}
      {choosing && <HeadMap {...choosing} />}
      <HeadCard {...props} />
    </section>
  );
}

function Shown() {
  const [info, other] = [study.value!, otherStudy.value];
  const first = useLoaded(`study ${info.id}`, () => source.value!.study(info.id));
  const second = useLoaded(other ? `study ${other.id}` : "", () => source.value!.study(other!.id));
  const [head, otherHead] = [studyHead.value, otherStudyHead.value];
  const [overview, otherOverview] = [first.value, other ? second.value : null];
  const shown: [StudyInfo, StudyOverview][] = [];
  if (overview) shown.push([info, overview]);
  if (other && otherOverview) shown.push([other, otherOverview]);
  useStudyExport(shown);
  const go = ({ layer, head: at }: StudyHead) => change({ layer, head: at });
  const goOther = headsGoTogether.value ? go : ({ layer, head: at }: StudyHead) => change({ otherLayer: layer, otherHead: at });
  return (
    <>
      <Failure error={first.error ?? second.error} />
      {other && overview && otherOverview && <Differences first={overview} second={otherOverview} at={[indexOf(info, head), indexOf(other, otherHead)]} />}
      <div class={other ? "study-sides two" : "study-sides"}>
        <Side info={info} overview={overview} head={head} onHead={go} letter={other ? "A" : ""} />
        {other && <Side info={other} overview={otherOverview} head={otherHead} onHead={goOther} letter="B" />}
      </div>
    </>
  );
}

export function StudyView() {
  return (
    <ViewFrame view="study" example controls={studies.value.length > 1 ? <Chooser /> : undefined}>
      {study.value ? <Shown key={`${study.value.id} ${otherStudy.value?.id}`} /> : <NoStudy />}
    </ViewFrame>
  );
}
