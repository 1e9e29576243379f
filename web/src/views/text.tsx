// Tokens as chips: where a token looks, or who looks at it. Hovering changes colours of chips directly.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Segmented } from "../components/controls";
import { Glance } from "../components/glance";
import { PredictionPanel } from "../components/predictions";
import { Seen, writeSeen } from "../components/seen";
import { FindHead } from "../components/head_finder";
import { LensButtons } from "../components/lens_tools";
import { ViewFrame } from "../components/view_frame";
import { ChipField } from "../canvas/chip_field";
import type { ChipSource } from "../canvas/chip_field";
import { chipFigure, textArrays, textTable } from "../exports/text_export";
import { useExport } from "../exports/view_export";
import { chipsThroughLens } from "../core/chip_lens";
import { language, t } from "../core/language";
import { groupOf } from "../core/lens";
import { lens } from "../core/shown";
import { pieces, runsLeft, tokenLabel, unknownName, unknownParts } from "../core/tokens";
import type { Piece } from "../core/tokens";
import {
  activeMask, address, capture, change, colours, keySequence, kindInfo, now, querySequence, selectedTokens, shownTokens,
  visibility,
} from "../core/state";
import { column, received, row } from "../core/weights";
import type { Side } from "../data/types";

const mostPairs = 64e6; // whose visibility is looked up while the pointer moves

// What a chip and every line about it calls the token.
const pieceName = ({ label, unknown }: Piece, token: string) => {
  const read = tokenLabel(token);
  return unknown && label !== read ? unknownName(label, read) : label;
};

function ChipLabel(props: { name: string }) {
  const [written, read] = unknownParts(props.name) ?? [props.name, ""];
  return <>{written}{read && <small>{read}</small>}</>;
}

// Hidden; begins or continues a word of several tokens.
function lensClass(group: Int32Array | null, i: number): string {
  if (!group) return "";
  if (group[i] < 0) return " away";
  return `${group[i + 1] === group[i] ? " more" : ""}${i > 0 && group[i - 1] === group[i] ? " sub" : ""}`;
}

function Chips(props: { label: string; pieces: Piece[]; names: string[]; tokens: string[]; side: "query" | "key" | "both"; segments: number[]; left: boolean; away: Int32Array | null }) {
  const classOf = ({ label, glued, unknown, part }: Piece) => `chip${label.length > 20 ? " long" : ""}${glued ? " glued" : ""}${unknown ? " unknown" : ""}${part > 1 ? " rest" : ""}`;
  return (
    <div class={props.pieces.length <= 60 ? "chips short" : "chips"} dir={props.left ? "rtl" : "ltr"} role="listbox" aria-multiselectable="true" aria-label={props.label} tabIndex={0} data-side={props.side}>
      {props.pieces.map((piece, i) => (
        <>
          {piece.breaks && <br role="presentation" key={`b${i}`} />}
          {i > 0 && props.segments[i] !== props.segments[i - 1] && <i class="part" role="presentation" key={`h${i}`} />}
          <span key={i} id={`${props.side}-${i}`} role="option" aria-selected="false" data-i={i} class={classOf(piece) + lensClass(props.away, i)}
            title={piece.unknown ? t("readAs", { token: props.tokens[i] }) : undefined}>{piece.unknown ? <ChipLabel name={props.names[i]} /> : props.names[i]}</span>
        </>
      ))}
    </div>
  );
}

