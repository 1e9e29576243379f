// The Text view as picture, table and arrays. Without a pinned token: what every token receives, as on the screen.
import { pictureColours } from "./light";
import { arrange, inks, textWidth } from "./panels";
import type { Figure, Shape } from "./figure";
import type { Table } from "./csv";
import type { Exportable } from "./npy";
import { entryOfWeight } from "../core/colours";
import type { Direction } from "../core/hash";
import { t } from "../core/language";
import { maximumOf } from "../core/ranking";
import { axes, lens, tokenColumn, tokenReceived, tokenRow } from "../core/shown";
import { capture, keyNames, keySequence, kindInfo, now, queryNames, querySequence } from "../core/state";
import { pieces, runsLeft } from "../core/tokens";
import type { HeadAddress } from "../data/types";

export interface TextShown {
  head: HeadAddress;
  tokens: number[];
  direction: Direction;
  mask: string;
}

// What is on the screen is in memory; a row that is not yet there counts as 0.
function shownValues({ head, tokens, direction, mask }: TextShown): Float32Array {
  const resting = tokens.length ? null : tokenReceived(head, mask, lens.peek());
  if (resting instanceof Float32Array) return resting;
  const extent = direction === "out" ? kindInfo.peek()!.keys : kindInfo.peek()!.queries;
  const sum = new Float32Array(extent);
  for (const token of tokens) {
    const values = (direction === "out" ? tokenRow : tokenColumn)(head, token, mask, lens.peek());
    if (values instanceof Float32Array) values.forEach((value, i) => (sum[i] += value));
  }
  return sum;
}

function targets(direction: Direction): string[] {
  return (direction === "out" ? keyNames : queryNames).peek();
}

// What is listed: every token, or what the lens left of them.
function listed(shown: TextShown): { at: number; name: string; value: number }[] {
  const values = shownValues(shown);
  const { keys, keyAt, queries, queryAt } = axes.peek();
  const [names, places] = shown.direction === "out" ? [keys, keyAt] : [queries, queryAt];
  return places.map((at, i) => ({ at, name: names[i], value: values[at] }));
}

export function textTable(shown: TextShown): Table {
  return {
    columns: ["index", "token", "weight"],
    rows: listed(shown).map(({ at, name, value }) => [at, name, value]),
  };
}

export function textArrays(shown: TextShown): Record<string, Exportable> {
  const list = listed(shown);
  const data = Float32Array.from(list, ({ value }) => value);
  return { weights: { shape: [data.length], data }, tokens: list.map(({ name }) => name) };
}

export function chipFigure(shown: TextShown): Figure {
  const info = kindInfo.peek()!;
  const out = shown.direction === "out";
  const sequence = (out ? keySequence : querySequence).peek()!;
  const list = pieces(capture.peek()!, out ? info.key_side : info.query_side, sequence);
  const values = shownValues(shown);
  const maximum = maximumOf(values);
  const table = pictureColours();
  const { ink } = inks();
  const groupAt = out ? axes.peek().columnOf : axes.peek().rowOf;
  const shapes: Shape[] = [];
  const own = (out ? queryNames : keyNames).peek();
  const names = shown.tokens.map((token) => own[token]).join(" + ");
  const what = names ? `${names} ${out ? "→" : "←"}` : t("received");
  const title = `L${shown.head.layer} H${shown.head.head}  ${what}`;
  shapes.push({ type: "text", x: 0, y: 14, text: title, size: 13, fill: ink, bold: true });
  let [x, y] = [0, 26];
  const left = runsLeft(list.map(({ label }, i) => (sequence.special[i] ? "" : label)).join(" "));
  list.forEach((piece, i) => {
    if (groupAt(i) < 0) return;
    const label = piece.unknown ? targets(shown.direction)[i] : piece.label;
    const width = textWidth(label, 14) + 10;
    if (piece.breaks || x + width > 720) [x, y] = [0, y + 28];
    else if (!piece.glued && x) x += 4;
    const entry = entryOfWeight(values[i], now.range.peek(), maximum);
    const begin = left ? 740 - x - width : x;
    shapes.push({ type: "rect", x: begin, y, width, height: 22, fill: table.css[entry] });
    const fill = table.darkText[entry] ? "#000000" : "#ffffff";
    shapes.push({ type: "text", x: begin + width / 2, y: y + 16, text: label, size: 14, fill, anchor: "middle" });
    x += width;
  });
  return arrange([{ width: 740, height: y + 28, shapes }]);
}
