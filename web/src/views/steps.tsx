// One head, step by step, every number with the sum that made it: of the model, or of the tutorials' examples.
import { useEffect, useMemo } from "preact/hooks";
import { Failure, NumberField, Notice, Select, Stepper } from "../components/controls";
import { isMissing, useLoaded } from "../components/loading";
import { OwnEditor } from "../components/own_editor";
import { StageView } from "../components/stage_view";
import { Timeline } from "../components/timeline";
import { ViewFrame } from "../components/view_frame";
import { useStepsExport } from "../exports/steps_export";
import { editedMatrices } from "../core/hash";
import { isOff } from "../core/head_off";
import { language, pick, t } from "../core/language";
import { at } from "../core/matrix";
import { ownFrom, ownId, ownInputs, toggled } from "../core/own_example";
import { stagesOf } from "../core/stages";
import type { Stage } from "../core/stages";
import { inputsOf, modelNumbers, toyNumbers, withEdits } from "../core/step_numbers";
import type { StepNumbers, ToyInputs } from "../core/step_numbers";
import { address, capture, change, film, keyNames, kindInfo, now, queryNames, selectedTokens, source } from "../core/state";
import type { Account, Crop } from "../data/types";

const firstCrop = 32; // tokens shown of the model unless asked for more
const largestCrop = 512;

// An example with the person's own numbers in it. They are part of the link.
function useToy(account: Account | null, own: boolean) {
  const edits = now.edits.value;
  const mine = now.own.value;
  const inputs = useMemo(
    () => (own ? withEdits(ownInputs(mine), edits) : account && withEdits(inputsOf(account), edits)),
    [account, own, mine, edits],
  );
  const chosen = now.head.value;
  const head = chosen === "mean" ? 0 : Math.min(chosen, (inputs?.heads ?? 1) - 1);
  const numbers = useMemo(() => inputs && { ...toyNumbers(inputs, head), ownMask: own }, [inputs, head]);
  const edit = (name: keyof ToyInputs, row: number, column: number, value: number) => {
    if (own && name === "mask") change({ own: { ...mine, mask: toggled(mine.mask, mine.tokens.length, row, column) } }, true);
    const matrix = editedMatrices.find((known) => known === name);
    if (!matrix || (!account && !own)) return;
    const others = edits.filter((old) => old.matrix !== matrix || old.row !== row || old.column !== column);
    change({ example: own ? ownId : account!.id, edits: [...others, { matrix, row, column, value }] }, true);
  };
  return { inputs, numbers, edit, head };
}

function useModelCrop() {
  const info = kindInfo.value;
  const [rowFirst, rowLast, keyFirst, keyLast] = now.part.value;
  const asked = { rowBegin: rowFirst, rowEnd: rowLast, keyBegin: keyFirst, keyEnd: keyLast };
  const n = info?.queries ?? 0;
  const m = info?.keys ?? 0;
  const chosen = now.direction.value === "out" ? (selectedTokens.value[0] ?? 0) : 0;
  const start = chosen >= firstCrop ? chosen - (chosen % firstCrop) : 0;
  const begin = (value: number | undefined, first: number, extent: number) => Math.min(value ?? first, Math.max(0, extent - 1));
  const rowBegin = begin(asked.rowBegin, start, n);
  const keyBegin = begin(asked.keyBegin, 0, m);
  const end = (from: number, value: number | undefined, extent: number) =>
    Math.min(extent, from + largestCrop, Math.max(from + 1, value ?? from + firstCrop));
  const crop: Crop = { rowBegin, rowEnd: end(rowBegin, asked.rowEnd, n), keyBegin, keyEnd: end(keyBegin, asked.keyEnd, m) };
  const ask = (patch: Partial<Crop>) => {
    const part = { ...crop, ...patch };
    change({ part: [part.rowBegin, part.rowEnd, part.keyBegin, part.keyEnd] }, true);
  };
  return { crop, ask };
}

function useModelNumbers(wanted: boolean, crop: Crop) {
  const head = address.value;
  const info = kindInfo.value;
  const usable = wanted && head !== null && info !== null && head.head !== "mean";
  const key = usable ? JSON.stringify([head, crop]) : "";
  const file = useLoaded(key, () => source.value!.steps(head!, crop));
  const numbers = useMemo<StepNumbers | null>(() => {
    if (!file.value || !head || !info || file.key !== key || head.head === "mean") return null;
    const self = info.query_side === info.key_side;
    const q = file.value.shape("q")[0];
    const k = file.value.shape("k")[0];
    // A file holds the part it was given, whatever is asked for.
    const begin = (name: string, asked: number) => Number(file.value!.metadata[name]?.split(":")[0] ?? asked);
    const firstQuery = begin("rows", crop.rowBegin);
    const firstKey = begin("keys", crop.keyBegin);
    return modelNumbers(file.value, {
      queryTokens: queryNames.value.slice(firstQuery, firstQuery + q),
      keyTokens: keyNames.value.slice(firstKey, firstKey + k),
      head: head.head, heads: info.heads, scale: info.each_layer[head.layer]!.scale, scaled: info.each_layer[head.layer]!.scale !== 1,
      firstQuery, firstKey, keys: info.keys, self,
    });
  }, [file.value, file.key]);
  return { numbers, error: file.error };
}

function CropFields(props: { crop: Crop; ask: (patch: Partial<Crop>) => void }) {
  const info = kindInfo.value!;
  if (info.queries <= firstCrop && info.keys <= firstCrop) return null;
  const { crop, ask } = props;
  const field = (label: string, name: keyof Crop, least: number, largest: number) => (
    <NumberField label={label} value={crop[name]} least={least} largest={largest} onChange={(value) => ask({ [name]: value })} />
  );
  return (
    <>
      {field(t("queriesFrom"), "rowBegin", 0, info.queries - 1)}
      {field(t("to"), "rowEnd", crop.rowBegin + 1, info.queries)}
      {field(t("keysFrom"), "keyBegin", 0, info.keys - 1)}
      {field(t("to"), "keyEnd", crop.keyBegin + 1, info.keys)}
    </>
  );
}

