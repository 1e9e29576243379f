// The text form of masks, as `fovea mask` reads it: & binds closer than |, ! closest.
//   none  causal  causal(top_left)  window(w)  window(before, after)  sparse(s)  prefix(n)
//   padding(ids)  padding(ids, pad)  lengths(n)  documents(ids)
// and one form of the page's own: hand(i.j, ..), everything visible except these cells.

export type MaskLeaf =
  | { type: "none" }
  | { type: "causal"; topLeft: boolean }
  | { type: "window"; before: number; after: number }
  | { type: "sparse"; stride: number }
  | { type: "prefix"; length: number }
  | { type: "padding"; ids: number[]; pad: number }
  | { type: "lengths"; length: number }
  | { type: "documents"; ids: number[] }
  | { type: "hand"; cells: [number, number][] };

export type MaskTree =
  | MaskLeaf
  | { type: "and"; left: MaskTree; right: MaskTree }
  | { type: "or"; left: MaskTree; right: MaskTree }
  | { type: "not"; inner: MaskTree };

export class MaskError extends Error {
  constructor(
    readonly column: number,
    readonly expected: string,
    readonly got: string,
  ) {
    super(`column ${column}: expected ${expected}, got ${got || "the end"}`);
  }
}

const names = "none, causal, window, sparse, prefix, padding, lengths, documents, hand";
const deepestNesting = 200;

class Parser {
  private at = 0;
  private nesting = 0;
  private leafBegin = 0;
  constructor(private readonly text: string) {}

  parse(): MaskTree {
    const tree = this.either();
    this.skipSpace();
    if (this.at !== this.text.length) this.fail('"&", "|" or the end');
    return tree;
  }

  private either(): MaskTree {
    let left = this.both();
    while (this.takeOperator("|", "or")) left = { type: "or", left, right: this.both() };
    return left;
  }

  private both(): MaskTree {
    let left = this.negated();
    while (this.takeOperator("&", "and")) left = { type: "and", left, right: this.negated() };
    return left;
  }

  private negated(): MaskTree {
    let negate = false;
    while (this.takeOperator("!", "not")) negate = !negate;
    const inner = this.simple();
    return negate ? { type: "not", inner } : inner;
  }

  private simple(): MaskTree {
    if (!this.take("(")) return this.leaf();
    if (++this.nesting > deepestNesting) {
      --this.at;
      this.fail(`at most ${deepestNesting} nested "("`);
    }
    const tree = this.either();
    this.expect(")");
    --this.nesting;
    return tree;
  }

  private leaf(): MaskLeaf {
    this.skipSpace();
    this.leafBegin = this.at;
    const name = this.word();
    switch (name) {
      case "none":
        return { type: "none" };
      case "causal":
        return { type: "causal", topLeft: this.alignment() };
      case "window":
        return this.window();
      case "sparse":
        return { type: "sparse", stride: this.only(() => this.number(1)) };
      case "prefix":
        return { type: "prefix", length: this.only(() => this.number(0)) };
      case "documents":
        return { type: "documents", ids: this.only(() => this.ids()) };
      case "padding":
        return this.padding();
      case "lengths":
        return { type: "lengths", length: this.only(() => this.number(0)) };
      case "hand":
        return { type: "hand", cells: this.only(() => this.cells()) };
      default:
        this.at = this.leafBegin;
        this.fail(`a mask (${names}), "!" or "("`);
    }
  }

  private alignment(): boolean {
    if (!this.take("(")) return false;
    this.skipSpace();
    const begin = this.at;
    const word = this.word();
    if (word !== "top_left" && word !== "bottom_right") {
      this.at = begin;
      this.fail("top_left or bottom_right");
    }
    this.expect(")");
    return word === "top_left";
  }

  private window(): MaskLeaf {
    this.expect("(");
    const before = this.number(0);
    const after = this.take(",") ? this.number(0) : before;
    this.expect(")");
    return { type: "window", before, after };
  }

  private padding(): MaskLeaf {
    this.expect("(");
    const ids = this.ids();
    const pad = this.take(",") ? this.number() : 0;
    this.expect(")");
    return { type: "padding", ids, pad };
  }

  private only<T>(argument: () => T): T {
    this.expect("(");
    const value = argument();
    this.expect(")");
    return value;
  }

  // [1,2,0], or the only row of [[1,2,0]].
  private ids(): number[] {
    this.expect("[");
    const nested = this.take("[");
    const values: number[] = [];
    if (!this.take("]")) {
      do values.push(this.number());
      while (this.take(","));
      this.expect("]");
    }
    if (nested) this.expect("]");
    return values;
  }

