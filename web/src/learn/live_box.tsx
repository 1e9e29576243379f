// Something live: move a control or type another number, and see what becomes of it.
import { useState } from "preact/hooks";
import { Failure, Segmented } from "../components/controls";
import { useLoaded } from "../components/loading";
import { language, t } from "../core/language";
import { source } from "../core/state";
import { MatrixTable } from "./matrix_table";
import type { Live, LiveControl, LiveInput, LiveMatrix } from "./types";

const fewPositions = 5;
const unchanged: LiveInput = { controls: {}, matrices: {} };

const shortNumber = (value: number) => String(Number(value.toPrecision(6)));

function Control(props: { control: LiveControl; value: number; positions: number[] | null; onChange: (value: number) => void }) {
  const { control, value, onChange } = props;
  const { lowest, highest, step } = control;
  const count = Math.round((highest - lowest) / step) + 1;
  const few = props.positions ?? (count <= fewPositions ? Array.from({ length: count }, (_, i) => lowest + i * step) : null);
  if (few?.length === 0) return <p>{control.title}: {shortNumber(value)}</p>;
  if (few) {
    return (
      <div class="control">
        <span>{control.title}</span>
        <Segmented label={control.title} value={shortNumber(value)} choices={few.map((each) => ({ value: shortNumber(each), label: shortNumber(each) }))} onChange={(text) => onChange(Number(text))} />
      </div>
    );
  }
  const typed = (text: string) => {
    const number = Number(text);
    if (text.trim() !== "" && number >= lowest && number <= highest && (step % 1 !== 0 || Number.isInteger(number))) onChange(number);
  };
  return (
    <div class="control">
      <span>{control.title}</span>
      <input type="range" min={lowest} max={highest} step={step} value={value} aria-label={control.title} onInput={(event) => onChange(Number(event.currentTarget.value))} />
      <input type="number" min={lowest} max={highest} step={step} value={value} aria-label={control.title} onInput={(event) => typed(event.currentTarget.value)} />
    </div>
  );
}

function withCell(matrix: LiveMatrix, row: number, column: number, value: number): number[][] {
  return matrix.values.map((cells, i) => cells.map((cell, j) => (i === row && j === column ? value : Number(cell))));
}

export function LiveBox(props: { live: Live }) {
  const [input, setInput] = useState<LiveInput>(unchanged);
  const from = source.value!.learn;
  const { id } = props.live;
  const changed = Object.keys(input.controls).length + Object.keys(input.matrices).length > 0;
  const key = changed ? JSON.stringify([id, language.value, input]) : "";
  const loaded = useLoaded(key, (signal) => from.live(id, language.value, input, signal));
  const live = (changed && loaded.value) || props.live;
  if (live.missing) return <p class="notice">{t("learnMissingModel", { model: live.missing })}</p>;
  // The tables keep their places: what is typed stands at once, what follows from it comes with the answer.
  const typed = (matrix: LiveMatrix) => (input.matrices[matrix.name] ? { ...matrix, values: input.matrices[matrix.name]! } : matrix);
  const edit = (matrix: LiveMatrix) => (row: number, column: number, value: number) =>
    setInput({ ...input, matrices: { ...input.matrices, [matrix.name]: withCell(typed(matrix), row, column, value) } });
  return (
    <section class="live" aria-label={live.title} data-live={id}>
      <header>
        <h3>{live.title}</h3>
        {changed && <button type="button" onClick={() => setInput(unchanged)}>{t("reset")}</button>}
      </header>
      {live.controls.map((control) => (
        <Control
          key={control.name} control={control} value={input.controls[control.name] ?? control.value} positions={from.positions(id, control.name)}
          onChange={(value) => setInput({ ...input, controls: { ...input.controls, [control.name]: value } })}
        />
      ))}
      <div class="tables">
        {live.matrices.map((matrix) => (
          <MatrixTable key={matrix.name} matrix={typed(matrix)} onChange={matrix.editable && from.isLive ? edit(matrix) : undefined} />
        ))}
      </div>
      <Failure error={loaded.error} />
      {!from.isLive && (live.controls.length > 0 || live.matrices.some(({ editable }) => editable)) && <p class="advice">{t("learnNotLive")}</p>}
    </section>
  );
}
