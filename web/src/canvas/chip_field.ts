// The chips of the Text view. Hovering recolours thousands of them per frame: their grounds are painted on one
// canvas behind the text, and an element changes only when its letters need the other colour.
import { entryOfWeight } from "../core/colours";
import type { ColourTable, RangeName } from "../core/colours";
import type { Direction } from "../core/hash";
import { errorText } from "../core/errors";
import { clamp, oncePerFrame } from "../core/frame";
import { t } from "../core/language";
import { percentText, weightText } from "../core/numbers";
import { ChipArcs, mostArcChips } from "./chip_arcs";
import { ChipGround } from "./chip_ground";
import { largest, maximumOf, rankOf } from "../core/ranking";
import { hint, say } from "../core/readout";
import type { Reading } from "../core/seen";
import { isolated, placed, unknownParts } from "../core/tokens";

export interface ChipSource {
  direction: Direction;
  range: RangeName;
  colours: ColourTable;
  chosen: number[];
  spot: number; // shown while none is hovered or chosen; −1: none
  queries: string[];
  keys: string[];
  values: (token: number, direction: Direction) => Float32Array | Promise<Float32Array>;
  visible: (token: number, direction: Direction) => Uint8Array | null; // what it may see, or who may see it; null: all
  received: () => Float32Array | Promise<Float32Array> | null; // by each key, mean over the queries
  queryCount?: number; // over so many, where not every token is shown
  listed?: Uint8Array; // keys that the list names; absent: all
}

interface Handlers {
  pin: (token: number, add: boolean, side: "query" | "key") => void;
  tell: (reading: Reading | null) => void; // what is shown now
}

type SideName = "query" | "key";
const listed = 12;

const namesOf = (tokens: number[], names: string[]) =>
  tokens.slice(0, 4).map((token) => placed(names[token], token)).join(" + ");
const quoted = (tokens: number[], names: string[]) =>
  tokens.slice(0, 4).map((token) => t("namedToken", { token: isolated(names[token]), at: token })).join(" + ");

// The tokens that are shown while the pointer is elsewhere.
const heldBy = ({ chosen, spot }: ChipSource) => (chosen.length || spot < 0 ? chosen : [spot]);

export class ChipField {
  private readonly chips: Record<SideName, HTMLElement[]>;
  private readonly ground: ChipGround;
  private readonly arcs: ChipArcs | null;
  private readonly requestUpdate = oncePerFrame(() => this.update());
  private readonly rows: { row: HTMLElement; name: HTMLElement; bar: HTMLElement; value: HTMLElement }[] = [];
  private readonly listTitle = document.createElement("h2");
  private from: ChipSource | null = null;
  private hovered: { token: number; side: SideName } | null = null;
  private active = -1; // of the keyboard
  private generation = 0;

  constructor(
    private readonly container: HTMLElement,
    private readonly caption: HTMLElement, // says what the colours mean
    list: HTMLElement,
    private readonly self: boolean,
    private readonly handlers: Handlers,
  ) {
    const of = (side: string) => [...container.querySelectorAll<HTMLElement>(`[data-side=${side}] .chip`)];
    this.chips = self ? { query: of("both"), key: of("both") } : { query: of("query"), key: of("key") };
    this.ground = new ChipGround(container);
    const many = this.chips.query.length > mostArcChips || this.chips.key.length > mostArcChips;
    this.arcs = many ? null : new ChipArcs(container);
    this.buildList(list);
    container.addEventListener("pointermove", this.onMove);
    container.addEventListener("pointerleave", this.onLeave);
    container.addEventListener("click", this.onClick);
    container.addEventListener("keydown", this.onKey);
  }

  dispose(): void {
    this.container.removeEventListener("pointermove", this.onMove);
    this.container.removeEventListener("pointerleave", this.onLeave);
    this.container.removeEventListener("click", this.onClick);
    this.container.removeEventListener("keydown", this.onKey);
    this.ground.dispose();
    this.arcs?.dispose();
    this.handlers.tell(null);
    for (const chip of this.container.querySelectorAll(".spot")) chip.classList.remove("spot");
    this.from = null;
    ++this.generation;
    this.caption.textContent = "";
    for (const box of this.container.querySelectorAll(".chips")) box.removeAttribute("aria-activedescendant");
    for (const chip of this.container.querySelectorAll(".active")) chip.classList.remove("active");
  }

  show(from: ChipSource): void {
    const first = !this.from;
    this.from = from;
    const chosen = new Set(from.chosen);
    const chosenSide: SideName = from.direction === "out" ? "query" : "key";
    for (const side of this.self ? [chosenSide] : (["query", "key"] as const)) {
      this.chips[side].forEach((chip, i) =>
        chip.setAttribute("aria-selected", String(side === chosenSide && chosen.has(i))),
      );
      this.chips[side].forEach((chip, i) => chip.classList.toggle("spot", side === chosenSide && i === from.spot && !chosen.size));
    }
    this.requestUpdate();
    if (heldBy(from).length) void this.announce();
    else if (!first && !this.hovered) void this.announceReceived();
  }