  private cells(): [number, number][] {
    const cells: [number, number][] = [];
    this.skipSpace();
    if (this.text[this.at] === ")") return cells;
    do {
      const row = this.number(0);
      this.expect(".");
      cells.push([row, this.number(0)]);
    } while (this.take(","));
    return cells;
  }

  private number(least = -Infinity): number {
    this.skipSpace();
    const match = /^-?\d{1,9}/.exec(this.text.slice(this.at, this.at + 12));
    if (!match) this.fail("a whole number");
    const value = Number(match[0]);
    // As the library does, which first reads all of "sparse(0)" and then refuses it.
    if (value < least) throw new MaskError(this.leafBegin + 1, `a number of at least ${least}`, match[0]);
    this.at += match[0].length;
    return value;
  }

  private skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? "")) ++this.at;
  }

  private take(sign: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== sign) return false;
    ++this.at;
    return true;
  }

  private expect(sign: string): void {
    if (!this.take(sign)) this.fail(`"${sign}"`);
  }

  private word(): string {
    const match = /^\w+/.exec(this.text.slice(this.at));
    if (match) this.at += match[0].length;
    return match ? match[0] : "";
  }

  private takeOperator(sign: string, word: string): boolean {
    if (this.take(sign)) return true;
    const match = /^\w+/.exec(this.text.slice(this.at));
    if (match?.[0] !== word) return false;
    this.at += word.length;
    return true;
  }

  private fail(expected: string): never {
    this.skipSpace();
    const rest = this.text.slice(this.at);
    throw new MaskError(this.at + 1, expected, /^\w{1,40}/.exec(rest)?.[0] ?? rest.slice(0, 1));
  }
}

export function parseMask(text: string): MaskTree {
  return new Parser(text).parse();
}

function printLeaf(leaf: MaskLeaf): string {
  switch (leaf.type) {
    case "none":
      return "none";
    case "causal":
      return leaf.topLeft ? "causal(top_left)" : "causal";
    case "window":
      return leaf.before === leaf.after ? `window(${leaf.before})` : `window(${leaf.before}, ${leaf.after})`;
    case "sparse":
      return `sparse(${leaf.stride})`;
    case "prefix":
      return `prefix(${leaf.length})`;
    case "padding":
      return leaf.pad ? `padding([${leaf.ids}], ${leaf.pad})` : `padding([${leaf.ids}])`;
    case "lengths":
      return `lengths(${leaf.length})`;
    case "documents":
      return `documents([${leaf.ids}])`;
    case "hand":
      return `hand(${leaf.cells.map(([row, key]) => `${row}.${key}`).join(",")})`;
  }
}

export function printMask(tree: MaskTree): string {
  const within = (inner: MaskTree, wrapped: string[]) =>
    wrapped.includes(inner.type) ? `(${printMask(inner)})` : printMask(inner);
  switch (tree.type) {
    case "and":
      return `${within(tree.left, ["or"])} & ${within(tree.right, ["or", "and"])}`;
    case "or":
      return `${within(tree.left, [])} | ${within(tree.right, ["or"])}`;
    case "not":
      return `!${within(tree.inner, ["and", "or"])}`;
    default:
      return printLeaf(tree);
  }
}

// A chain "a & b | !c", read from the left: what the builder of the Masks view can edit term by term.
export interface MaskTerm {
  join: "and" | "or"; // with what stands before; of the first term without meaning
  negated: boolean;
  leaf: MaskLeaf;
}

export function chainOf(tree: MaskTree): MaskTerm[] | null {
  if (tree.type === "and" || tree.type === "or") {
    const left = chainOf(tree.left);
    const right = chainOf(tree.right);
    if (!left || right?.length !== 1) return null;
    return [...left, { ...right[0], join: tree.type }];
  }
  if (tree.type !== "not") return [{ join: "and", negated: false, leaf: tree }];
  const inner = tree.inner;
  if (inner.type === "and" || inner.type === "or" || inner.type === "not") return null;
  return [{ join: "and", negated: true, leaf: inner }];
}

export function treeOf(terms: MaskTerm[]): MaskTree {
  const single = (term: MaskTerm): MaskTree =>
    term.negated ? { type: "not", inner: term.leaf } : term.leaf;
  if (!terms.length) return { type: "none" };
  return terms.slice(1).reduce<MaskTree>(
    (left, term) => ({ type: term.join, left, right: single(term) }),
    single(terms[0]),
  );
}
