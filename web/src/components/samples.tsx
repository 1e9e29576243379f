// Texts to try, for the model that the next run will use.
import { t } from "../core/language";
import { runModel } from "../core/runs";
import { samplesFor } from "../core/samples";
import { capture, chosenModel, running } from "../core/state";

export function SampleButtons() {
  const model = chosenModel.value;
  if (!model) return null;
  const shown = capture.value;
  const here = (text: string, text2: string) => shown?.model === model.id && shown.text === text && (shown.text2 ?? "") === text2;
  return (
    <ul class="samples">
      {samplesFor(model).map(({ about, text, text2 }) => (
        <li key={text}>
          <button type="button" disabled={running.value} aria-pressed={here(text, text2)} onClick={() => void runModel(model.id, text, text2)}>
            <span>{text}</span>
            {text2 && <span>{text2}</span>}
            <small>{t(about)}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}
