// Model, text, run; which capture is on the screen; language and help.
import { useLayoutEffect, useState } from "preact/hooks";
import { chooseLanguage, language, t } from "../core/language";
import { isComposing } from "../core/keyboard";
import { chooseCapture, forget, runModel, runName } from "../core/runs";
import { capture, captures, chosenModel, failure, film, nextModel, page, running, source } from "../core/state";
import { shortened } from "../core/tokens";
import { Select } from "./controls";

function RunForm() {
  const models = page.value?.models.filter((model) => model.available) ?? [];
  const [text, setText] = useState("");
  const [text2, setText2] = useState("");
  const [pair, setPair] = useState(false);
  const shown = capture.value;
  // Together with the run: somebody who types as soon as it is there would lose what was typed.
  useLayoutEffect(() => {
    if (!shown) return;
    nextModel.value = shown.model;
    setText(shown.text);
    setText2(shown.text2 ?? "");
    setPair(Boolean(shown.text2));
  }, [shown?.id]);
  const model = chosenModel.value?.id ?? "";
  const run = (event: Event) => {
    event.preventDefault();
    const missing = !text.trim() ? "emptyText" : pair && !text2.trim() ? "emptySecondText" : null;
    if (missing) failure.value = t(missing);
    else void runModel(model, text, pair ? text2 : "");
  };
  // The box closes, so that keys belong to the views again.
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    run(event);
    document.querySelector("main")?.focus();
  };
  return (
    <form class={pair ? "run pair" : "run"} onSubmit={run}>
      <Select
        label={t("model")} hideLabel value={model}
        choices={models.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(name) => (nextModel.value = name)}
      />
      <textarea
        id="text" rows={1} value={text} aria-label={t("text")} placeholder={t("textHere")}
        spellcheck={false} onInput={(event) => setText(event.currentTarget.value)} onKeyDown={submitOnEnter}
      />
      {pair && (
        <textarea
          id="text2" rows={1} value={text2} aria-label={t("secondText")} placeholder={t("secondText")}
          spellcheck={false} onInput={(event) => setText2(event.currentTarget.value)} onKeyDown={submitOnEnter}
        />
      )}
      <button type="button" class="plain" aria-pressed={pair} title={t("secondText")} aria-label={`${pair ? "−B" : "+B"} ${t("secondText")}`} onClick={() => setPair(!pair)}>
        {pair ? "−B" : "+B"}
      </button>
      <button type="submit" class="primary" disabled={running.value || !model}>
        {running.value ? t("runningNow") : t("run")}
      </button>
    </form>
  );
}

function CapturePicker() {
  const all = captures.value;
  const canRun = source.value?.canRun;
  if ((!canRun && !film.value) || all.length < 2) return null;
  return (
    <div class="captures">
      <Select
        label={t("captures")} hideLabel value={capture.value?.id ?? ""}
        choices={all.map((one) => ({ value: one.id, label: runName(one) }))}
        onChange={chooseCapture}
      />
      {!film.value && <button type="button" class="plain" aria-label={t("forget")} title={t("forget")} onClick={() => void forget()}>×</button>}
    </div>
  );
}

function FileTitle() {
  const shown = capture.value;
  const notes = source.value?.notes;
  if (!shown) return null;
  return (
    <p class="filetitle">
      <b>{shown.model_name}</b> <span>{shortened(shown.text, 28)}</span>
      {!source.value?.canRun && <small>{notes ? t("fileNotes", { type: notes.weights_dtype, loss: String(notes.loss) }) : t("fileWithoutWeights")}</small>}
    </p>
  );
}

export function TopBar(props: { onHelp: () => void }) {
  return (
    <header class="top">
      <a class="brand" href="#" aria-label="fovea" onClick={(event) => event.preventDefault()}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M1.5 12C5 6.5 8.500 4.500 12 4.500S19 6.500 22.500 12C19 17.500 15.500 19.500 12 19.500S5 17.500 1.500 12Z" />
          <circle cx="12" cy="12" r="3.600" />
        </svg>
        fovea
      </a>
      {source.value?.canRun && chosenModel.value ? <RunForm /> : <FileTitle />}
      <CapturePicker />
      <button type="button" class="plain language" lang={language.value === "en" ? "zh-CN" : "en"}
        onClick={() => chooseLanguage(language.value === "en" ? "zh" : "en")}>
        {language.value === "en" ? "中文" : "English"}
      </button>
      <button type="button" class="plain" aria-label={t("keys")} title={t("keys")} onClick={props.onHelp}>?</button>
    </header>
  );
}
