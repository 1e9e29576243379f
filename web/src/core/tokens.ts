// Tokens as people read them.
import type { Capture, Sequence, Side } from "../data/types";

const longestLabel = 40; // characters; a word of thousands would push everything else off the screen

// GPT-2's way to write any byte as a printable character: those of Latin-1 stand for themselves, the others follow U+0100.
const printableByte = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
const otherBytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !printableByte(byte));
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

// The letters that such a token writes as bytes: 你 for ä½ł. Where these are no whole letters, the token itself.
function lettersOfBytes(token: string): string {
  if (!/[^\x00-\x7f]/.test(token)) return token;
  const bytes = Array.from(token, (letter) => {
    const code = letter.codePointAt(0)!;
    return code < 0x100 ? (printableByte(code) ? code : -1) : (otherBytes[code - 0x100] ?? -1);
  });
  if (bytes.includes(-1)) return token;
  try {
    return strictUtf8.decode(new Uint8Array(bytes));
  } catch {
    return token;
  }
}

// The signs by which tokenizers mark spaces and parts of words.
export function tokenLabel(raw: string): string {
  if (raw === "\n" || raw === "Ċ" || raw === "<0x0A>") return "⏎"; // the last: SentencePiece's byte
  const token = lettersOfBytes(raw);
  const plain = token.replace(/^[Ġ▁ ]/, "").replace(/Ċ/g, "⏎");
  return visibleText(plain) || "␣";
}

// Without spaces around it, cut to a bearable length; what cannot be seen (a joiner, say) by its number.
function visibleText(text: string): string {
  const plain = text.trim();
  if (!/^[\p{Cc}\p{Cf}\p{M}]+$/u.test(plain)) return shortened(plain, longestLabel);
  return Array.from(plain, (letter) => `U+${letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`).join(" ");
}

export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

// A token that the model does not know has two names in one: what was written, and what the model read instead. They
// are joined by a space that no other name holds, so that every view can tell such a name and mark it.
const joint = "\u00a0";

export const unknownName = (written: string, read: string) => `${written}${joint}${read}`;

// [what was written, what was read]; null for all other names.
export function unknownParts(name: string): [string, string] | null {
  const at = name.lastIndexOf(joint);
  return at < 0 ? null : [name.slice(0, at), name.slice(at + 1)];
}

const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1eeff}]/u;

// Does the text run from right to left? Its first letter with a direction decides.
export function runsLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text);
  return first !== null && rightToLeft.test(first[0]);
}

// The token at a place, for a line of text: a name from right to left must not turn what stands beside it.
export const isolated = (name: string) => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name);
export const placed = (name: string, index: number) => `${isolated(name)} ${index}`;

// Is it a sign of the model's own, which stands in no text? Some tokenizers do not say so of all of theirs.
export function isMarker({ tokens, special }: Sequence, index: number): boolean {
  return special[index] || /^(<[^<>\s]+>|\[[A-Z]+\])$/.test(tokens[index] ?? "");
}

export interface Piece {
  label: string;
  glued: boolean; // continues the word before it
  breaks: boolean; // a new line in the text stands before it
  unknown: boolean; // the model read another token instead
  part: number; // of several tokens of one character: 1 for the first, which shows it; 0: all others
}

// Bytes of one text, and which of them begin a character.
class TextBytes {
  private readonly bytes: Uint8Array;
  private readonly decoder = new TextDecoder();

  constructor(text: string) {
    this.bytes = new TextEncoder().encode(text);
  }

  // Characters that bytes begin..end touch.
  around(begin: number, end: number): { begin: number; end: number } {
    const inside = (at: number) => at < this.bytes.length && (this.bytes[at] & 0xc0) === 0x80;
    while (begin > 0 && inside(begin)) --begin;
    while (inside(end)) ++end;
    return { begin, end };
  }

  slice(begin: number, end: number): string {
    return this.decoder.decode(this.bytes.subarray(begin, end));
  }
}

// Where a token stands: whole characters of a text.
interface Span {
  segment: number;
  begin: number;
  end: number;
  own: number; // from here on its characters were not those of the token before
}

// Null: a token that stands in no text.
function spansOf(texts: TextBytes[], sequence: Sequence, second: boolean): (Span | null)[] {
  const reached: number[] = []; // by the tokens so far, in each text
  return sequence.tokens.map((_, i) => {
    const segment = second ? 1 : (sequence.segments[i] ?? 0);
    if (sequence.ends[i] <= sequence.begins[i]) return null;
    const { begin, end } = (texts[segment] ?? texts[0]).around(sequence.begins[i], sequence.ends[i]);
    const own = Math.max(begin, reached[segment] ?? 0);
    reached[segment] = Math.max(end, own);
    return { segment, begin, end, own };
  });
}

// Of a token without characters of its own (bytes of an emoji, say): the how manieth it is of how many.
function partOf(spans: (Span | null)[], i: number): { at: number; count: number } {
  const continues = (at: number) => Boolean(spans[at] && spans[at].own >= spans[at].end);
  let [first, last] = [i, i];
  while (first > 0 && continues(first)) --first;
  while (continues(last + 1)) ++last;
  return { at: i - first + 1, count: last - first + 1 };
}

const known = new WeakMap<Sequence, Piece[]>();

// The text's own letters where a token stands in the text, each once; else the token.
export function pieces(capture: Capture, side: Side, sequence: Sequence): Piece[] {
  const list = known.get(sequence) ?? piecesOf(capture, side, sequence);
  known.set(sequence, list);
  return list;
}

function piecesOf(capture: Capture, side: Side, sequence: Sequence): Piece[] {
  const texts = [new TextBytes(capture.text), new TextBytes(capture.text2 ?? "")];
  const second = side === "decoder" && capture.sequences.encoder !== undefined;
  const spans = spansOf(texts, sequence, second);
  return sequence.tokens.map((token, i) => {
    const span = spans[i];
    const unknown = sequence.unknown?.[i] ?? false;
    if (!span) return { label: tokenLabel(token), glued: false, breaks: false, unknown, part: 0 };
    const { at, count } = partOf(spans, i);
    if (at > 1) return { label: `·${at}/${count}`, glued: true, breaks: false, unknown, part: at };
    const text = texts[span.segment] ?? texts[0];
    const raw = text.slice(span.own, span.end);
    const label = visibleText(raw.replaceAll(joint, " ")) || tokenLabel(token);
    const before = spans[i - 1]?.segment === span.segment ? spans[i - 1] : undefined;
    const between = before && before.end <= span.own ? text.slice(before.end, span.own) : "";
    const glued = before?.end === span.own && !/^[\sĠ▁]/.test(raw);
    return { label, glued, breaks: between.includes("\n") || /^\s*\n/.test(raw), unknown, part: count > 1 ? 1 : 0 };
  });
}

// The tokens as the model read them, for lists and labels; with what was written where the token itself does not
// tell: unknown ones, and bytes that stand for letters.
export function tokenNames(capture: Capture, side: Side, sequence: Sequence): string[] {
  const written = pieces(capture, side, sequence);
  return sequence.tokens.map((token, i) => {
    const { label, unknown, part } = written[i];
    const read = tokenLabel(token);
    if (unknown) return label === read ? read : unknownName(label, read);
    const plain = read.replace(/^##/, "");
    return part > 0 || (/[^\0-\x7f]/.test(plain) && !label.includes(plain)) ? label : read;
  });
}
