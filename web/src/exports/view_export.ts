// What each view gives away, and the forms it can be taken in.
import { useEffect } from "preact/hooks";
import { csvOf } from "./csv";
import type { Table } from "./csv";
import { toSvg } from "./figure";
import type { Figure } from "./figure";
import { npz } from "./npy";
import type { Exportable } from "./npy";
import { imageAddress, paintFigure } from "./paint";

export const exportFormats = ["png", "svg", "csv", "json", "npz", "link"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ViewExport {
  name: string; // of the file, without ending
  figure: () => Figure;
  table: () => Table;
  json: () => unknown;
  arrays: () => Record<string, Exportable>;
}

let current: ViewExport | null = null;

// Called by the view on the screen, with what it shows now.
export function useExport(offered: ViewExport | null): void {
  useEffect(() => {
    current = offered;
    return () => {
      if (current === offered) current = null;
    };
  });
}

function save(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function savePng(offered: ViewExport): void {
  paintFigure(offered.figure(), 2).toBlob((blob) => blob && save(`${offered.name}.png`, blob, "image/png"));
}

// False if there is nothing to export yet.
export function exportView(format: Exclude<ExportFormat, "link">): boolean {
  if (!current) return false;
  const { name } = current;
  switch (format) {
    case "png":
      savePng(current);
      break;
    case "svg":
      save(`${name}.svg`, toSvg(current.figure(), imageAddress), "image/svg+xml");
      break;
    case "csv":
      save(`${name}.csv`, csvOf(current.table()), "text/csv");
      break;
    case "json":
      save(`${name}.json`, JSON.stringify(current.json(), plainNumbers, 1), "application/json");
      break;
    case "npz":
      save(`${name}.npz`, npz(current.arrays()) as Uint8Array<ArrayBuffer>, "application/octet-stream");
      break;
  }
  return true;
}

// Typed arrays as lists; JSON has no infinity.
export function plainNumbers(_key: string, value: unknown): unknown {
  if (value instanceof Float32Array || value instanceof Float64Array || value instanceof Uint8Array) return Array.from(value);
  if (typeof value === "number" && !Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value < 0 ? "-inf" : "inf";
  return value;
}
