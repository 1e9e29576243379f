// The places where a head is strongest, with the query's attention drawn in.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../../core/language";
import { weightText } from "../../core/numbers";
import { colours } from "../../core/state";
import { isolated, tokenLabel } from "../../core/tokens";
import type { StudyPlace } from "../../data/study_types";
import { shareText } from "../../core/studies";

const firstPlaces = 4;

// The tokens in one line, and an arc from the query to the key above it.
function Place(props: { place: StudyPlace }) {
  const { place } = props;
  const line = useRef<HTMLDivElement>(null);
  const [arc, setArc] = useState<{ from: number; to: number; width: number } | null>(null);
  useLayoutEffect(() => {
    const measure = () => {
      const tokens = line.current!.querySelectorAll<HTMLElement>(".token");
      const middle = (at: number) => tokens[at].offsetLeft + tokens[at].offsetWidth / 2;
      setArc({ from: middle(place.query_at), to: middle(place.key_at), width: line.current!.scrollWidth });
      // Whoever opens it sees the two that matter.
      const box = line.current!.parentElement!;
      box.scrollLeft = (middle(place.query_at) + middle(place.key_at)) / 2 - box.clientWidth / 2;
    };
    measure();
    void document.fonts?.ready.then(() => line.current && measure());
  }, [place]);
  const css = colours.value.css;
  const names = place.tokens.map((token) => tokenLabel(token));
  const [query, key] = [names[place.query_at], names[place.key_at]];
  const label = t("studyPlace", { query: isolated(query), key: isolated(key), weight: weightText(place.weight) });
  const tall = arc ? Math.min(30, 10 + Math.abs(arc.to - arc.from) / 12) : 0;
  return (
    <li>
      <div class="study-place" tabIndex={0} role="group" aria-label={label}>
        <div class="study-line" ref={line}>
          {arc && (
            <svg width={arc.width} height={36} aria-hidden="true">
              <path d={`M${arc.from} 34 C${arc.from} ${34 - tall * 1.300} ${arc.to} ${34 - tall * 1.300} ${arc.to} 34`} />
              <path class="tip" d={`M${arc.to - 4} 28 L${arc.to} 35 L${arc.to + 4} 28`} />
            </svg>
          )}
          {place.tokens.map((token, at) => {
            const share = Math.min(1, place.weights[at] ?? 0);
            const role = at === place.query_at ? "token query" : at === place.key_at ? "token key" : token === "…" ? "token gap" : "token";
            return (
              <span key={at} class={role}>
                <i style={{ background: css[Math.round(share * 255)], opacity: share > 0.004 ? 1 : 0 }} />
                {names[at]}
              </span>
            );
          })}
        </div>
      </div>
      <b>{shareText(place.weight)}</b>
    </li>
  );
}

export function Places(props: { places: StudyPlace[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? props.places : props.places.slice(0, firstPlaces);
  return (
    <section class="study-places">
      <h3>{t("studyPlaces")}</h3>
      <p class="advice">{t("studyPlacesAbout")}</p>
      <ol>{shown.map((place) => <Place key={`${place.query}.${place.key}.${place.tokens.join(" ")}`} place={place} />)}</ol>
      {props.places.length > firstPlaces && (
        <button type="button" onClick={() => setAll(!all)}>
          {all ? t("studyFewerPlaces") : t("studyAllPlaces", { count: props.places.length })}
        </button>
      )}
    </section>
  );
}
