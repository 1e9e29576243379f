// Tokens as people read them.
import type { Capture, Sequence, Side } from "../data/types";

// The signs by which tokenizers mark spaces and parts of words.
export function tokenLabel(token: string): string {
  if (token === "\n" || token === "Ċ") return "⏎";
  const plain = token.replace(/^[Ġ▁ ]/, "").replace(/Ċ/g, "⏎");
  return plain === "" ? "␣" : plain;
}

export interface Piece {
  label: string;
  glued: boolean; // continues the word before it
  breaks: boolean; // a new line in the text stands before it
}

// The text's own letters where a token covers whole characters, else the token.
export function pieces(capture: Capture, side: Side, sequence: Sequence): Piece[] {
  const encoder = new TextEncoder();
  const texts = [encoder.encode(capture.text), encoder.encode(capture.text2 ?? "")];
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const second = side === "decoder" && capture.sequences.encoder !== undefined;
  let previousEnd = -1;
  let previousSegment = -1;
  return sequence.tokens.map((token, i) => {
    const segment = second ? 1 : (sequence.segments[i] ?? 0);
    const begin = sequence.begins[i];
    const end = sequence.ends[i];
    if (end <= begin) {
      previousEnd = -1;
      return { label: tokenLabel(token), glued: false, breaks: false };
    }
    const bytes = texts[segment] ?? texts[0];
    let label = tokenLabel(token);
    let [raw, between] = [token, ""];
    try {
      raw = decoder.decode(bytes.subarray(begin, end));
      label = raw.trim() || label;
      if (segment === previousSegment && previousEnd >= 0) between = decoder.decode(bytes.subarray(previousEnd, begin));
    } catch {
      // Part of a character: the token's own letters.
    }
    const glued = segment === previousSegment && previousEnd === begin && !/^[\sĠ▁]/.test(raw);
    previousEnd = end;
    previousSegment = segment;
    return { label, glued, breaks: between.includes("\n") || /^\s*\n/.test(raw) };
  });
}
