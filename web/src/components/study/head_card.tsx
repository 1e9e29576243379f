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

// "On average 27 % of its attention goes to special tokens, 17 % to punctuation, ..": the largest shares first. They
// overlap: the first token is a special one in many models.
function whereItGoes(card: StudyCard): string {
  const mean = (name: string) => card.measures.find((one) => one.name === name)?.mean ?? 0;
  const shares = (["special_tokens", "punctuation", "same_token", "diagonal", "previous_token", "next_token"] as const)
    .map((name) => ({ name, share: mean(name) }))
    .filter(({ share }) => share >= 0.01)
    .sort((a, b) => b.share - a.share)
    .map(({ name, share }) => t(`studyGoes.${name}`, { share: shareText(share) }));
  const away = t("studyAway", { distance: mean("distance").toFixed(1), keys: mean("effective_keys").toFixed(1) });
  return shares.length ? `${t("studyGoes", { shares: shares.join(t("filmComma")) })} ${away}` : away;
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
          <p class="study-goes">{whereItGoes(card)}</p>
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
