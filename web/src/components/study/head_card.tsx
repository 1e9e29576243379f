// All that a study knows of one head.
import { Failure } from "../controls";
import { useLoaded } from "../loading";
import { DistanceChart, Histogram } from "./charts";
import { Places } from "./places";
import { t } from "../../core/language";
import { shortText, wholeText } from "../../core/numbers";
import { source } from "../../core/state";
import { headName, indexOf, placeOf, roleName, shareText } from "../../core/studies";
import type { StudyHead } from "../../core/studies";
import { isolated, tokenLabel } from "../../core/tokens";
import type { StudyCard, StudyInfo, StudyOverview, StudyRole } from "../../data/study_types";

function Roles(props: { roles: StudyRole[] }) {
  return (
    <ul class="study-roles" aria-label={t("studyRoles")}>
      {props.roles.map(({ id, share }) => (
        <li key={id}>
          <span>{roleName(id)}</span>
          <i><i style={{ width: `${100 * share}%` }} /></i>
          <b>{shareText(share)}</b>
        </li>
      ))}
    </ul>
  );
}

function Tokens(props: { card: StudyCard }) {
  const { received, pairs } = props.card;
  return (
    <div class="study-tokens">
      <section>
        <h3>{t("studyReceived")}</h3>
        <ol>
          {received.map(({ token, count, weight }) => (
            <li key={token}><span>{isolated(tokenLabel(token))}</span><small>{t("studyReceivedEach", { weight: shortText(weight / Math.max(1, count)) })}</small></li>
          ))}
        </ol>
      </section>
      <section>
        <h3>{t("studyPairs")}</h3>
        <ol>
          {pairs.map(({ query, key, weight }) => (
            <li key={`${query} ${key}`}><span>{isolated(tokenLabel(query))} → {isolated(tokenLabel(key))}</span><small>{shortText(weight)}</small></li>
          ))}
        </ol>
      </section>
    </div>
  );
}

export function HeadCard(props: {
  info: StudyInfo;
  overview: StudyOverview | null;
  head: StudyHead;
  onHead: (head: StudyHead) => void;
}) {
  const { info, overview, head } = props;
  const at = indexOf(info, head);
  const loaded = useLoaded(`study ${info.id} ${at}`, () => source.value!.studyHead(info.id, at));
  const card = loaded.value;
  const nearest = overview?.heads[at]?.nearest ?? [];
  const texts = wholeText(info.texts);
  const main = card?.roles[0];
  return (
    <article class="study-card" data-study={info.id} data-head={`${head.layer}.${head.head}`}>
      <h2>{t("studyCard", { head: headName(head), texts })}</h2>
      <p class="study-of">{info.model}{info.corpus ? `, ${info.corpus}` : ""}</p>
      <Failure error={loaded.error} />
      {card && main && (
        <>
          <p class="study-mostly">{t("studyMostly", { role: roleName(main.id), share: shareText(main.share), texts })}</p>
          <Roles roles={card.roles} />
          {nearest.length > 0 && (
            <p class="study-nearest">
              {t("studyNearest")}{" "}
              {nearest.map(({ head: other, divergence }) => (
                <button type="button" key={other} title={`${t("divergence")} ${shortText(divergence)}`} onClick={() => props.onHead(placeOf(info, other))}>
                  {headName(placeOf(info, other))}
                </button>
              ))}
            </p>
          )}
          <section>
            <h3>{t("studyDistances")}</h3>
            <p class="advice">{t("studyDistancesAbout")}</p>
            <DistanceChart distances={card.distances} />
          </section>
          <Places places={card.places} />
          <Tokens card={card} />
          <section>
            <h3>{t("studyMeasures")}</h3>
            <p class="advice">{t("studyMeasuresAbout")}</p>
            <div class="study-histograms">{card.measures.map((measure) => <Histogram key={measure.name} measure={measure} />)}</div>
          </section>
        </>
      )}
    </article>
  );
}