  private buildList(list: HTMLElement): void {
    list.replaceChildren(this.listTitle);
    for (let i = 0; i < listed; ++i) {
      const [row, name, bar, value] = ["div", "span", "i", "b"].map((tag) => document.createElement(tag));
      row.append(name, bar, value);
      row.hidden = true; // until there are weights
      list.append(row);
      this.rows.push({ row, name, bar, value });
    }
  }

  private chipAt(event: Event): { token: number; side: SideName } | null {
    const chip = (event.target as HTMLElement).closest<HTMLElement>(".chip");
    if (!chip) return null;
    const side = chip.parentElement?.dataset["side"];
    const direct: SideName = this.from?.direction === "in" ? "key" : "query";
    return { token: Number(chip.dataset["i"]), side: side === "both" ? direct : (side as SideName) };
  }

  private readonly onMove = (event: Event) => {
    const chip = this.chipAt(event);
    if (!chip) return; // between two chips the last one stays: no flicker
    if (chip.token === this.hovered?.token && chip.side === this.hovered.side) return;
    this.hovered = chip;
    this.requestUpdate();
  };

  private readonly onLeave = () => {
    this.hovered = null;
    this.requestUpdate();
  };

  private readonly onClick = (event: Event) => {
    const chip = this.chipAt(event);
    if (!chip) return;
    this.active = chip.token;
    this.handlers.pin(chip.token, (event as MouseEvent).shiftKey, chip.side);
  };

