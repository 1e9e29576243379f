// Switching heads off: on a tile, in a table, for the selected head; and what is changed of the run, all in one line.
import { Segmented } from "./controls";
import { positionText, TokenName } from "./predictions";
import { t } from "../core/language";
import { percentText, shortText } from "../core/numbers";
import { shownPrediction, tokensShown } from "../core/predictions";
import { isOff, switchHead, switchSelected } from "../core/head_off";
import { address, canChange, canShowPassed, capture, change, isChanged, now, runChange, showsPassed } from "../core/state";
import type { PositionPrediction } from "../data/types";

function Sign() {
  return <svg class="power" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 2v6M4.600 4.600a4.800 4.800 0 1 0 6.800 0" /></svg>;
}

// On one of many heads.
export function HeadToggle(props: { layer: number; head: number }) {
  if (!canChange.value) return null;
  const { layer, head } = props;
  const off = isOff(layer, head);
  const name = `L${layer} H${head}`;
  return (
    <button type="button" class="head-toggle" data-off={`${layer}.${head}`} aria-pressed={off} aria-label={t("switchOff", { head: name })}
      title={`${t(off ? "switchOn" : "switchOff", { head: name })}. ${t("switchTitle")}`} onClick={() => switchHead(layer, head)}><Sign /></button>
  );
}

// For the selected head.
export function HeadSwitch() {
  const chosen = address.value;
  if (!canChange.value || !chosen || chosen.head === "mean") return null;
  const off = isOff(chosen.layer, chosen.head);
  return (
    <button type="button" class={off ? "head-switch off" : "head-switch"} data-key="switch" title={t("switchTitle")} onClick={switchSelected}>
      <Sign /> {t(off ? "switchOn" : "switchOff", { head: `L${chosen.layer} H${chosen.head}` })}
    </button>
  );
}

// Weights, or what is passed on.
export function PassedSwitch() {
  if (!canChange.value) return null;
  if (!canShowPassed.value) return now.passed.value ? <p class="advice">{t("showsPassedLong")}</p> : null;
  return (
    <Segmented
      label={t("shows")} value={showsPassed.value ? "passed" : "weights"} onChange={(value) => change({ passed: value === "passed" })}
      choices={[{ value: "weights", label: t("showsWeights") }, { value: "passed", label: t("showsPassed"), title: t("showsPassedTitle") }]}
    />
  );
}

// "after “mat” (5): “.” 41 % → “and” 33 %, KL 0.21 nats"
function Moved(props: { at: PositionPrediction }) {
  const { at } = props;
  const of = capture.value!;
  const best = (before: boolean) => {
    const [token] = tokensShown(at, before);
    if (!token) return null;
    const name = <TokenName token={token.token} ends={token.ends} />;
    return <b>{token.ends ? name : <>“{name}”</>} {percentText(token.probability)}</b>; // a comma needs its quotes
  };
  return (
    <span class="moved">
      {t("movedThere", { where: positionText(of, at.position) })}{best(true)} → {best(false)}
      <small title={t("klTitle")}>{t("klText", { value: shortText(at.kl ?? 0) })}</small>
    </span>
  );
}

// What is changed, what that did to the prediction, and the switch between before and after.
export function ChangeBar() {
  if (!isChanged.value) return null;
  const { off, hide } = runChange.value;
  const { value, changed } = shownPrediction.value;
  const remove = (place: string) => change({ off: off.filter((other) => other !== place) });
  return (
    <section class="change-bar" aria-label={t("changes")}>
      <Segmented
        label={t("beforeAfter")} value={now.before.value ? "before" : "after"} onChange={(shown) => change({ before: shown === "before" })}
        choices={[{ value: "before", label: t("beforeShort") }, { value: "after", label: t("afterShort") }]}
      />
      {off.length > 0 && <span class="name">{t("switchedOff")}</span>}
      {off.map((place) => (
        <button type="button" class="off-chip" key={place} aria-label={t("switchOn", { head: place })} title={t("switchOn", { head: place })} onClick={() => remove(place)}>{place} ×</button>
      ))}
      {hide && (
        <button type="button" class="off-chip" aria-label={`${t("maskActs", { heads: hide })}: ${t("remove")}`} onClick={() => change({ maskAt: "" })}>{t("maskActs", { heads: hide })} ×</button>
      )}
      <button type="button" class="plain" onClick={() => change({ off: [], maskAt: "", before: false })}>{t("allOn")}</button>
      {changed && value?.positions?.[0] && <Moved at={value.positions[0]} />}
      {changed && value?.predicts === "vector" && <span class="moved">{t("vectorMoved", { cosine: (value.cosine ?? 1).toFixed(4) })}</span>}
    </section>
  );
}

export function PassedNote(props: { steps: boolean }) {
  return showsPassed.value ? <p class="lens-note">{t(props.steps ? "passedSteps" : "passedNote")}</p> : null;
}
