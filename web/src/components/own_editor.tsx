// The person's own example: tokens, sizes, mask, and all numbers as text. Everything goes into the link.
import { useState } from "preact/hooks";
import { maskErrorText, NumberField, Select } from "./controls";
import { t } from "../core/language";
import { toRows } from "../core/matrix";
import { mostTokens, numbersIn, ownMaskError, tokensOf, widest } from "../core/own_example";
import type { OwnExample } from "../core/own_example";
import { change, now } from "../core/state";
import type { NumberEdit } from "../core/hash";
import type { ToyInputs } from "../core/step_numbers";

const masks = ["", "causal", "window(1)", "window(1, 0)", "sparse(2)", "prefix(2)"];
const inputs = [["x", "X"], ["wq", "W_q"], ["wk", "W_k"], ["wv", "W_v"]] as const;

function set(patch: Partial<OwnExample>): void {
  change({ own: { ...now.own.peek(), ...patch } }, true);
}

function Tokens() {
  const { tokens } = now.own.value;
  const [text, setText] = useState(tokens.join(" "));
  const shown = tokensOf(text).join(" ") === tokens.join(" ") ? text : tokens.join(" ");
  const count = tokensOf(text).length;
  return (
    <label class="field wide tokens" title={t("ownTokensTitle", { count: mostTokens })}>
      <span>{t("ownTokens")}</span>
      <input
        id="own-tokens" type="text" value={shown} aria-invalid={count < 1 || count > mostTokens} spellcheck={false}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          const list = tokensOf(typed);
          if (list.length >= 1 && list.length <= mostTokens) set({ tokens: list });
        }}
      />
      <output>n = {tokens.length}</output>
    </label>
  );
}

function OwnMask() {
  const { mask, tokens } = now.own.value;
  const known = masks.includes(mask);
  const [typing, setTyping] = useState(!known);
  const error = ownMaskError(mask, tokens.length);
  return (
    <>
      <Select
        label={t("ownMask")} value={known && !typing ? mask : "other"}
        choices={[...masks.map((name) => ({ value: name, label: name || t("ownMaskNone") })), { value: "other", label: t("ownMaskOther") }]}
        onChange={(value) => {
          setTyping(value === "other");
          if (value !== "other") set({ mask: value });
        }}
      />
      {(typing || !known) && (
        <label class="field mask-text">
          <span class="unseen">{t("ownMaskText")}</span>
          <input type="text" value={mask} aria-invalid={error !== null} spellcheck={false} onInput={(event) => set({ mask: event.currentTarget.value })} />
        </label>
      )}
      {error && <span class="advice error" role="alert">{maskErrorText(error)}</span>}
    </>
  );
}

// Every number that differs from what is there becomes an edit.
function editsOf(matrix: NumberEdit["matrix"], values: number[], columns: number): NumberEdit[] {
  const others = now.edits.peek().filter((edit) => edit.matrix !== matrix);
  return [...others, ...values.map((value, at) => ({ matrix, row: Math.floor(at / columns), column: at % columns, value }))];
}

function MatrixText(props: { name: (typeof inputs)[number][0]; label: string; numbers: ToyInputs }) {
  const { name, label } = props;
  const matrix = props.numbers[name]!;
  const here = toRows(matrix).map((row) => row.join(" ")).join("\n");
  const [text, setText] = useState<string | null>(null); // what is being typed
  const wrong = text !== null && numbersIn(text, matrix.rows, matrix.columns) === null;
  return (
    <label>
      {label} ({matrix.rows} × {matrix.columns})
      <textarea
        data-matrix={name} rows={Math.min(8, matrix.rows + 1)} value={text ?? here} aria-invalid={wrong} spellcheck={false}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          setText(typed);
          const values = numbersIn(typed, matrix.rows, matrix.columns);
          if (values) change({ edits: editsOf(name, values, matrix.columns) }, true);
        }}
        onBlur={() => !wrong && setText(null)}
      />
      {wrong && <span class="advice error" role="alert">{t("ownShape", { name: label, rows: matrix.rows, columns: matrix.columns })}</span>}
    </label>
  );
}

export function OwnEditor(props: { numbers: ToyInputs }) {
  const { width, dk, dv } = now.own.value;
  return (
    <section class="own" aria-label={t("ownNumbers")}>
      <div class="fields">
        <Tokens />
        <NumberField label={t("ownWidth")} value={width} least={1} largest={widest} onChange={(value) => set({ width: Math.round(value) })} />
        <NumberField label="d_k" value={dk} least={1} largest={widest} onChange={(value) => set({ dk: Math.round(value) })} />
        <NumberField label="d_v" value={dv} least={1} largest={widest} onChange={(value) => set({ dv: Math.round(value) })} />
        <OwnMask />
        {now.edits.value.length > 0 && <button type="button" onClick={() => change({ edits: [] })}>{t("ownStart")}</button>}
      </div>
      <details>
        <summary>{t("ownAsText")}</summary>
        <p class="advice">{t("ownAsTextAbout")}</p>
        <div class="as-text">
          {inputs.map(([name, label]) => <MatrixText key={name} name={name} label={label} numbers={props.numbers} />)}
        </div>
      </details>
    </section>
  );
}
