// Learn: the lessons as pages, exercises that find the mistake, questions with reasons.
import { useEffect, useRef } from "preact/hooks";
import { Failure, Notice } from "../components/controls";
import { ExplainButton, Explanation } from "../components/explain";
import { isMissing, useLoaded } from "../components/loading";
import { PresentButton } from "../components/presenting";
import { language, t } from "../core/language";
import { now, source } from "../core/state";
import { ExerciseAnswer, ExerciseTask } from "./exercise_box";
import { Go, go } from "./go";
import { useArrows } from "./keys";
import { LessonPage } from "./lesson_page";
import { PathPage } from "./path_page";
import { placeOf, placeText } from "./place";
import type { Place } from "./place";
import { isDone } from "./progress";
import { QuestionBox } from "./question_box";
import type { Catalogue } from "./types";

function titleOf(place: Place, catalogue: Catalogue | null): string {
  const find = (list: { id: string; title: string }[] | undefined, id: string) => list?.find((one) => one.id === id)?.title ?? id;
  if (place.page === "lesson") return find(catalogue?.lessons, place.id);
  if (place.page === "exercise") return find(catalogue?.exercises, place.id);
  if (place.page === "question") {
    const at = catalogue?.questions.findIndex(({ id }) => id === place.id) ?? 0;
    return t("learnQuestionOf", { at: at + 1, of: catalogue?.questions.length ?? 0 });
  }
  return t(place.page === "reading" ? "learnReading" : "view.learn");
}

// Back and forth between things of one kind.
function Turning(props: { page: "exercise" | "question"; list: { id: string }[]; id: string }) {
  const { page, list } = props;
  const at = list.findIndex(({ id }) => id === props.id);
  const [before, after] = [list[at - 1], list[at + 1]];
  useArrows(() => before && go({ page, id: before.id }), () => after && go({ page, id: after.id }));
  return (
    <span class="turn">
      <button type="button" data-key="back" disabled={!before} onClick={() => before && go({ page, id: before.id })}>‹ {t("learnBack")}</button>
      <button type="button" data-key="next" disabled={!after} onClick={() => after && go({ page, id: after.id })}>{t("learnNext")} ›</button>
    </span>
  );
}

function ExercisePage(props: { id: string; catalogue: Catalogue }) {
  const exercise = props.catalogue.exercises.find(({ id }) => id === props.id);
  if (!exercise) return <Notice>{t("learnUnknown", { name: props.id })}</Notice>;
  return (
    <div class="lesson-body two exercise-page" key={exercise.id}>
      <div class="lesson-text"><ExerciseTask exercise={exercise} untitled /></div>
      <div class="lesson-thing"><ExerciseAnswer exercise={exercise} /></div>
    </div>
  );
}

function QuestionPage(props: { id: string; catalogue: Catalogue }) {
  const question = props.catalogue.questions.find(({ id }) => id === props.id);
  return question ? <QuestionBox key={`${question.id} ${language.value}`} question={question} /> : <Notice>{t("learnUnknown", { name: props.id })}</Notice>;
}

function ReadingPage(props: { catalogue: Catalogue }) {
  return (
    <ul class="reading-list">
      {props.catalogue.reading.map(({ id, title, url, sentence }) => (
        <li key={id}><a href={url} target="_blank" rel="noreferrer noopener">{title}</a><p>{sentence}</p></li>
      ))}
    </ul>
  );
}

function Page(props: { place: Place; catalogue: Catalogue }) {
  const { place, catalogue } = props;
  if (place.page === "lesson") return <LessonPage id={place.id} at={place.step} catalogue={catalogue} />;
  if (place.page === "exercise") return <ExercisePage id={place.id} catalogue={catalogue} />;
  if (place.page === "question") return <QuestionPage id={place.id} catalogue={catalogue} />;
  return place.page === "reading" ? <ReadingPage catalogue={catalogue} /> : <PathPage catalogue={catalogue} />;
}

// Who turns a page reads it from its beginning; a screen reader is led there.
function useTop(place: Place) {
  const title = useRef<HTMLHeadingElement>(null);
  const first = useRef(true);
  useEffect(() => {
    document.querySelector("main")?.scrollTo(0, 0);
    if (!first.current && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    first.current = false;
  }, [placeText(place)]);
  return title;
}

export function LearnView() {
  const place = placeOf(now.learn.value);
  const loaded = useLoaded(`learn ${language.value}`, () => source.value!.learn.catalogue(language.value));
  const catalogue = loaded.value;
  const title = useTop(place);
  const home = place.page === "path";
  const list = place.page === "exercise" ? catalogue?.exercises : place.page === "question" ? catalogue?.questions : undefined;
  return (
    <section class={`view view-learn at-${place.page}`} aria-labelledby="view-title">
      <header class="view-head">
        <div class="titles">
          {!home && <Go to={{ page: "path" }} class="plain up">‹ {t("view.learn")}</Go>}
          <h1 id="view-title" tabIndex={-1} ref={title}>{titleOf(place, catalogue)}</h1>
          {place.page === "exercise" && isDone("exercises", place.id) && <span class="tick" aria-label={t("learnDone")} role="img">✓</span>}
          {home && <p>{t("about.learn")}</p>}
        </div>
        {list && (place.page === "exercise" || place.page === "question") && <Turning page={place.page} list={list} id={place.id} />}
        {home && <ExplainButton />}
        <PresentButton />
      </header>
      {home && <Explanation view="learn" />}
      {isMissing(loaded.error) ? <Notice>{t("learnNotInFile")}</Notice> : <Failure error={loaded.error} />}
      {catalogue ? <Page place={place} catalogue={catalogue} /> : !loaded.error && <Notice>{t("loading")}</Notice>}
    </section>
  );
}
