// Small charts of a head: weight by distance, histograms of measures.
import { pick, t } from "../../core/language";
import { shortText, weightText } from "../../core/numbers";
import { hint } from "../../core/readout";
import { page } from "../../core/state";
import type { StudyMeasure } from "../../data/study_types";

export const measureTitle = (name: string) => pick(page.value?.measures.find((one) => one.name === name)?.title) || name;

const [width, height] = [520, 150];
const edge = { left: 46, right: 8, top: 8, bottom: 30 };
const leastWeight = 1e-5; // what lies below cannot be told apart

// Bars on a logarithmic axis: far keys get a thousandth of what near ones get.
export function DistanceChart(props: { distances: (number | null)[] }) {
  const { distances } = props;
  const length = (distances.length + 1) / 2;
  const most = Math.max(leastWeight * 10, ...distances.map((value) => value ?? 0));
  const top = 10 ** Math.ceil(Math.log10(most) - 1e-9);
  const decades = Math.round(Math.log10(top / leastWeight));
  const x = (distance: number) => edge.left + ((distance + length - 0.5) / (2 * length - 1)) * (width - edge.left - edge.right);
  const y = (value: number) => {
    const share = Math.log10(Math.max(leastWeight, value) / leastWeight) / decades;
    return height - edge.bottom - share * (height - edge.top - edge.bottom);
  };
  const strongest = distances.reduce<number>((best, value, at) => ((value ?? 0) > (distances[best] ?? 0) ? at : best), 0);
  const label = t("studyDistanceAt", { distance: signed(strongest - length + 1), weight: weightText(distances[strongest] ?? 0) });
  const step = Math.max(1, Math.round(length / 4 / 8) * 8);
  const ticks = [-3, -2, -1, 0, 1, 2, 3].map((n) => n * step).filter((distance) => Math.abs(distance) < length);
  const barWidth = Math.max(1, (width - edge.left - edge.right) / distances.length - 0.5);
  const tell = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const inside = ((event.clientX - box.left) / box.width) * width;
    const distance = Math.round(((inside - edge.left) / (width - edge.left - edge.right)) * (2 * length - 1) - length + 0.5);
    const value = distances[distance + length - 1];
    hint(value == null ? "" : t("studyDistanceAt", { distance: signed(distance), weight: weightText(value) }));
  };
  return (
    <svg class="study-chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${t("studyDistances")}: ${label}`}
      onPointerMove={tell} onPointerLeave={() => hint("")}>
      {Array.from({ length: decades + 1 }, (_, n) => leastWeight * 10 ** n).map((value) => (
        <g key={value}>
          <line class="grid" x1={edge.left} x2={width - edge.right} y1={y(value)} y2={y(value)} />
          <text x={edge.left - 5} y={y(value) + 4} text-anchor="end">{value >= 0.001 ? String(Number(value.toPrecision(1))) : value.toExponential(0)}</text>
        </g>
      ))}
      {distances.map((value, at) => value != null && value > leastWeight && (
        <rect key={at} class={at === strongest ? "bar strong" : "bar"} x={x(at - length + 1) - barWidth / 2} width={barWidth}
          y={y(value)} height={height - edge.bottom - y(value)} />
      ))}
      {ticks.map((distance) => (
        <text key={distance} x={x(distance)} y={height - edge.bottom + 14} text-anchor="middle">{signed(distance)}</text>
      ))}
      <text class="axis" x={width - edge.right} y={height - 3} text-anchor="end">{t("studyDistanceAxis")}</text>
    </svg>
  );
}

const signed = (value: number) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));

const [wide, tall] = [210, 54];

export function Histogram(props: { measure: StudyMeasure }) {
  const { name, mean, deviation, quantiles, range, histogram } = props.measure;
  const most = Math.max(1, ...histogram);
  const x = (value: number) => (Math.min(range, Math.max(0, value)) / range) * wide;
  const [low, median, high] = [quantiles[1], quantiles[2], quantiles[3]];
  const text = (value: number | null) => (value == null ? "–" : shortText(value));
  const title = measureTitle(name);
  return (
    <figure class="study-histogram">
      <figcaption>
        <b>{title}</b>
        <span>{t("studyMeasureText", { mean: text(mean), deviation: text(deviation), median: text(median) })}</span>
      </figcaption>
      {mean != null && (
        <svg viewBox={`0 0 ${wide} ${tall}`} preserveAspectRatio="none" role="img"
          aria-label={t("studyHistogram", { measure: title, mean: text(mean), low: text(low), high: text(high) })}>
          {low != null && high != null && <rect class="band" x={x(low)} width={Math.max(1, x(high) - x(low))} y={0} height={tall} />}
          {histogram.map((count, bin) => count > 0 && (
            // The root: a bin with a thousandth of the tokens still shows.
            <rect key={bin} class="bar" x={(bin / histogram.length) * wide} width={wide / histogram.length - 0.4}
              y={tall - Math.max(1, Math.sqrt(count / most) * tall)} height={Math.max(1, Math.sqrt(count / most) * tall)} />
          ))}
          <line class="mean" x1={x(mean)} x2={x(mean)} y1={0} y2={tall} />
        </svg>
      )}
      <div class="study-ends" aria-hidden="true"><span>0</span><span>{shortText(range).replace(/\.?0+$/, "")}</span></div>
    </figure>
  );
}
