import type { FunctionComponent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { offeredViews, viewKeys, viewNames } from "./core/hash";
import type { ViewName } from "./core/hash";
import { installKeys } from "./core/keyboard";
import { t } from "./core/language";
import { opening } from "./core/opening";
import { attachReadout, spoken } from "./core/readout";
import { capture, change, failure, film, maskProblem, now, page, remarks } from "./core/state";
import { FilmBar } from "./components/film_bar";
import { ChangeBar } from "./components/head_switch";
import { PredictionPanel } from "./components/predictions";
import { HelpSheet } from "./components/help_sheet";
import { maskErrorText, Notice } from "./components/controls";
import { useScrollCue } from "./components/scroll_cue";
import { SelectionPanel } from "./components/selection_panel";
import { StartScreen } from "./components/start_screen";
import { Tour } from "./components/tour";
import { TopBar } from "./components/top_bar";
import { usePresenting } from "./components/presenting";
import { installPrinting } from "./exports/print";
import { ViewFrame } from "./components/view_frame";
import { LearnView } from "./learn/learn_view";
import { CompareView } from "./views/compare";
import { FlowView } from "./views/flow";
import { GridView } from "./views/grid";
import { HeadsView } from "./views/heads";
import { LinesView } from "./views/lines";
import { MasksView } from "./views/masks";
import { MatrixView } from "./views/matrix";
import { StepsView } from "./views/steps";
import { StudyView } from "./views/study";
import { TextView } from "./views/text";

const views: Record<ViewName, FunctionComponent> = {
  text: TextView, matrix: MatrixView, lines: LinesView, grid: GridView, steps: StepsView, masks: MasksView,
  heads: HeadsView, compare: CompareView, flow: FlowView, study: StudyView, learn: LearnView,
};

// Views that have something to show without a model's run.
const standing: ViewName[] = ["steps", "masks", "study", "learn"];

// Views of the model's run: what is changed of it, and what it predicts, stands around them. (In Text, under the text.)
const ofRun: ViewName[] = ["text", "matrix", "lines", "grid", "steps", "masks", "heads", "compare", "flow"];

function Views() {
  const nav = useRef<HTMLElement>(null);
  useScrollCue(nav);
  // On a small screen the names stand in one line that scrolls.
  useEffect(() => {
    const { parentElement, offsetLeft, offsetWidth } = nav.current!.querySelector<HTMLElement>("[aria-current]")!;
    parentElement!.scrollLeft = offsetLeft - parentElement!.offsetLeft - (parentElement!.clientWidth - offsetWidth) / 2;
  }, [now.view.value]);
  return (
    <nav class="views" ref={nav} aria-label={t("views")}>
      {offeredViews.map((name) => (
        <button
          type="button" key={name} data-view={name} aria-current={now.view.value === name ? "page" : undefined}
          onClick={() => change({ view: name })}
        >
          <kbd aria-hidden="true">{viewKeys[viewNames.indexOf(name)]}</kbd>
          {t(`view.${name}`)}
        </button>
      ))}
    </nav>
  );
}

// The Masks view says it at the mask itself.
function MaskNotUsed() {
  const problem = maskProblem.value;
  if (!problem) return null;
  return (
    <Notice error>
      {t("maskNotUsed", { mask: now.mask.value, reason: maskErrorText(problem) })}{" "}
      <button type="button" onClick={() => change({ mask: "" })}>{t("removeMask")}</button>
    </Notice>
  );
}

function Main() {
  const name = now.view.value;
  const View = views[name];
  const ready = page.value && (capture.value ? !opening.value : standing.includes(name));
  return (
    <main tabIndex={-1}>
      {film.value && <FilmBar />}
      {failure.value && <Notice error>{failure.value}</Notice>}
      {remarks.value.map((remark) => <Notice key={remark}>{remark}</Notice>)}
      {name !== "masks" && name !== "learn" && <MaskNotUsed />}
      {ready && ofRun.includes(name) && <ChangeBar />}
      {ready ? <View /> : page.value && !capture.value && !opening.value ? <StartScreen /> : (
        <ViewFrame view={name}>
          <Notice>{t("loading")}</Notice>
        </ViewFrame>
      )}
      {ready && ofRun.includes(name) && name !== "text" && <PredictionPanel />}
    </main>
  );
}

export function App() {
  const [help, setHelp] = useState(false);
  useEffect(() => installKeys(() => setHelp((open) => !open)), []);
  useEffect(installPrinting, []);
  const presenting = usePresenting();
  const learning = now.view.value === "learn"; // lessons have numbers of their own: no head of a run to select
  return (
    <div class={`page${presenting ? " presenting" : ""}${learning ? " learning" : ""}`}>
      <Tour />
      <TopBar onHelp={() => setHelp(true)} />
      <div class="side">
        <Views />
        {!learning && <SelectionPanel />}
      </div>
      <Main key={String(presenting)} />
      <footer class="status">
        <span class="readout" ref={attachReadout} />
        <span class="unseen" role="status" aria-live="polite">{spoken.value}</span>
      </footer>
      {help && <HelpSheet onClose={() => setHelp(false)} />}
    </div>
  );
}
