// An exercise: its numbers, a place for the answer, and what the check says of it.
import { useState } from "preact/hooks";
import { Notice, Working } from "../components/controls";
import { isMissing } from "../components/loading";
import { errorText } from "../core/errors";
import { pick, t } from "../core/language";
import { say } from "../core/readout";
import { source } from "../core/state";
import { AnswerGrid } from "./answer_grid";
import { Marked } from "./marked";
import { isRounded, MatrixTable } from "./matrix_table";
import { done, isDone } from "./progress";
import { answerText, numberOf } from "./typed";
import type { Diagnosis, Exercise, Part } from "./types";

const names: Record<string, string> = {
  scores: "S", q: "Q", k: "K", v: "V", x: "X", memory: "M", w_q: "W_q", w_k: "W_k", w_v: "W_v", w_o: "W_o",
};

async function copyInputs(exercise: Exercise): Promise<void> {
  const message = { exercise: exercise.id, inputs: { ...exercise.inputs, ...(exercise.heads! > 1 ? { heads: exercise.heads } : {}) } };
  try {
    await navigator.clipboard.writeText(JSON.stringify(message));
    say(t("learnCopied"));
  } catch {
    say(t("learnNotCopied"));
  }
}

function Inputs(props: { exercise: Exercise }) {
  const { exercise } = props;
  const all = Object.entries(exercise.inputs ?? {});
  if (!all.length) return null;
  const notes = [
    exercise.heads! > 1 && t("learnHeads", { count: exercise.heads! }),
    exercise.causal && t("learnCausal"),
    exercise.real?.some((real) => !real) && t("learnPads", { keys: exercise.real.flatMap((real, i) => (real ? [] : [i])).join(", ") }),
    all.some(([, values]) => isRounded(values)) && t("learnRounded"),
  ].filter(Boolean);
  return (
    <section class="inputs" aria-label={t("learnInputs")}>
      <div class="tables">
        {all.map(([name, values]) => (
          <MatrixTable key={name} matrix={{ title: names[name] ?? name, rows: [], columns: [], values, weights: false }} />
        ))}
      </div>
      {notes.length > 0 && <p class="advice">{notes.join(" ")}</p>}
    </section>
  );
}

function Hints(props: { hints: string[] }) {
  const [shown, setShown] = useState(0);
  const { hints } = props;
  return (
    <div class="hints">
      {hints.slice(0, shown).map((hint, i) => <p key={i}><b>{t("learnHint", { at: i + 1 })}</b> <Marked text={hint} /></p>)}
      {shown < hints.length && (
        <button type="button" data-key="hint" onClick={() => setShown(shown + 1)}>{t("learnMoreHint", { at: shown + 1, of: hints.length })}</button>
      )}
    </div>
  );
}

// "✗ Not yet." and the sentences of the check; those that begin with "- " are a list.
function Verdict(props: { diagnosis: Diagnosis }) {
  const { diagnosis } = props;
  const title = diagnosis.correct ? "learnRight" : diagnosis.verdict === "imprecise" ? "learnRough" : "learnNotYet";
  return (
    <div class="verdict" data-right={diagnosis.correct} data-mistakes={diagnosis.mistakes.join(" ")} role="status">
      <h3>{diagnosis.correct ? "✓" : "✗"} {t(title)}</h3>
      {diagnosis.sentences.map((sentence, i) => <p key={i}>{pick(sentence)}</p>)}
    </div>
  );
}

const problemText = (error: unknown, id: string) =>
  error instanceof Error && isMissing(error) ? t("learnNotChecked", { exercise: id }) : errorText(error);

interface Answering {
  diagnosis: Diagnosis | null;
  problem: string; // what cannot be checked, and why
  checking: boolean;
  check: (answer: string) => void;
  leave: () => void; // what was said does not hold any more
}

function useAnswering(exercise: Exercise): Answering {
  const [state, setState] = useState<Pick<Answering, "diagnosis" | "problem" | "checking">>({ diagnosis: null, problem: "", checking: false });
  const check = (answer: string) => {
    if (state.checking) return;
    setState({ diagnosis: null, problem: "", checking: true });
    source.peek()!.learn.check(exercise.id, answer).then(
      (diagnosis) => {
        if (diagnosis.correct) done("exercises", exercise.id);
        setState({ diagnosis, problem: "", checking: false });
      },
      (error: unknown) => setState({ diagnosis: null, problem: problemText(error, exercise.id), checking: false }),
    );
  };
  return { ...state, check, leave: () => state.problem && setState({ ...state, problem: "" }) };
}

const flat = ([row, column]: number[], columns: number) => row! * columns + column!;

