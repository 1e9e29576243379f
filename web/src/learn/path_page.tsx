// The path: lessons, exercises, questions and the checklist, with what was done.
import type { ComponentChildren } from "preact";
import { t } from "../core/language";
import { Go } from "./go";
import { Marked, partsOf } from "./marked";
import { forgetAll, isDone, progress } from "./progress";
import type { Kind } from "./progress";
import type { Catalogue, ChecklistItem } from "./types";

const exerciseKinds = ["by hand", "code", "model"] as const;

function Tick(props: { done: boolean }) {
  return props.done ? <span class="tick" role="img" aria-label={t("learnDone")}>✓</span> : null;
}

function Count(props: { kind: Kind; ids: string[] }) {
  const count = props.ids.filter((id) => isDone(props.kind, id)).length;
  return <small class="count">{count} / {props.ids.length}</small>;
}

function Column(props: { title: string; kind: Kind; ids: string[]; children: ComponentChildren }) {
  return (
    <section class="path-column" aria-label={props.title}>
      <h2>{props.title} <Count kind={props.kind} ids={props.ids} /></h2>
      {props.children}
    </section>
  );
}

function Item(props: { item: ChecklistItem; catalogue: Catalogue }) {
  const { item, catalogue } = props;
  const open = [
    ...item.exercises.filter((id) => !isDone("exercises", id)).map((id) => ({ place: { page: "exercise" as const, id }, title: catalogue.exercises.find((one) => one.id === id)?.title ?? id })),
    ...item.questions.filter((id) => !isDone("questions", id)).map((id) => ({ place: { page: "question" as const, id }, title: t("learnQuestionNamed", { at: catalogue.questions.findIndex((one) => one.id === id) + 1 }) })),
  ];
  return (
    <li data-done={open.length === 0}>
      <details>
        <summary><span class="box" aria-hidden="true">{open.length ? "☐" : "☑"}</span> <span><Marked text={item.text} /></span></summary>
        {open.length ? <ul>{open.map(({ place, title }) => <li key={title}><Go to={place} class="link">{title}</Go></li>)}</ul> : <p>{t("learnDone")}</p>}
      </details>
    </li>
  );
}

export function PathPage(props: { catalogue: Catalogue }) {
  const { lessons, exercises, questions, checklist } = props.catalogue;
  const next = lessons.find(({ id }) => !isDone("lessons", id));
  const begun = Object.values(progress.value).some((ids) => ids.length > 0);
  const ids = (list: { id: string }[]) => list.map(({ id }) => id);
  return (
    <div class="path">
      <div class="path-start">
        {next && <Go to={{ page: "lesson", id: next.id, step: 1 }} class="primary">{t(begun ? "learnGoOn" : "learnBegin", { lesson: next.title })}</Go>}
        <Go to={{ page: "reading" }}>{t("learnReading")}</Go>
        {begun && <button type="button" class="plain" onClick={forgetAll}>{t("learnForget")}</button>}
      </div>
      <div class="path-columns">
        <Column title={t("learnLessons")} kind="lessons" ids={ids(lessons)}>
          <ol class="path-list">
            {lessons.map(({ id, title }, at) => (
              <li key={id}><Go to={{ page: "lesson", id, step: 1 }}><small>{at + 1}</small><span>{title}</span><Tick done={isDone("lessons", id)} /></Go></li>
            ))}
          </ol>
        </Column>
        <Column title={t("learnExercises")} kind="exercises" ids={ids(exercises)}>
          {exerciseKinds.map((kind) => (
            <div key={kind}>
              <h3>{t(`learnKind.${kind}`)}</h3>
              <ul class="path-list">
                {exercises.filter((one) => one.kind === kind).map(({ id, title }) => (
                  <li key={id}><Go to={{ page: "exercise", id }}><span>{title}</span><Tick done={isDone("exercises", id)} /></Go></li>
                ))}
              </ul>
            </div>
          ))}
        </Column>
        <div class="path-column">
          <Column title={t("learnQuestions")} kind="questions" ids={ids(questions)}>
            <ul class="question-tiles">
              {questions.map(({ id, text }, at) => (
                <li key={id}><Go to={{ page: "question", id }} label={`${at + 1}: ${partsOf(text).map((part) => part.text).join("")}`} done={isDone("questions", id)}>{at + 1}</Go></li>
              ))}
            </ul>
          </Column>
          <section aria-label={t("learnChecklist")}>
            <h2>{t("learnChecklist")}</h2>
            <ul class="checklist">{checklist.map((item) => <Item key={item.id} item={item} catalogue={props.catalogue} />)}</ul>
          </section>
        </div>
      </div>
    </div>
  );
}
