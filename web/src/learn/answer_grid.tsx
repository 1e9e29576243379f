// Cells to type an answer into. Arrow keys and Enter move, several numbers can be pasted at once, marks say which are right.
import { useRef } from "preact/hooks";
import { isComposing } from "../core/keyboard";
import { t } from "../core/language";
import { numberOf, numbersIn } from "./typed";

export function AnswerGrid(props: {
  name: string;
  rows: number;
  columns: number;
  cells: string[];
  marks: (boolean | undefined)[]; // of the last check; undefined: changed since, or none
  first: number; // the first wrong cell; −1: none
  onChange: (cells: string[], changed: number[]) => void;
  onDone: () => void; // Enter in the last cell
}) {
  const { rows, columns, cells, marks } = props;
  const table = useRef<HTMLTableElement>(null);
  const focus = (at: number) => {
    const field = table.current!.querySelectorAll("input")[at];
    field?.focus();
    field?.select();
  };
  const onKey = (at: number) => (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || isComposing(event)) return;
    const field = event.currentTarget as HTMLInputElement;
    const all = field.selectionStart === 0 && field.selectionEnd === field.value.length;
    const atStart = field.selectionEnd === 0 || all;
    const atEnd = field.selectionStart === field.value.length || all;
    const moves: Record<string, number | false> = {
      ArrowUp: at >= columns && -columns, ArrowDown: at + columns < cells.length && columns,
      ArrowLeft: atStart && at > 0 && -1, ArrowRight: atEnd && at + 1 < cells.length && 1,
    };
    const by = moves[event.key];
    if (event.key === "Enter") {
      event.preventDefault();
      if (at + 1 < cells.length) focus(at + 1);
      else props.onDone();
    } else if (by) {
      event.preventDefault();
      focus(at + by);
    }
  };
  const onPaste = (at: number) => (event: ClipboardEvent) => {
    const numbers = numbersIn(event.clipboardData?.getData("text") ?? "");
    if (numbers.length < 2) return;
    event.preventDefault();
    const fits = numbers.slice(0, cells.length - at);
    props.onChange(cells.map((cell, i) => fits[i - at] ?? cell), fits.map((_, i) => at + i));
    focus(Math.min(cells.length - 1, at + fits.length - 1));
  };
  return (
    <figure class="answer-grid" data-part={props.name}>
      <figcaption>{t(`learnPart.${props.name as "weights"}`)} <small>{rows} × {columns}</small></figcaption>
      <table ref={table}>
        <tbody>
          {Array.from({ length: rows }, (_, i) => (
            <tr key={i}>
              {Array.from({ length: columns }, (_, j) => {
                const at = i * columns + j;
                const wrong = marks[at] === false || (cells[at] !== "" && numberOf(cells[at]!) === null);
                const state = marks[at] === undefined ? "" : marks[at] ? `, ${t("learnCellRight")}` : `, ${t("learnCellWrong")}`;
                return (
                  <td key={j} data-mark={marks[at]} data-first={at === props.first || undefined}>
                    <input
                      type="text" inputMode={props.name === "weights" ? "decimal" : "text"} autocomplete="off" value={cells[at]} aria-invalid={wrong}
                      aria-label={`${t("learnCell", { row: i + 1, column: j + 1 })}${state}`}
                      onKeyDown={onKey(at)} onPaste={onPaste(at)} onFocus={(event) => event.currentTarget.select()}
                      onInput={(event) => {
                        const text = event.currentTarget.value;
                        props.onChange(cells.map((cell, other) => (other === at ? text : cell)), [at]);
                      }}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
