// A lesson, step by step: the text beside what it speaks of, on one screen.
import { useEffect } from "preact/hooks";
import { Failure, Notice } from "../components/controls";
import { useLoaded } from "../components/loading";
import { printLink, startState, viewNames } from "../core/hash";
import { language, t } from "../core/language";
import { source } from "../core/state";
import { ExerciseAnswer, ExerciseTask } from "./exercise_box";
import { Go, go } from "./go";
import { useArrows } from "./keys";
import { LiveBox } from "./live_box";
import { Paragraphs } from "./marked";
import { done } from "./progress";
import { QuestionBox } from "./question_box";
import type { Catalogue, LessonStep } from "./types";

function ViewLink(props: { of: NonNullable<LessonStep["view"]> }) {
  const { model, text } = props.of;
  const view = viewNames.find((name) => name === props.of.view) ?? "text";
  if (!source.value!.canRun) return <p class="notice">{t("learnViewInFile", { view: t(`view.${view}`), command: `fovea serve --model ${model} "${text}"` })}</p>;
  return (
    <p class="view-link">
      <a class="button" href={`#${printLink({ ...startState, view, model, text })}`}>{t("learnOpenView", { view: t(`view.${view}`) })}</a>
      <span class="advice">{model}: “{text}”</span>
    </p>
  );
}

// What the step is about. Exercises with many numbers have a page of their own.
function Thing(props: { step: LessonStep; catalogue: Catalogue }) {
  const { live, question, view, exercise } = props.step;
  if (live) return <LiveBox live={live} />;
  if (question) return <QuestionBox question={question} />;
  if (view) return <ViewLink of={view} />;
  const asked = props.catalogue.exercises.find(({ id }) => id === exercise);
  if (!asked) return null;
  if (asked.kind !== "code") {
    return (
      <>
        <ExerciseTask exercise={asked} />
        <ExerciseAnswer exercise={asked} />
      </>
    );
  }
  return (
    <section class="card-exercise">
      <h3>{asked.title}</h3>
      <p>{asked.task}</p>
      <Go to={{ page: "exercise", id: asked.id }} class="primary">{t("learnOpenExercise")}</Go>
    </section>
  );
}

export function LessonPage(props: { id: string; at: number; catalogue: Catalogue }) {
  const { id, catalogue } = props;
  const known = catalogue.lessons.findIndex((one) => one.id === id);
  const loaded = useLoaded(known < 0 ? "" : `lesson ${id} ${language.value}`, () => source.value!.learn.lesson(id, language.value));
  const lesson = loaded.value?.id === id ? loaded.value : null;
  const count = lesson?.steps.length ?? 1;
  const at = Math.min(props.at, count);
  const next = catalogue.lessons[known + 1];
  const forward = () => (at < count ? go({ page: "lesson", id, step: at + 1 }) : next ? go({ page: "lesson", id: next.id, step: 1 }) : go({ page: "path" }));
  const back = () => at > 1 && go({ page: "lesson", id, step: at - 1 });
  useArrows(back, forward);
  useEffect(() => {
    if (lesson && at === count) done("lessons", id); // read to its end
  }, [lesson, at]);
  if (known < 0) return <Notice>{t("learnUnknown", { name: id })}</Notice>;
  if (!lesson) return loaded.error ? <Failure error={loaded.error} /> : <Notice>{t("loading")}</Notice>;
  const step = lesson.steps[at - 1]!;
  const thing = step.live || step.question || step.view || step.exercise;
  return (
    <article class="lesson" aria-labelledby="step-title" key={`${id} ${at} ${language.value}`}>
      <nav class="lesson-steps" aria-label={t("learnSteps")}>
        <ol>
          {lesson.steps.map((each, i) => (
            <li key={i}><button type="button" aria-current={i + 1 === at ? "step" : undefined} aria-label={`${i + 1}: ${each.title}`} title={each.title} onClick={() => go({ page: "lesson", id, step: i + 1 })}>{i + 1}</button></li>
          ))}
        </ol>
        <h2 id="step-title">{step.title}</h2>
        <span class="turn">
          <button type="button" data-key="back" disabled={at === 1} onClick={back}>‹ {t("learnBack")}</button>
          <button type="button" class="primary" data-key="next" onClick={forward}>{at < count ? t("learnNext") : next ? t("learnNextLesson", { lesson: next.title }) : t("learnToPath")} ›</button>
        </span>
      </nav>
      <div class={thing ? "lesson-body two" : "lesson-body"}>
        <div class="lesson-text"><Paragraphs of={step.paragraphs} /></div>
        {thing && <div class="lesson-thing"><Thing step={step} catalogue={catalogue} /></div>}
      </div>
    </article>
  );
}
