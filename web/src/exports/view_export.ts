// What each view gives away, and the forms it can be taken in.
import { useEffect } from "preact/hooks";
import { csvOf } from "./csv";
import type { Table } from "./csv";
import { toSvg } from "./figure";
import type { Figure } from "./figure";
import { framed, runFrame, weightBar } from "./frame";
import type { Frame } from "./frame";
import { npz } from "./npy";
import type { Exportable } from "./npy";
import { imageAddress, paintFigure } from "./paint";
import { plainNumbers } from "./plain_numbers";

export const exportFormats = ["png", "svg", "csv", "json", "npz", "link"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ViewExport {
  name: string; // of the file, without ending
  figure: () => Figure;
  frame?: () => Frame; // absent: the run's, with the colours of weights
  table: () => Table;
  json: () => unknown;
  arrays: () => Record<string, Exportable>;
}

let current: ViewExport | null = null;

// The picture of the view on the screen, with all that is needed to understand it; null: there is none yet.
export function currentPicture(): Figure | null {
  return current && pictureOf(current);
}

function pictureOf(offered: ViewExport): Figure {
  return framed(offered.figure(), offered.frame?.() ?? runFrame(weightBar()));
}

// Called by the view on the screen, with what it shows now.
export function useExport(offered: ViewExport | null): void {
  useEffect(() => {
    current = offered;
    return () => {
      if (current === offered) current = null;
    };
  });
}

export function save(name: string, content: BlobPart, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// A large picture takes seconds to become a file.
async function savePng(offered: ViewExport): Promise<Outcome> {
  const canvas = paintFigure(pictureOf(offered), 2);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  if (!blob) return "too large";
  save(`${offered.name}.png`, blob, "image/png");
  return "saved";
}

type Outcome = "saved" | "nothing yet" | "too large";

// Resolves when the file was handed to the browser.
export async function exportView(format: Exclude<ExportFormat, "link">): Promise<Outcome> {
  if (!current) return "nothing yet";
  const { name } = current;
  switch (format) {
    case "png":
      return savePng(current);
    case "svg":
      save(`${name}.svg`, toSvg(pictureOf(current), imageAddress), "image/svg+xml");
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
  return "saved";
}