// The chips do not depend on the selection: they are rendered once per capture and kind.
function Field() {
  const shown = capture.value!;
  const info = kindInfo.value!;
  const queries = querySequence.value!;
  const keys = keySequence.value!;
  const self = info.query_side === info.key_side;
  const queryPieces = useMemo(() => pieces(shown, info.query_side, queries), [shown.id, info.kind]);
  const keyPieces = useMemo(() => (self ? queryPieces : pieces(shown, info.key_side, keys)), [shown.id, info.kind]);
  const names = useMemo(
    () => ({ queries: queryPieces.map((piece, i) => pieceName(piece, queries.tokens[i])), keys: keyPieces.map((piece, i) => pieceName(piece, keys.tokens[i])) }),
    [queryPieces, keyPieces],
  );
  const texts = { ...names, querySequence: queries, keySequence: keys, glued: keyPieces.map(({ glued }) => glued) };
  const container = useRef<HTMLDivElement>(null);
  const caption = useRef<HTMLParagraphElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const seenLine = useRef<HTMLParagraphElement>(null);
  const field = useRef<ChipField | null>(null);

  useEffect(() => {
    const made = new ChipField(container.current!, caption.current!, list.current!, self, {
      pin: (token, add, side) => {
        const direction = self ? now.direction.peek() : side === "query" ? "out" : "in";
        const before = direction === now.direction.peek() ? selectedTokens.peek() : [];
        const without = before.filter((other) => other !== token);
        const tokens = add ? (without.length < before.length ? without : [...before, token]) : before.length === 1 && before[0] === token ? [] : [token];
        change({ tokens, key: -1, spot: -1, direction });
      },
      tell: (reading) => writeSeen(seenLine.current, reading, { ...texts, self }),
    });
    field.current = made;
    return () => made.dispose();
  }, [shown.id, info.kind, lens.value]);

  // Everything that changes what the colours say.
  const head = address.value!;
  const mask = activeMask.value;
  const direction = now.direction.value;
  const range = now.range.value;
  const table = colours.value;
  const chosen = selectedTokens.value;
  const seen = visibility.value;
  const spot = chosen.length ? -1 : (shownTokens.value[0] ?? -1);
  const through = lens.value;
  const away = useMemo(
    () => through && { queries: groupOf(through.queries, through.queryCount), keys: groupOf(through.keys, through.keyCount) },
    [through],
  );
  useEffect(() => {
    const from: ChipSource = {
      direction, range, colours: table, chosen, spot, ...names,
      visible: (token, look) => {
        if (!seen || look === "out") return seen?.row(token) ?? null;
        return seen.n * seen.m <= mostPairs ? seen.column(token) : null;
      },
      values: (token, look) => (look === "out" ? row(head, token, mask) : column(head, token, mask)),
      received: () => received(head, mask),
    };
    field.current?.show(chipsThroughLens(from, head, mask, through));
  }, [head, mask, direction, range, table, chosen, spot, seen, names, through, language.value]);
  const left = (side: Side) => runsLeft((side === "decoder" && shown.sequences.encoder && shown.text2) || shown.text);

  return (
    <>
    <Seen line={seenLine} />
    <p class="caption" ref={caption} />
    <div class="reading">
      <div class="passage" ref={container}>
        {!self && <h2>{t("queries")}</h2>}
        <Chips label={self ? t("tokens") : t("queries")} pieces={queryPieces} names={names.queries} tokens={queries.tokens} side={self ? "both" : "query"} segments={queries.segments} left={left(info.query_side)} away={away?.queries ?? null} />
        {!self && <h2>{t("keysTitle")}</h2>}
        {!self && <Chips label={t("keysTitle")} pieces={keyPieces} names={names.keys} tokens={keys.tokens} side="key" segments={keys.segments} left={left(info.key_side)} away={away?.keys ?? null} />}
      </div>
      <PredictionPanel />
      <aside class="ranked" aria-label={t("ranked")}><div ref={list} /></aside>
      <Glance />
    </div>
    </>
  );
}

export function TextView() {
  const head = address.value!;
  const tokens = shownTokens.value;
  const direction = now.direction.value;
  const mask = activeMask.value;
  const shown = { head, tokens, direction: tokens.length ? direction : "out", mask } as const;
  useExport({
    name: `text-L${head.layer}-H${head.head}`,
    figure: () => chipFigure(shown),
    table: () => textTable(shown),
    json: () => ({ ...head, tokens, direction: tokens.length ? direction : "received", mask, ...textTable(shown) }),
    arrays: () => textArrays(shown),
  });
  return (
    <ViewFrame
      view="text"
      controls={
        <>
          <Segmented
            label={t("direction")} value={direction} onChange={(value) => change({ direction: value, tokens: [], key: -1 })}
            choices={[{ value: "out", label: t("looksAt") }, { value: "in", label: t("seenBy") }]}
          />
          <LensButtons />
          <FindHead />
          <span class="advice">{t("textAdvice")}</span>
        </>
      }
    >
      <Field />
    </ViewFrame>
  );
}
