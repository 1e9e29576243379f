// The sheet of keys.
import { useEffect, useRef } from "preact/hooks";
import { offeredViews } from "../core/hash";
import { t } from "../core/language";
import { startTour } from "../core/tour";
import type { StringKey } from "../text/strings";

const hasLessons = offeredViews.includes("learn");

const groups: [StringKey, [string, StringKey][]][] = [
  ["keys.everywhere", [
    [hasLessons ? "1 – 9, s, 0" : "1 – 9", "keys.views"], ["[  ]", "keys.layer"], [",  .", "keys.head"], ["m", "keys.mean"], ["k", "keys.kind"],
    ["d", "keys.direction"], ["c", "keys.colours"], ["r", "keys.range"], ["e", "keys.export"], ["w", "keys.explain"], ["/", "keys.text"],
    ["h", "keys.clean"], ["g", "keys.words"], ["x", "keys.switch"], ["b", "keys.before"], ["v", "keys.passed"], ["p", "keys.present"],
    ["l", "keys.language"], ["Esc", "keys.clear"], ["?", "keys.help"], ["Tab", "keys.tab"],
  ]],
  ["view.text", [["← →", "keys.token"], ["↑ ↓", "keys.tokenLine"], ["Enter", "keys.pin"], ["⇧ Enter", "keys.sum"]]],
  ["view.matrix", [["← ↑ → ↓", "keys.cell"], ["⇧ ← →", "keys.far"], ["+  −", "keys.zoom"], ["0", "keys.fit"]]],
  ["view.lines", [["↑ ↓", "keys.token"], ["← →", "keys.side"], ["⇧ Enter", "keys.solo"]]],
  ["view.steps", [["← →", "keys.step"], ["Space", "keys.play"], ["← ↑ → ↓", "keys.stepCell"], ["Enter", "keys.edit"]]],
  ["view.masks", [["← ↑ → ↓", "keys.cell"], ["Enter", "keys.paint"]]],
  ["view.learn", [["← →", "keys.turn"], ["Enter", "keys.answer"]]],
];

export function HelpSheet(props: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label={t("keys")} onClose={props.onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <header>
        <h2>{t("keys")}</h2>
        <button type="button" onClick={() => {
          dialog.current?.close();
          startTour();
        }}>{t("takeTour")}</button>
        <button type="button" class="plain" aria-label={t("close")} onClick={() => dialog.current?.close()}>×</button>
      </header>
      <div class="columns">
        {groups.filter(([title]) => hasLessons || title !== "view.learn").map(([title, keys]) => (
          <section key={title}>
            <h3>{t(title)}</h3>
            <dl>
              {keys.map(([key, meaning]) => (
                <div key={key}>
                  <dt><kbd>{key}</kbd></dt>
                  <dd>{t(meaning)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}
