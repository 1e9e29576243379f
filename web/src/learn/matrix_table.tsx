// A small matrix of numbers: shaded where they are weights, and with fields where they can be changed.
import { useState } from "preact/hooks";
import { shortText, wholeText } from "../core/numbers";
import { numberOf } from "./typed";
import type { Cell, LiveMatrix } from "./types";

const mostDecimals = 4;

function decimalsOf(cell: Cell): number {
  const [, digits = ""] = /^-?\d+\.(\d+)$/.exec(String(cell)) ?? [];
  return Math.min(mostDecimals, digits.length);
}

// Whether some number has more digits than are shown.
export const isRounded = (values: Cell[][]) => values.some((row) => row.some((cell) => typeof cell === "number" && Number(cell.toFixed(mostDecimals)) !== cell));

// All numbers of a matrix have the same decimals, as few as will do.
function cellText(cell: Cell, decimals: number): string {
  if (typeof cell === "string") return { inf: "∞", "-inf": "−∞", nan: "NaN" }[cell] ?? cell;
  const size = Math.abs(cell);
  if (size >= 1e5 || (size > 0 && size < 1e-4)) return Number.isInteger(cell) ? wholeText(cell) : shortText(cell);
  return cell.toFixed(size >= 1000 ? Math.min(1, decimals) : decimals).replace("-", "−");
}

// A field that keeps what is being typed, and tells every number that it becomes.
function NumberField(props: { value: number; label: string; onChange: (value: number) => void }) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      type="text" size={4} value={typed ?? String(props.value)} aria-label={props.label} autocomplete="off"
      aria-invalid={typed !== null && numberOf(typed) === null}
      onFocus={(event) => event.currentTarget.select()}
      onInput={(event) => {
        const text = event.currentTarget.value;
        const number = numberOf(text);
        setTyped(text);
        if (number !== null) props.onChange(number);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

// `onChange`: of a cell, where the matrix can be changed.
export function MatrixTable(props: {
  matrix: Pick<LiveMatrix, "title" | "rows" | "columns" | "values" | "weights">;
  onChange?: (row: number, column: number, value: number) => void;
}) {
  const { matrix, onChange } = props;
  const needed = Math.max(...matrix.values.flat().map(decimalsOf));
  const decimals = matrix.weights ? Math.min(3, needed) : needed;
  const rowName = (i: number) => matrix.rows[i] ?? String(i);
  const columnName = (j: number) => matrix.columns[j] ?? String(j);
  const named = matrix.rows.some(Boolean);
  return (
    <figure class={onChange ? "small-table editable" : "small-table"}>
      <figcaption>{matrix.title}</figcaption>
      <div class="table-scroll" tabIndex={0} role="group" aria-label={matrix.title}>
        <table>
          {matrix.columns.some(Boolean) && (
            <thead>
              <tr>
                {named && <td />}
                {matrix.columns.map((name, j) => <th key={j} scope="col">{name}</th>)}
              </tr>
            </thead>
          )}
          <tbody>
            {matrix.values.map((row, i) => (
              <tr key={i}>
                {named && <th scope="row">{matrix.rows[i]}</th>}
                {row.map((cell, j) => (
                  <td key={j} class={matrix.weights ? "share" : ""} style={matrix.weights && typeof cell === "number" ? { "--share": Math.min(1, Math.max(0, cell)) } : undefined}>
                    {onChange && typeof cell === "number"
                      ? <NumberField value={cell} label={`${matrix.title}: ${rowName(i)}, ${columnName(j)}`} onChange={(value) => onChange(i, j, value)} />
                      : <span>{cellText(cell, decimals)}</span>}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
