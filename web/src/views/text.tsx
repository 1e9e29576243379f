// Tokens as chips: where a token looks, or who looks at it. Hovering changes colours of chips directly.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Segmented } from "../components/controls";
import { ViewFrame } from "../components/view_frame";
import { ChipField } from "../canvas/chip_field";
import type { ChipSource } from "../canvas/chip_field";
import { chipFigure, textArrays, textTable } from "../exports/text_export";
import { useExport } from "../exports/view_export";
import { language, t } from "../core/language";
import { pieces } from "../core/tokens";
import type { Piece } from "../core/tokens";
import {
  activeMask, address, capture, change, colours, keySequence, kindInfo, now, querySequence, selectedTokens,
} from "../core/state";
import { column, received, row } from "../core/weights";

function Chips(props: { label: string; pieces: Piece[]; side: "query" | "key" | "both"; segments: number[] }) {
  return (
    <div class={props.pieces.length <= 60 ? "chips short" : "chips"} role="listbox" aria-multiselectable="true" aria-label={props.label} tabIndex={0} data-side={props.side}>
      {props.pieces.map((piece, i) => (
        <>
          {piece.breaks && <br role="presentation" key={`b${i}`} />}
          {i > 0 && props.segments[i] !== props.segments[i - 1] && <i class="part" role="presentation" key={`h${i}`} />}
          <span key={i} id={`${props.side}-${i}`} role="option" aria-selected="false" data-i={i}
            class={piece.glued ? "chip glued" : "chip"}>{piece.label}</span>
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
  const container = useRef<HTMLDivElement>(null);
  const caption = useRef<HTMLParagraphElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<ChipField | null>(null);

  useEffect(() => {
    const made = new ChipField(container.current!, caption.current!, list.current!, self, {
      pin: (token, add, side) => {
        const direction = self ? now.direction.peek() : side === "query" ? "out" : "in";
        const before = direction === now.direction.peek() ? selectedTokens.peek() : [];
        const without = before.filter((other) => other !== token);
        const tokens = add ? (without.length < before.length ? without : [...before, token]) : before.length === 1 && before[0] === token ? [] : [token];
        change({ tokens, key: -1, direction });
      },
    });
    field.current = made;
    return () => made.dispose();
  }, [shown.id, info.kind]);

  // Everything that changes what the colours say.
  const head = address.value!;
  const mask = activeMask.value;
  const direction = now.direction.value;
  const range = now.range.value;
  const table = colours.value;
  const chosen = selectedTokens.value;
  useEffect(() => {
    const from: ChipSource = {
      direction, range, colours: table, chosen,
      queries: queryPieces.map((piece) => piece.label),
      keys: keyPieces.map((piece) => piece.label),
      values: (token, look) => (look === "out" ? row(head, token, mask) : column(head, token, mask)),
      received: () => received(head, mask),
    };
    field.current?.show(from);
  }, [head, mask, direction, range, table, chosen, shown.id, info.kind, language.value]);

  return (
    <>
    <p class="caption" ref={caption} />
    <div class="reading">
      <div class="passage" ref={container}>
        {!self && <h2>{t("queries")}</h2>}
        <Chips label={self ? t("tokens") : t("queries")} pieces={queryPieces} side={self ? "both" : "query"} segments={queries.segments} />
        {!self && <h2>{t("keysTitle")}</h2>}
        {!self && <Chips label={t("keysTitle")} pieces={keyPieces} side="key" segments={keys.segments} />}
      </div>
      <aside class="ranked" aria-label={t("ranked")}><div ref={list} /></aside>
    </div>
    </>
  );
}

export function TextView() {
  const head = address.value!;
  const tokens = selectedTokens.value;
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
          <span class="advice">{t("textAdvice")}</span>
        </>
      }
    >
      <Field />
    </ViewFrame>
  );
}
