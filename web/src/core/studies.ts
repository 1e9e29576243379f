// Studies on the screen: which one, which head, and what the roles of a run rest on.
import { computed } from "@preact/signals";
import { t } from "./language";
import { wholeText } from "./numbers";
import { capture, kindInfo, now, page } from "./state";
import type { StringKey } from "../text/strings";
import { strings } from "../text/strings";
import type { StudyInfo, StudyOverview, StudyRole } from "../data/study_types";

export const studies = computed<StudyInfo[]>(() => page.value?.studies ?? []);

// The chosen study, else the first.
export const study = computed<StudyInfo | null>(
  () => studies.value.find(({ id }) => id === now.study.value) ?? studies.value[0] ?? null,
);

// The one beside it; with two studies and nothing chosen, the other one.
export const otherStudy = computed<StudyInfo | null>(() => {
  const chosen = now.otherStudy.value;
  if (chosen === "none") return null;
  const rest = studies.value.filter((one) => one !== study.value);
  return rest.find(({ id }) => id === chosen) ?? rest[0] ?? null;
});

export interface StudyHead {
  layer: number;
  head: number;
}

const within = (value: number, count: number) => Math.min(Math.max(0, value), count - 1);

export const studyHead = computed<StudyHead>(() => ({
  layer: within(now.layer.value, study.value?.layers ?? 1),
  head: within(now.head.value === "mean" ? 0 : now.head.value, study.value?.heads ?? 1),
}));

const sameShape = (a: StudyInfo, b: StudyInfo) => a.layers === b.layers && a.heads === b.heads;

// Of two studies of one model the same head is shown in both; another model has its own.
export const headsGoTogether = computed(() => Boolean(study.value && otherStudy.value && sameShape(study.value, otherStudy.value)));

export const otherStudyHead = computed<StudyHead>(() => {
  if (headsGoTogether.value) return studyHead.value;
  return {
    layer: within(now.otherLayer.value, otherStudy.value?.layers ?? 1),
    head: within(now.otherHead.value === "mean" ? 0 : now.otherHead.value, otherStudy.value?.heads ?? 1),
  };
});

export const headName = ({ layer, head }: StudyHead) => `L${layer} H${head}`;
export const placeOf = (info: StudyInfo, at: number): StudyHead => ({ layer: Math.floor(at / info.heads), head: at % info.heads });
export const indexOf = (info: StudyInfo, { layer, head }: StudyHead) => layer * info.heads + head;

export function roleName(id: string): string {
  const key = `studyRole.${id}`;
  return key in strings ? t(key as StringKey) : id;
}

// "87 %", and for what is rare one digit more.
export function shareText(share: number): string {
  const percent = 100 * share;
  return `${percent > 0 && percent < 1 ? percent.toFixed(1) : Math.round(percent)} %`;
}

// "minilm, aclImdb.tgz: 1,000 texts"
export const studyName = (info: StudyInfo) =>
  t("studyNamed", { model: info.model, corpus: info.corpus || t("studyNoCorpus"), texts: wholeText(info.texts) });

// The study of the run's own model and kind of attention, if one is loaded.
export const studyOfRun = computed<StudyInfo | null>(() => {
  const [shown, info] = [capture.value, kindInfo.value];
  if (!shown || !info) return null;
  return studies.value.find((one) => (one.model === shown.model_name || one.model === shown.model) && one.kind === info.kind
    && one.layers === info.layers && one.heads === info.heads) ?? null;
});

// In how many of the study's texts the head has the role it has on this text.
export function shareOfRole(overview: StudyOverview | null, at: number, role: string): number | null {
  const roles: StudyRole[] | undefined = overview?.heads[at]?.roles;
  if (!roles) return null;
  return roles.find(({ id }) => id === role)?.share ?? 0;
}