  private readonly onKey = (event: KeyboardEvent) => {
    const box = (event.target as HTMLElement).closest<HTMLElement>(".chips");
    if (!box || !this.from) return;
    const side: SideName = box.dataset["side"] === "key" || (this.self && this.from.direction === "in") ? "key" : "query";
    const right = box.dir === "rtl" ? -1 : 1;
    const moves: Record<string, number> = {
      ArrowLeft: -right, ArrowRight: right, ArrowUp: -8, ArrowDown: 8, Home: -1e6, End: 1e6,
    };
    if (event.key in moves) {
      const from = this.active < 0 ? (moves[event.key] > 0 ? -1 : 0) : this.active;
      this.active = this.shownFrom(side, clamp(from + moves[event.key], 0, this.chips[side].length - 1), Math.sign(moves[event.key]));
      const chip = this.chips[side][this.active];
      box.setAttribute("aria-activedescendant", chip.id);
      for (const other of box.querySelectorAll(".active")) other.classList.remove("active");
      chip.classList.add("active");
      chip.scrollIntoView({ block: "nearest" });
      this.hovered = { token: this.active, side };
      this.requestUpdate();
    } else if ((event.key === "Enter" || event.key === " ") && this.active >= 0) {
      this.handlers.pin(this.active, event.shiftKey, side);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // The chip at `at`, or the next one that is not hidden.
  private shownFrom(side: SideName, at: number, by: number): number {
    const chips = this.chips[side];
    const hidden = (i: number) => chips[i]?.classList.contains("away");
    for (const step of [by, -by]) {
      let i = at;
      while (hidden(i)) i += step;
      if (i >= 0 && i < chips.length) return i;
    }
    return at;
  }

  // Which tokens' attention is shown: the pinned ones, else the one under the pointer.
  private focus(): { tokens: number[]; direction: Direction } | null {
    const from = this.from!;
    if (from.chosen.length || (!this.hovered && from.spot >= 0)) return { tokens: heldBy(from), direction: from.direction };
    if (!this.hovered) return null;
    return { tokens: [this.hovered.token], direction: this.hovered.side === "query" ? "out" : "in" };
  }

  private async summed(tokens: number[], direction: Direction): Promise<Float32Array> {
    const parts = await Promise.all(tokens.map((token) => this.from!.values(token, direction)));
    const sum = new Float32Array(parts[0].length);
    for (const part of parts) for (let i = 0; i < sum.length; ++i) sum[i] += part[i];
    return sum;
  }

  // What one of the tokens may see; null: everything.
  private visible(tokens: number[], direction: Direction): Uint8Array | null {
    const [first, ...others] = tokens.map((token) => this.from!.visible(token, direction));
    if (!first || others.some((other) => !other)) return null;
    return first.map((own, i) => (own || others.some((other) => other![i]) ? 1 : 0));
  }

  private update(): void {
    if (!this.from) return;
    const focus = this.focus();
    const generation = ++this.generation;
    const fail = (error: unknown) => generation === this.generation && hint(errorText(error));
    if (!focus) return this.rest(generation);
    const apply = (values: Float32Array) => {
      if (generation === this.generation) this.apply(values, focus.tokens, focus.direction);
    };
    if (focus.tokens.length === 1) {
      const values = this.from.values(focus.tokens[0], focus.direction);
      if (values instanceof Float32Array) return apply(values);
      values.then(apply, fail);
      return;
    }
    this.summed(focus.tokens, focus.direction).then(apply, fail);
  }

  // Nothing is looked at: the chips show how much each token receives.
  private rest(generation: number): void {
    const apply = (values: Float32Array | null) => {
      if (generation !== this.generation) return;
      this.caption.textContent = values ? t("showsReceived") : "";
      if (values) this.paint(values, "key", 1);
      else this.ground.clear();
      this.fillList(values, this.from!.listed ?? null, t("mostReceived"), this.from!.keys);
      hint(values ? this.receivedReading(values) : "");
      this.tell(values && { tokens: [], direction: "out", values });
    };
    const values = this.from!.received();
    if (values instanceof Promise) values.then(apply, () => apply(null));
    else apply(values);
  }

  private apply(values: Float32Array, tokens: number[], direction: Direction): void {
    const { queries, keys } = this.from!;
    const out = direction === "out";
    const [own, others] = out ? [queries, keys] : [keys, queries];
    this.paint(values, out ? "key" : "query", tokens.length);
    this.fillList(values, this.visible(tokens, direction), t(out ? "looksAt" : "seenBy"), others);
    this.caption.textContent = t(out ? "showsOut" : "showsIn", { token: quoted(tokens, own) });
    hint(this.reading(values, tokens, direction));
    this.tell({ tokens, direction, values });
  }

  private tell(reading: Reading | null): void {
    this.handlers.tell(reading);
    if (reading?.tokens.length !== 1) return this.arcs?.show(null);
    const { direction, values, tokens: [token] } = reading;
    const [own, others] = direction === "out" ? [this.chips.query, this.chips.key] : [this.chips.key, this.chips.query];
    this.arcs?.show({ own: own[token], others, values, inwards: direction === "in" });
  }

  // `count`: so many rows were summed.
  private paint(values: Float32Array, side: SideName, count: number): void {
    const { range, colours } = this.from!;
    const maximum = maximumOf(values);
    const chips = this.chips[side];
    const entries = new Uint8Array(chips.length);
    for (let i = 0; i < chips.length; ++i) {
      entries[i] = entryOfWeight(range === "row" ? values[i] : values[i] / count, range, maximum);
    }
    this.ground.show(chips, entries, colours);
  }

  private fillList(values: Float32Array | null, visible: Uint8Array | null, title: string, names: string[]): void {
    this.listTitle.textContent = title;
    const seen = visible ? values?.map((value, i) => (visible[i] ? value : -1)) : values;
    const order = seen ? largest(seen, listed).filter((i) => seen[i] >= 0) : [];
    const maximum = values && order.length ? values[order[0]] : 0;
    this.rows.forEach(({ row, name, bar, value }, at) => {
      const i = order[at];
      row.hidden = i === undefined;
      if (i === undefined || !values) return;
      name.textContent = placed(names[i], i);
      name.classList.toggle("unknown", unknownParts(names[i]) !== null);
      bar.style.transform = `scaleX(${maximum > 0 ? values[i] / maximum : 0})`;
      value.textContent = weightText(values[i]);
    });
  }

  // "fox 4 → dog 9: 0.1234 (12.3 %), rank 2 of 12"
  private reading(values: Float32Array, tokens: number[], direction: Direction): string {
    const from = this.from!;
    const [own, others] = direction === "out" ? [from.queries, from.keys] : [from.keys, from.queries];
    const arrow = direction === "out" ? "→" : "←";
    const pointed = from.chosen.length && this.hovered ? this.hovered.token : largest(values, 1)[0];
    const target = pointed < values.length ? pointed : 0;
    const pair = `${namesOf(tokens, own)} ${arrow} ${placed(others[target], target)}`;
    const visible = this.visible(tokens, direction);
    if (visible && !visible[target]) return `${pair}: ${t("hidden")}`;
    const count = visible ? visible.reduce((sum, one) => sum + one, 0) : values.length;
    const rank = t("rank", { rank: rankOf(values, target), count });
    return `${pair}: ${weightText(values[target])} (${percentText(values[target])}), ${rank}`;
  }

  private async announce(): Promise<void> {
    const { from } = this;
    const [held, { direction }] = [heldBy(from!), from!];
    const values = await this.summed(held, direction).catch(() => null);
    if (values && this.from === from) say(this.reading(values, held, direction));
  }

  private receivedReading(values: Float32Array): string {
    const [most] = largest(values, 1);
    const { keys, queries, queryCount } = this.from!;
    return t("receivedReading", {
      token: placed(keys[most], most), value: weightText(values[most]), percent: percentText(values[most]), count: queryCount ?? queries.length,
    });
  }

  private async announceReceived(): Promise<void> {
    const { from } = this;
    const values = await Promise.resolve(from!.received()).catch(() => null);
    if (values && this.from === from && !this.hovered) say(this.receivedReading(values));
  }
}
