// A mask put together term by term, or written as text.
import { useEffect, useState } from "preact/hooks";
import { maskErrorText, Notice, NumberField, Segmented } from "./controls";
import { t } from "../core/language";
import { chainOf, parseMask, printMask, treeOf } from "../core/mask_expression";
import type { MaskLeaf, MaskTerm, MaskTree } from "../core/mask_expression";
import { readMask } from "../core/state";
import { unknownParts } from "../core/tokens";

export interface MaskBuilderProps {
  expression: string;
  n: number;
  m: number;
  keys: string[]; // names of the tokens
  segments: number[]; // of the keys
  onChange: (expression: string, typed: boolean) => void; // typed: letter by letter
}

const mostToggles = 512;

export function termsOf(expression: string): MaskTerm[] | null {
  if (!expression.trim()) return [];
  try {
    return chainOf(parseMask(expression));
  } catch {
    return null;
  }
}

export function printTerms(terms: MaskTerm[]): string {
  return terms.length ? printMask(treeOf(terms)) : "";
}

function newLeaf(type: MaskTree["type"], props: MaskBuilderProps): MaskLeaf {
  switch (type) {
    case "window":
      return { type, before: 2, after: 2 };
    case "sparse":
      return { type, stride: 4 };
    case "prefix":
      return { type, length: 2 };
    case "padding":
      return { type, ids: props.keys.map((_, j) => (j === props.m - 1 ? 0 : 1)), pad: 0 };
    case "documents":
      return { type, ids: props.segments.some(Boolean) ? [...props.segments] : props.keys.map((_, j) => (j < props.m / 2 ? 0 : 1)) };
    case "hand":
      return { type, cells: [] };
    default:
      return { type: "causal", topLeft: false };
  }
}

function TokenToggles(props: { keys: string[]; label: string; pressed: (j: number) => boolean; toggle: (j: number) => void }) {
  return (
    <div class="toggles" role="group" aria-label={props.label}>
      {props.keys.slice(0, mostToggles).map((key, j) => (
        <button type="button" key={j} aria-pressed={props.pressed(j)} class={unknownParts(key) ? "unknown" : undefined} onClick={() => props.toggle(j)}>{key}</button>
      ))}
    </div>
  );
}

function LeafFields(props: { leaf: MaskLeaf; builder: MaskBuilderProps; onChange: (leaf: MaskLeaf) => void }) {
  const { leaf, builder, onChange } = props;
  const most = 1e6;
  switch (leaf.type) {
    case "window":
      return (
        <>
          <NumberField label={t("before")} value={leaf.before} least={0} largest={most} onChange={(before) => onChange({ ...leaf, before })} />
          <NumberField label={t("after")} value={leaf.after} least={0} largest={most} onChange={(after) => onChange({ ...leaf, after })} />
        </>
      );
    case "sparse":
      return <NumberField label={t("stride")} value={leaf.stride} least={1} largest={most} onChange={(stride) => onChange({ ...leaf, stride })} />;
    case "prefix":
    case "lengths":
      return <NumberField label={t("length")} value={leaf.length} least={0} largest={most} onChange={(length) => onChange({ ...leaf, length })} />;
    case "padding":
      return (
        <TokenToggles
          keys={builder.keys} label={t("paddingAdvice")} pressed={(j) => leaf.ids[j] === leaf.pad}
          toggle={(j) => onChange({ ...leaf, ids: leaf.ids.map((id, at) => (at === j ? (id === leaf.pad ? leaf.pad + 1 : leaf.pad) : id)) })}
        />
      );
    case "documents": {
      // Pressing a token begins, or no longer begins, a document there.
      const begins = (j: number) => j > 0 && leaf.ids[j] !== leaf.ids[j - 1];
      const toggle = (j: number) => {
        let document = 0;
        onChange({ ...leaf, ids: leaf.ids.map((_, at) => (document += at > 0 && begins(at) !== (at === j) ? 1 : 0)) });
      };
      return (
        <>
          <TokenToggles keys={builder.keys} label={t("documentsAdvice")} pressed={begins} toggle={toggle} />
          {builder.segments.some(Boolean) && (
            <button type="button" onClick={() => onChange({ ...leaf, ids: [...builder.segments] })}>{t("bySegments")}</button>
          )}
        </>
      );
    }
    case "hand":
      return <span class="advice">{t("handCells", { count: leaf.cells.length })}</span>;
    default:
      return null;
  }
}

function TermRow(props: { term: MaskTerm; first: boolean; builder: MaskBuilderProps; onChange: (term: MaskTerm | null) => void }) {
  const { term, first, onChange } = props;
  return (
    <li class="term">
      {!first && (
        <Segmented
          label={t("joinedBy")} value={term.join} onChange={(join) => onChange({ ...term, join })}
          choices={[{ value: "and", label: t("and") }, { value: "or", label: t("or") }]}
        />
      )}
      <button type="button" class="not" aria-pressed={term.negated} onClick={() => onChange({ ...term, negated: !term.negated })}>{t("not")}</button>
      <b>{t(`mask.${term.leaf.type}`)}</b>
      <LeafFields leaf={term.leaf} builder={props.builder} onChange={(leaf) => onChange({ ...term, leaf })} />
      <button type="button" class="plain remove" aria-label={t("remove")} title={t("remove")} onClick={() => onChange(null)}>×</button>
    </li>
  );
}

export function MaskBuilder(props: MaskBuilderProps) {
  const [draft, setDraft] = useState(props.expression);
  useEffect(() => setDraft(props.expression), [props.expression]);
  const error = readMask(draft, props.n, props.m).error;
  const terms = termsOf(props.expression);
  const set = (changed: MaskTerm[], typed = false) => props.onChange(printTerms(changed), typed);
  const write = (text: string) => {
    setDraft(text);
    if (!readMask(text, props.n, props.m).error) props.onChange(text.trim(), true);
  };
  const add = (type: MaskLeaf["type"]) => set([...(terms ?? []), { join: "and", negated: false, leaf: newLeaf(type, props) }]);
  const types: MaskLeaf["type"][] = ["causal", "window", "padding", "sparse", "documents", "prefix", "hand"];
  return (
    <div class="builder">
      <label class="field wide">
        <span>{t("maskText")}</span>
        <input
          type="text" id="mask-expression" class="code" value={draft} spellcheck={false} placeholder="causal & window(2)"
          aria-invalid={error !== null} onInput={(event) => write(event.currentTarget.value)}
        />
      </label>
      {error && <Notice error>{maskErrorText(error)}</Notice>}
      {terms ? (
        <>
          <ol class="terms-list">
            {terms.map((term, at) => (
              <TermRow
                key={at} term={term} first={at === 0} builder={props}
                onChange={(changed) => set(terms.flatMap((old, other) => (other === at ? (changed ?? []) : old)))}
              />
            ))}
          </ol>
          <div class="adders" role="group" aria-label={t("addMask")}>
            {types.map((type) => (
              <button type="button" key={type} data-add={type} onClick={() => add(type)}>+ {t(`mask.${type}`)}</button>
            ))}
          </div>
        </>
      ) : (
        !error && <p class="advice">{t("maskNotChain")}</p>
      )}
    </div>
  );
}
