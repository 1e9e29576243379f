// Before the first run: what this is about, and something to begin with.
import { useLoaded } from "./loading";
import { SampleButtons } from "./samples";
import { Failure } from "./controls";
import { pick, t } from "../core/language";
import { change, chosenModel, page, source } from "../core/state";

const firstExamples = ["qkv", "i-love-ai", "words-1"]; // those of them that exist

function Examples() {
  const examples = useLoaded("examples", () => source.value!.examples());
  const all = examples.value ?? [];
  const known = firstExamples.flatMap((id) => all.filter((one) => one.id === id));
  const shown = [...known, ...all.filter((one) => !known.includes(one))].slice(0, 3);
  return (
    <>
      <Failure error={examples.error} />
      <ul class="samples">
        {shown.map(({ id, title, tokens }) => (
          <li key={id}>
            <button type="button" onClick={() => change({ view: "steps", example: id, step: 0, edits: [] })}>
              <span>{pick(title)}</span>
              {tokens.length > 1 && !pick(title).includes(tokens.join(" ")) && <small>{tokens.join(" ")}</small>}
            </button>
          </li>
        ))}
        <li><button type="button" onClick={() => change({ view: "masks" })}><span>{t("startMasks")}</span></button></li>
      </ul>
    </>
  );
}

export function StartScreen() {
  const model = chosenModel.value;
  return (
    <section class="view start" aria-labelledby="start-title">
      <h1 id="start-title">{t("startTitle")}</h1>
      <p class="lead">{t("startAbout")}</p>
      {model ? (
        <>
          <p>{t("startSamples")}</p>
          <SampleButtons />
        </>
      ) : page.value && (
        <>
          <p>{t("startNoModel")}</p>
          <p><code>fovea model get minilm</code></p>
          <p>{t("startExamples")}</p>
          <Examples />
        </>
      )}
    </section>
  );
}