function NumberAnswer(props: { exercise: Exercise; answering: Answering }) {
  const { exercise, answering } = props;
  const parts = (["weights", "output"] as Part[]).filter((part) => exercise.shapes?.[part]);
  const shape = (part: Part) => exercise.shapes![part]!.slice(-2) as [number, number];
  const size = (part: Part) => shape(part)[0] * shape(part)[1];
  const [cells, setCells] = useState<Partial<Record<Part, string[]>>>({});
  const [stale, setStale] = useState<string[]>([]); // cells that were changed since the check
  const [missing, setMissing] = useState("");
  const cellsOf = (part: Part) => cells[part] ?? Array.from({ length: size(part) }, () => "");
  const { diagnosis } = answering;
  const check = () => {
    const all = parts.flatMap(cellsOf);
    const wrong = all.find((cell) => cell.trim() !== "" && numberOf(cell) === null);
    const empty = all.filter((cell) => cell.trim() === "").length;
    setMissing(wrong !== undefined ? t("learnNoNumber", { text: wrong }) : empty ? t("learnEmpty", { count: empty }) : "");
    if (wrong !== undefined || empty) return;
    setStale([]);
    answering.check(answerText(all));
  };
  return (
    <>
      {parts.map((part) => {
        const [rows, columns] = shape(part);
        const fresh = (at: number) => !stale.includes(`${part} ${at}`);
        const marks = diagnosis?.marks[part] ?? [];
        const first = diagnosis && diagnosis.part === part && diagnosis.cell ? flat(diagnosis.cell.slice(-2), columns) : -1;
        return (
          <AnswerGrid
            key={part} name={part} rows={rows} columns={columns} cells={cellsOf(part)} onDone={check}
            marks={cellsOf(part).map((_, at) => (fresh(at) ? marks[at] : undefined))} first={fresh(first) ? first : -1}
            onChange={(next, changed) => {
              setCells({ ...cells, [part]: next });
              setStale([...stale, ...changed.map((at) => `${part} ${at}`)]);
              setMissing("");
              answering.leave();
            }}
          />
        );
      })}
      <div class="actions">
        <button type="button" class="primary" data-key="check" disabled={answering.checking} onClick={check}>{t("learnCheck")}</button>
        <span class="advice">{t("learnDecimals", { count: exercise.decimals })}</span>
      </div>
      {missing && <Notice error>{missing}</Notice>}
    </>
  );
}

function HeadAnswer(props: { exercise: Exercise; answering: Answering }) {
  const { answering } = props;
  const [head, setHead] = useState("");
  const [missing, setMissing] = useState(false);
  const check = (event: Event) => {
    event.preventDefault();
    const good = /^\D*\d{1,3}\D+\d{1,3}\D*$/.test(head.normalize("NFKC"));
    setMissing(!good);
    if (good) answering.check(head.normalize("NFKC"));
  };
  return (
    <form class="actions" onSubmit={check}>
      <label class="field">
        <span>{t("learnHead")}</span>
        <input type="text" class="head-name" value={head} placeholder="L1H2" autocomplete="off" onInput={(event) => {
          setHead(event.currentTarget.value);
          setMissing(false);
          answering.leave();
        }} />
      </label>
      <button type="submit" class="primary" data-key="check" disabled={answering.checking}>{t("learnCheck")}</button>
      {missing && <Notice error>{t("learnHeadForm")}</Notice>}
    </form>
  );
}

function WithCode(props: { exercise: Exercise }) {
  const { id } = props.exercise;
  return (
    <details class="with-code">
      <summary>{t("learnWithCode")}</summary>
      <p>{t("learnCodeAbout")}</p>
      <pre tabIndex={0}>{`fovea learn start ${id} --language python work\nfovea learn test ${id} -- python3 work/${id}.py`}</pre>
      <button type="button" onClick={() => void copyInputs(props.exercise)}>{t("learnCopy")}</button>
    </details>
  );
}

export function ExerciseTask(props: { exercise: Exercise; untitled?: boolean }) {
  const { exercise } = props;
  return (
    <section class="task" aria-label={exercise.title}>
      {!props.untitled && <h3>{exercise.title} {isDone("exercises", exercise.id) && <span class="tick" role="img" aria-label={t("learnDone")}>✓</span>}</h3>}
      <p><Marked text={exercise.task} /></p>
      <Inputs exercise={exercise} />
      {exercise.kind === "code" && <WithCode exercise={exercise} />}
    </section>
  );
}

export function ExerciseAnswer(props: { exercise: Exercise }) {
  const { exercise } = props;
  const answering = useAnswering(exercise);
  return (
    <section class="answer" aria-label={t("learnAnswer")} data-exercise={exercise.id}>
      {exercise.answer === "head" ? <HeadAnswer exercise={exercise} answering={answering} /> : <NumberAnswer exercise={exercise} answering={answering} />}
      {answering.problem && <Notice error>{answering.problem}</Notice>}
      {answering.checking && <Working>{t("learnChecking")}</Working>}
      {answering.diagnosis && <Verdict diagnosis={answering.diagnosis} />}
      {!answering.diagnosis?.correct && <Hints hints={exercise.hints} />}
    </section>
  );
}
