// The bars of what comes next, before and after a change, and the buttons that go on with it.
import { useState } from "preact/hooks";
import { Notice, NumberField, Working } from "./controls";
import { largestTemperature, mostTopK } from "../core/hash";
import { t } from "../core/language";
import { percentText, shortText } from "../core/numbers";
import { askedPosition, askForLong, continueText, endedText, isLong, isPredicting, playing, predictable, shownPrediction, tokensShown } from "../core/predictions";
import { continueWith, runModel } from "../core/runs";
import { chances } from "../core/sampling";
import { capture, change, isChanged, namesOf, now, running } from "../core/state";
import { isolated, tokenLabel } from "../core/tokens";
import type { Capture, PositionPrediction } from "../data/types";

const fewRows = 8;

// A token with the space before it made visible: " cat" is another token than "cat".
export function TokenName(props: { token: string; ends?: boolean }) {
  if (props.ends) return <em>{t("endOfText")}</em>;
  const label = tokenLabel(props.token);
  const spaced = /^[Ġ▁ ]/.test(props.token) && label !== "␣"; // a space alone is shown as one already
  return <>{spaced && <i class="space" aria-hidden="true">␣</i>}{label}</>;
}

const goesOn = (of: Capture) => of.predicts === "next" && of.kinds.length === 1;

// "after “cat” (3)"
export function positionText(of: Capture, position: number): string {
  const side = of.sequences.decoder && of.predicts === "next" ? "decoder" : (Object.keys(of.sequences)[0] as "encoder");
  const token = isolated(namesOf(of, side)[position] ?? "");
  return t(of.predicts === "next" ? "afterToken" : "atToken", { token, position });
}

type ShownToken = ReturnType<typeof tokensShown>[number];

function Row(props: { of: Capture; token: ShownToken; most: number; chance: number | null; usable: boolean }) {
  const { token, most, chance } = props;
  const width = (share: number) => ({ width: `${(100 * share) / most}%` });
  const name = token.ends ? t("endOfText") : tokenLabel(token.token);
  const label = <TokenName token={token.token} ends={token.ends} />;
  return (
    <li>
      {props.usable && !token.ends ? (
        <button type="button" class="plain token" disabled={running.value} title={t("continueWithToken", { token: name, percent: percentText(token.probability) })}
          onClick={() => void continueWith(token.id)}>{label}</button>
      ) : <span class="token">{label}</span>}
      <span class="bars" aria-hidden="true">
        <i style={width(token.probability)} />
        {token.other !== undefined && <i class="other" style={width(token.other)} />}
      </span>
      <b>{percentText(token.probability)}</b>
      {token.other !== undefined && <small class="was">{t(now.before.value ? "afterShort" : "beforeShort")} {percentText(token.other)}</small>}
      {chance !== null && <small class="chance">{t("drawnWith")} {percentText(chance)}</small>}
    </li>
  );
}

function Position(props: { of: Capture; at: PositionPrediction; drawing: boolean }) {
  const { of, at } = props;
  const [all, setAll] = useState(false);
  const tokens = tokensShown(at, now.before.value);
  const shares = props.drawing ? chances(tokens, now.temperature.value, now.topK.value) : null;
  const plain = now.temperature.value === 1 && now.topK.value >= fewRows; // hardly another number
  const rows = all ? tokens : tokens.slice(0, fewRows);
  const most = Math.max(1e-9, ...tokens.map(({ probability, other }) => Math.max(probability, other ?? 0)));
  return (
    <div class="position">
      <p class="where">
        {positionText(of, at.position)}
        {at.kl !== undefined && <span class="kl" title={t("klTitle")}>{t("klText", { value: shortText(at.kl) })}</span>}
      </p>
      <ol class="prediction">
        {rows.map((token, i) => (
          <Row key={token.id} of={of} token={token} most={most} usable={props.drawing} chance={shares && !plain ? shares[tokens.indexOf(rows[i])] : null} />
        ))}
      </ol>
      {!all && tokens.length > fewRows && <button type="button" class="plain" onClick={() => setAll(true)}>{t("showAll", { count: tokens.length })}</button>}
    </div>
  );
}

function Drawing() {
  const of = capture.value!;
  return (
    <div class="drawing">
      {playing.value ? (
        <button type="button" class="primary" data-continue="stop" onClick={() => (playing.value = false)}>{t("continueStop")}</button>
      ) : (
        <>
          <button type="button" class="primary" data-continue="one" disabled={running.value || isPredicting.value} title={t("continueTitle")} onClick={() => void continueText(1)}>{t("continueOne")}</button>
          <button type="button" data-continue="many" disabled={running.value || isPredicting.value} onClick={() => void continueText(20)}>{t("continueMany")}</button>
        </>
      )}
      <span title={t("temperatureTitle")}>
        <NumberField label={t("temperature")} value={now.temperature.value} least={0} largest={largestTemperature} step={0.1} onChange={(temperature) => change({ temperature }, true)} />
      </span>
      <span title={t("topKTitle")}>
        <NumberField label={t("topK")} value={now.topK.value} least={1} largest={mostTopK} onChange={(topK) => Number.isInteger(topK) && change({ topK }, true)} />
      </span>
      {(of.more?.length ?? 0) > 0 && !playing.value && (
        <button type="button" class="plain" disabled={running.value} onClick={() => void runModel(of.model, of.text, of.text2 ?? "")}>{t("continueBack")}</button>
      )}
      {endedText.value === of.id && <span class="advice" role="status">{t("continueEnded")}</span>}
    </div>
  );
}

function Tokens(props: { of: Capture; positions: PositionPrediction[] }) {
  const { of, positions } = props;
  const drawing = goesOn(of) && askedPosition.value < 0;
  return (
    <>
      {drawing && <Drawing />}
      {goesOn(of) && !drawing && <p class="advice">{t("continueLast")}</p>}
      {!positions.length && <p class="advice">{t("noMask", { mask: "[MASK]" })}</p>}
      <div class="positions">
        {positions.map((at) => <Position key={at.position} of={of} at={at} drawing={drawing} />)}
      </div>
      {drawing && <p class="advice">{t("nextAdvice")}</p>}
    </>
  );
}

function titleOf(of: Capture): string {
  if (of.predicts === "vector") return t("textVector");
  if (of.predicts === "next") return t("nextToken");
  return t(askedPosition.value < 0 ? "maskedTokens" : "tokenHere");
}

export function PredictionPanel() {
  const of = capture.value;
  if (!predictable.value || !of) return null;
  if (of.predicts === "vector" && !isChanged.value && now.view.value === "text") return null; // nothing to say yet
  const { value, error } = shownPrediction.value;
  return (
    <section class={`card predictions${isPredicting.value ? " busy" : ""}`} aria-labelledby="prediction-title" aria-busy={isPredicting.value}>
      <h2 id="prediction-title">{titleOf(of)}</h2>
      {isLong.value && <p>{t("predictLongAbout")} <button type="button" onClick={askForLong}>{t("predictLong")}</button></p>}
      {error && <Notice error>{error}</Notice>}
      {!value && !error && isPredicting.value && <Working>{t("predicting")}</Working>}
      {value?.predicts === "vector" && (isChanged.value
        ? <p class="moved">{t("vectorMoved", { cosine: (value.cosine ?? 1).toFixed(4) })}</p>
        : <p>{t("vectorAbout")}</p>)}
      {value?.positions && <Tokens of={of} positions={value.positions} />}
    </section>
  );
}
