// The few marks that the lessons' texts have: **strong**, *a name*.
import type { ComponentChildren } from "preact";

export type MarkedPart = { text: string; as: "plain" | "strong" | "name" };

// A mark that is not closed stays as it is.
export function partsOf(text: string): MarkedPart[] {
  const parts: MarkedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\*\*(.+?)\*\*|\*([^*]+)\*/g)) {
    if (match.index > end) parts.push({ text: text.slice(end, match.index), as: "plain" });
    parts.push(match[1] !== undefined ? { text: match[1], as: "strong" } : { text: match[2]!, as: "name" });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), as: "plain" });
  return parts;
}

export function Marked(props: { text: string }): ComponentChildren {
  return partsOf(props.text).map(({ text, as }, i) =>
    as === "strong" ? <strong key={i}>{text}</strong> : as === "name" ? <em key={i}>{text}</em> : text);
}

// Formulas that follow each other stand in one block.
export function Paragraphs(props: { of: { text?: string; formula?: string }[] }) {
  const blocks: ComponentChildren[] = [];
  let lines: string[] = [];
  const flush = () => {
    if (lines.length) blocks.push(<pre class="formula" key={blocks.length} tabIndex={0}>{lines.join("\n")}</pre>);
    lines = [];
  };
  for (const { text, formula } of props.of) {
    if (formula !== undefined) {
      lines.push(formula);
      continue;
    }
    flush();
    blocks.push(<p key={blocks.length}><Marked text={text ?? ""} /></p>);
  }
  flush();
  return <>{blocks}</>;
}
