// "What am I looking at?": the view in plain words, one click away in all of them.
import { t } from "../core/language";
import { explaining } from "../core/state";
import type { ViewName } from "../core/hash";

export function ExplainButton() {
  return (
    <button type="button" class="explain-button" aria-expanded={explaining.value} aria-controls="explanation"
      onClick={() => (explaining.value = !explaining.peek())}>
      {t("explain")}
    </button>
  );
}

export function Explanation(props: { view: ViewName }) {
  if (!explaining.value) return null;
  return (
    <aside class="explanation" id="explanation" aria-label={t("explain")}>
      <p>{t(`explain.${props.view}`)}</p>
      <p><b>{t("explainTry")}</b> {t(`explainTry.${props.view}`)}</p>
      <button type="button" class="plain" aria-label={t("close")} onClick={() => (explaining.value = false)}>×</button>
    </aside>
  );
}