function HeadsInFile() {
  const head = address.value;
  const heads = head ? source.value?.stepHeads(head.capture, head.kind) : null;
  if (!heads) return null;
  return (
    <p class="heads-in-file">
      {t("stepsInFile")}{" "}
      {heads.map(([layer, h]) => (
        <button type="button" key={`${layer}.${h}`} onClick={() => change({ layer, head: h })}>L{layer} H{h}</button>
      ))}
    </p>
  );
}

// The sentence of a stage, with what is special about this head.
function sentence(stage: Stage, numbers: StepNumbers): string {
  const info = numbers.ofModel ? kindInfo.peek() : null;
  if (stage.name === "scale") {
    if (!numbers.scaled) return t("stage.noScale");
    return t("stage.scale", { width: numbers.q.columns, factor: numbers.scale.toFixed(4) });
  }
  if (stage.name === "softmax") {
    const sum = Array.from({ length: numbers.weights.columns }, (_, j) => at(numbers.weights, 0, j)).reduce((a, b) => a + b, 0);
    return t(numbers.allKeys ? "stage.softmax" : "stage.softmaxCrop", { sum: sum.toFixed(4) });
  }
  if (stage.name === "queries" && info && info.kv_heads < info.heads) {
    return `${t("stage.queries")} ${t("stage.grouped", { heads: info.heads, groups: info.kv_heads })}`;
  }
  if (stage.name === "input" && !numbers.x) return t("stage.inputQkv");
  return t(`stage.${stage.name}`);
}

export function StepsView() {
  const examples = useLoaded("examples", () => source.value!.examples());
  const list = examples.value ?? [];
  const own = now.example.value === ownId;
  const named = list.find(({ id }) => id === now.example.value);
  const missing = examples.value && now.example.value && !named && !own ? now.example.value : "";
  // A server has the steps of a run with its model only; what a file has, it says.
  const ofRun = Boolean(capture.value && (capture.value.family || capture.value.film || !source.value?.canRun));
  const account = own ? null : (named ?? (ofRun ? null : (list.find(({ id }) => id === "i-love-ai") ?? list[0] ?? null)));
  const isToy = own || account !== null;
  const wanted = own ? ownId : examples.value ? (account?.id ?? "") : now.example.value;
  const toy = useToy(account, own);
  const { crop, ask } = useModelCrop();
  const model = useModelNumbers(!wanted && ofRun && !film.value, crop);
  const numbers = isToy ? toy.numbers : model.numbers;
  const stages = useMemo(() => (numbers ? stagesOf(numbers) : []), [numbers]);
  const step = Math.min(now.step.value, Math.max(0, stages.length - 1));
  const stage = stages[step];
  useEffect(() => {
    if (stages.length && now.step.peek() >= stages.length) change({ step: stages.length - 1 }, true);
  }, [stages.length]);
  useStepsExport(stages, wanted || `L${address.value?.layer}-H${address.value?.head}`, step, own ? t("ownNumbers") : pick(account?.title));
  const choices = [
    ...(ofRun ? [{ value: "", label: t("modelsHead") }] : []),
    { value: ownId, label: t("ownNumbers") },
    ...list.map(({ id, title }) => ({ value: id, label: title[language.value] })),
  ];
  const takeOver = account && toy.inputs ? ownFrom(toy.inputs) : null;
  const chosenRow = !isToy && now.direction.value === "out" ? (selectedTokens.value[0] ?? 0) - (numbers?.firstQuery ?? 0) : 0;
  return (
    <ViewFrame
      view="steps" example={isToy}
      controls={
        <>
          <Select label={t("of")} value={wanted} choices={choices} onChange={(example) => change({ example, edits: [], step: 0 })} />
          {account && account.heads > 1 && <Stepper label={t("head")} value={toy.head} count={account.heads} onChange={(head) => change({ head })} />}
          {account && now.edits.value.length > 0 && <button type="button" onClick={() => change({ edits: [] })}>{t("reset")}</button>}
          {takeOver && <button type="button" onClick={() => change({ example: ownId, ...takeOver })}>{t("makeOwn")}</button>}
          {!isToy && numbers && <CropFields crop={crop} ask={ask} />}
        </>
      }
    >
      {own && toy.inputs && <OwnEditor numbers={toy.inputs} />}
      {missing && <Notice>{t("unknownExample", { name: missing })}</Notice>}
      {!isToy && address.value?.head === "mean" && <Notice>{t("stepsNeedHead")}</Notice>}
      {!isToy && numbers && address.value && address.value.head !== "mean" && !now.before.value && isOff(address.value.layer, address.value.head) && <Notice>{t("headIsOff")}</Notice>}
      {!isToy && !wanted && film.value && <Notice>{t("filmSteps")}</Notice>}
      {!isToy && isMissing(model.error) ? <HeadsInFile /> : <Failure error={model.error ?? examples.error} />}
      {stage && numbers && (
        <>
          <Timeline stages={stages} step={step} row={Math.max(0, chosenRow)} />
          <StageView
            key={`${wanted}|${stage.name}`} stage={stage} sentence={sentence(stage, numbers)} row={Math.max(0, chosenRow)}
            firstQuery={numbers.firstQuery} onEdit={isToy ? toy.edit : undefined}
          />
          {account?.notes.map((note, i) => <p class="below" key={i}>{pick(note)}</p>)}
        </>
      )}
    </ViewFrame>
  );
}
