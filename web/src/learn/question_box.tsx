// A question: options with their reasons, or a model answer to compare with one's own.
import { useState } from "preact/hooks";
import { t } from "../core/language";
import { Marked } from "./marked";
import { done, isDone } from "./progress";
import type { Question } from "./types";

const letters = "abcdefgh";

function Options(props: { question: Question }) {
  const { question } = props;
  const [chosen, setChosen] = useState<number[]>([]);
  const choose = (at: number) => {
    setChosen([...chosen.filter((other) => other !== at), at]);
    if (question.options![at]!.right) done("questions", question.id);
  };
  return (
    <ol class="options">
      {question.options!.map((option, at) => {
        const open = chosen.includes(at);
        return (
          <li key={at} data-right={open ? option.right : undefined}>
            <button type="button" aria-pressed={open} onClick={() => choose(at)}>
              <b aria-hidden="true">{open ? (option.right ? "✓" : "✗") : letters[at]}</b>
              <span><Marked text={option.text} /></span>
            </button>
            {open && (
              <p class="reason" role={chosen.at(-1) === at ? "status" : undefined}>
                <b>{t(option.right ? "learnRight" : "learnNotYet")}</b> <Marked text={option.reason} />
              </p>
            )}
          </li>
        );
      })}
    </ol>
  );
}

// Nobody reads what is written here: it is for comparing.
function ShortAnswer(props: { question: Question }) {
  const { question } = props;
  const [shown, setShown] = useState(false);
  const show = () => {
    setShown(true);
    done("questions", question.id);
  };
  return (
    <>
      <label class="own-answer">
        <span>{t("learnOwnAnswer")}</span>
        <textarea rows={4} />
      </label>
      {!shown && <button type="button" class="primary" onClick={show}>{t("learnCompare")}</button>}
      {shown && (
        <div class="verdict" role="status">
          <h3>{t("learnModelAnswer")}</h3>
          <p><Marked text={question.answer!} /></p>
        </div>
      )}
    </>
  );
}

export function QuestionBox(props: { question: Question }) {
  const { question } = props;
  return (
    <section class="question" aria-label={t("learnQuestion")} data-question={question.id}>
      <p class="asked"><Marked text={question.text} /> {isDone("questions", question.id) && <span class="tick" role="img" aria-label={t("learnDone")}>✓</span>}</p>
      {question.options ? <Options question={question} /> : <ShortAnswer question={question} />}
    </section>
  );
}
