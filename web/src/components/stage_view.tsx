// One stage: its matrices side by side, and the sum of the selected cell.
import { useEffect, useRef, useState } from "preact/hooks";
import { NumberGrid } from "./number_grid";
import { usePlayedCells, useTermMotion } from "./term_motion";
import { t } from "../core/language";
import { exactText, shortText } from "../core/numbers";
import { say } from "../core/readout";
import type { CellSum } from "../core/cell_sums";
import type { Box, Stage } from "../core/stages";
import type { ToyInputs } from "../core/step_numbers";
import type { Cell } from "../canvas/matrix_model";

const mostTerms = 1000;

function Terms(props: { sum: CellSum; term: number }) {
  const { sum } = props;
  const [bySize, setBySize] = useState(false);
  const terms = bySize ? [...sum.terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)) : sum.terms;
  return (
    <>
      {sum.terms.length > 1 && (
        <button type="button" class="plain" aria-pressed={bySize} onClick={() => setBySize(!bySize)}>{t("bySize")}</button>
      )}
      <ol class="terms" tabIndex={0} aria-label={t("terms", { count: sum.terms.length })}>
        {terms.slice(0, mostTerms).map((term, i) => (
          <li key={i} class={!bySize && i === props.term ? "now" : undefined}><span>{term.label}</span><span>{term.numbers}</span><b>{shortText(term.value)}</b></li>
        ))}
        {sum.rest !== null && <li><span>{t("otherKeys")}</span><span /><b>{shortText(sum.rest)}</b></li>}
      </ol>
    </>
  );
}

function SumPanel(props: { sum: CellSum; term: number }) {
  const { sum } = props;
  const differs = sum.stored !== null && sum.rest === null;
  return (
    <section class="sum" aria-label={t("sumOf", { cell: sum.name })}>
      <p class="equation"><b>{sum.name}</b> = {sum.formula} = <b class="result">{exactText(sum.result)}</b></p>
      {differs && <p class="stored">{t("modelsNumber", { value: exactText(sum.stored!) })}</p>}
      <Terms sum={sum} term={props.term} />
    </section>
  );
}

function Editor(props: { box: Box; cell: Cell; focus: number; onEdit: (value: number) => void }) {
  const { box, cell } = props;
  const input = useRef<HTMLInputElement>(null);
  const value = box.matrix.data[cell.row * box.matrix.columns + cell.column];
  useEffect(() => {
    if (props.focus) input.current?.select();
  }, [props.focus]);
  return (
    <label class="editor">
      {box.name}[{cell.row},{cell.column}] =
      <input
        ref={input} type="number" step="any" value={value}
        onInput={(event) => {
          const { valueAsNumber } = event.currentTarget;
          if (Number.isFinite(valueAsNumber)) props.onEdit(valueAsNumber);
        }}
      />
    </label>
  );
}

// A cell of the person's own mask: hidden or shown.
function MaskToggle(props: { hidden: boolean; onToggle: () => void }) {
  return <button type="button" class="mask-toggle" onClick={props.onToggle}>{t(props.hidden ? "showCell" : "hideCell")}</button>;
}

type Selection = { box: number; cell: Cell };

// The pair of numbers that the sum has reached.
function spotOf(stage: Stage, at: number, { cell }: Selection, term: number): Cell | null {
  if (term < 0 || at > 1) return null;
  const spot = at === 0 ? { row: cell.row, column: term } : { row: term, column: cell.column };
  const { rows, columns } = stage.boxes[at].matrix;
  return spot.row < rows && spot.column < columns ? spot : null;
}

// A product's operands: the row of the first and the column of the second.
function bandOf(stage: Stage, at: number, selection: Selection): { row: number; column: number } {
  const result = stage.boxes.length - 1;
  const none = { row: -1, column: -1 };
  if (selection.box !== result || at === result) return none;
  const isProduct = stage.operators[0] === "·";
  if (!isProduct) return stage.name === "softmax" ? { row: selection.cell.row, column: -1 } : none;
  if (at === 0) return { row: selection.cell.row, column: -1 };
  return { row: -1, column: selection.cell.column };
}

export function StageView(props: {
  stage: Stage;
  sentence: string;
  row: number;
  firstQuery: number;
  onEdit?: (name: keyof ToyInputs, row: number, column: number, value: number) => void;
}) {
  const { stage } = props;
  const result = stage.boxes.length - 1;
  const lastMatrix = stage.boxes[result].matrix;
  const [selection, setSelection] = useState<Selection>({
    box: result, cell: { row: Math.min(props.row, lastMatrix.rows - 1), column: 0 },
  });
  const [focus, setFocus] = useState(0);
  const [turn, setTurn] = useState(0); // of the motion
  const term = useTermMotion(stage, selection.box === result ? turn : 0);
  const select = (box: number, cell: Cell) => {
    setSelection({ box, cell });
    setTurn((before) => before + 1);
  };
  usePlayedCells(stage, props.row, (cell) => select(result, cell));
  const box = stage.boxes[selection.box];
  const { row, column } = selection.cell;
  const inside = row < box.matrix.rows && column < box.matrix.columns;
  const sum = inside ? box.sum?.(row, column) : undefined;
  const value = box.matrix.data[row * box.matrix.columns + column];
  const toggle = (cell: Cell) => props.onEdit?.("mask", cell.row, cell.column, 0);
  useEffect(() => say(`${box.name}[${row},${column}] = ${exactText(value)}`), [selection, value]);
  return (
    <div class="stage">
      <p class="formula">{stage.formula}</p>
      <p class="sentence">{props.sentence}</p>
      <div class="boxes" data-count={stage.boxes.length} data-line="true">
        {stage.boxes.map((one, at) => (
          <>
            {at > 0 && <span class="operator" key={`o${at}`} aria-hidden="true">{stage.operators[at - 1]}</span>}
            <figure key={one.name + at} class={at === result ? "box result" : "box"}>
              <NumberGrid
                matrix={one.matrix} rowLabels={one.rowLabels} columnLabels={one.columnLabels} marked={one.marked ?? null}
                selected={selection.box === at ? selection.cell : null} band={bandOf(stage, at, selection)}
                label={`${one.name}, ${one.matrix.rows} × ${one.matrix.columns}`}
                spot={spotOf(stage, at, selection, term)}
                onSelect={(cell) => select(at, cell)}
                onEdit={one.input && props.onEdit ? () => (one.input === "mask" ? toggle(selection.cell) : setFocus(focus + 1)) : undefined}
              />
              <figcaption>
                <b>{one.name}</b> {one.matrix.rows} × {one.matrix.columns} <i>{one.shape}</i>
                {one.input && props.onEdit && <em> {t("editable")}</em>}
              </figcaption>
            </figure>
          </>
        ))}
      </div>
      {box.input === "mask" && props.onEdit && inside && <MaskToggle hidden={value === 0} onToggle={() => toggle(selection.cell)} />}
      {box.input && box.input !== "mask" && props.onEdit && inside && (
        <Editor box={box} cell={selection.cell} focus={focus} onEdit={(number) => props.onEdit!(box.input!, row, column, number)} />
      )}
      {sum ? <SumPanel sum={sum} term={term} /> : inside && <p class="sum equation">{box.name}[{row},{column}] = <b class="result">{exactText(value)}</b></p>}
    </div>
  );
}
