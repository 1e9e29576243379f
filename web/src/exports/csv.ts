// Comma-separated values (RFC 4180).

export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

function field(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

export function csvOf(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(field).join(",") + "\r\n").join("");
}

// A matrix with the names of its rows in front.
export function matrixTable(rowLabels: string[], columnLabels: string[], value: (i: number, j: number) => number): Table {
  return {
    columns: ["", ...columnLabels],
    rows: rowLabels.map((label, i) => [label, ...columnLabels.map((_, j) => value(i, j))]),
  };
}
