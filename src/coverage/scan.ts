/**
 * The scanner of lists: one pass, by hand, that proves a text is JSON and tells where its outermost values lie, in code
 * units and in UTF-8 bytes. (Thimble's scanner finds tokens for pointers in short arguments and counts no bytes; pure
 * rooms do not import each other.)
 */
export type ValueKind = "object" | "array" | "string" | "number" | "literal";

/** A value in the text: `text.slice(start, end)`, whose UTF-8 bytes lie from `startByte` to `endByte` in the whole. */
export type Span = {
  readonly start: number;
  readonly end: number;
  readonly startByte: number;
  readonly endByte: number;
};

/** Told of values down to `depth` containers deep; the root has none around it. Names lie between their quotes. */
export type Visitor = {
  readonly depth: number;
  name(depth: number, start: number, end: number): void;
  element(depth: number, index: number): void;
  open(depth: number, kind: "object" | "array"): void;
  close(depth: number, kind: ValueKind, span: Span): void;
};

/** Thrown inside this room only; who scans turns it into a value. */
export class Unexpected extends Error {
  readonly reason: "malformed" | "too_deep" | "not_utf8";
  readonly offset: number;

  constructor(reason: Unexpected["reason"], offset: number) {
    super(reason);
    this.reason = reason;
    this.offset = offset;
  }
}

/** Deeper values are refused, so that what is remembered of open containers never outgrows the text. */
export const DEEPEST = 10_000;

/** Extra UTF-8 bytes of the code unit at `at` over one; a pair has 2, told with its first half. */
export function extraBytesAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 0;
  if (unit < 0x800) return 1;
  if (unit < 0xd800 || unit > 0xdfff) return 2;
  const next = text.charCodeAt(at + 1);
  if (unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff) return 2; // four bytes for two code units
  throw new Unexpected("not_utf8", at);
}

/** Whether the code unit at `at` begins a surrogate pair. Contract: `extraBytesAt` did not throw there. */
export const isPairAt = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xf800) === 0xd800;

/**
 * Reads values strictly (RFC 8259), one after another. `at` is a code unit, `extra` how many more bytes than code units
 * lie before it.
 *
 * Invariant: never recursive; remembers one byte for each open container.
 */
export class Scanner {
  readonly #text: string;
  at: number;
  extra: number;

  constructor(text: string, at = 0, extra = 0) {
    this.#text = text;
    this.at = at;
    this.extra = extra;
  }

  get byte(): number {
    return this.at + this.extra;
  }

  skipBlanks(): void {
    const text = this.#text;
    let at = this.at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) break;
    }
    this.at = at;
  }

  /** The value that begins at `at`, no blanks before it. Throws `Unexpected`. */
  value(visitor: Visitor): Span {
    const text = this.#text;
    const isObject = new Uint8Array(64);
    let open = isObject; // grows with the depth
    const counts: number[] = []; // of watched containers: the index of the current element
    const starts: number[] = []; // of them and of the root: where they begin, in units and in bytes
    let depth = 0;
    for (;;) {
      const start = this.at;
      const startByte = this.byte;
      const unit = text.charCodeAt(start);
      let kind: ValueKind;
      if (unit === 0x7b || unit === 0x5b) {
        kind = unit === 0x7b ? "object" : "array";
        if (depth <= visitor.depth) visitor.open(depth, kind);
        this.at++;
        this.skipBlanks();
        if (text.charCodeAt(this.at) !== (kind === "object" ? 0x7d : 0x5d)) {
          if (depth === DEEPEST) throw new Unexpected("too_deep", start);
          if (depth === open.length) {
            const grown = new Uint8Array(open.length * 2);
            grown.set(open);
            open = grown;
          }
          open[depth] = kind === "object" ? 1 : 0;
          if (depth === 0 || depth <= visitor.depth) {
            starts[2 * depth] = start;
            starts[2 * depth + 1] = startByte;
            counts[depth] = 0;
          }
          depth++;
          if (kind === "object") this.#name(visitor, depth);
          else if (depth <= visitor.depth) visitor.element(depth, 0);
          continue;
        }
        this.at++;
      } else kind = this.#scalar(unit);
      if (depth <= visitor.depth) {
        visitor.close(depth, kind, { start, end: this.at, startByte, endByte: this.byte });
      }

      // A value has ended: what follows belongs to its container.
      for (;;) {
        if (depth === 0) return { start, end: this.at, startByte, endByte: this.byte };
        this.skipBlanks();
        const inObject = open[depth - 1] === 1;
        const next = text.charCodeAt(this.at);
        if (next === 0x2c) {
          this.at++;
          this.skipBlanks();
          if (inObject) this.#name(visitor, depth);
          else if (depth <= visitor.depth) {
            const index = (counts[depth - 1] ?? 0) + 1;
            counts[depth - 1] = index;
            visitor.element(depth, index);
          }
          break;
        }
        if (next !== (inObject ? 0x7d : 0x5d)) throw new Unexpected("malformed", this.at);
        this.at++;
        depth--;
        const span = {
          start: starts[2 * depth] ?? 0,
          end: this.at,
          startByte: starts[2 * depth + 1] ?? 0,
          endByte: this.byte,
        };
        if (depth <= visitor.depth) visitor.close(depth, inObject ? "object" : "array", span);
        if (depth === 0) return span;
      }
    }
  }

  #scalar(unit: number): ValueKind {
    if (unit === 0x22) {
      this.#string();
      return "string";
    }
    if (unit === 0x2d || isDigit(unit)) {
      this.#number(unit);
      return "number";
    }
    for (const word of LITERALS) {
      if (!this.#text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return "literal";
    }
    throw new Unexpected("malformed", this.at);
  }

  /** Reads `"name":` and the blanks around it. */
  #name(visitor: Visitor, depth: number): void {
    const start = this.at;
    if (this.#text.charCodeAt(start) !== 0x22) throw new Unexpected("malformed", start);
    this.#string();
    if (depth <= visitor.depth) visitor.name(depth, start + 1, this.at - 1);
    this.skipBlanks();
    if (this.#text.charCodeAt(this.at) !== 0x3a) throw new Unexpected("malformed", this.at);
    this.at++;
    this.skipBlanks();
  }

  #string(): void {
    const text = this.#text;
    let at = this.at + 1;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) break;
      if (unit === 0x5c) at = this.#escape(at);
      else if (unit >= 0x80) {
        this.extra += extraBytesAt(text, at);
        at += isPairAt(text, at) ? 2 : 1;
      } else if (unit >= 0x20) at++;
      else throw new Unexpected("malformed", at); // a control character, or the end
    }
    this.at = at + 1;
  }

  #escape(at: number): number {
    const text = this.#text;
    const unit = text.charCodeAt(at + 1);
    if (unit === 0x75) {
      for (let i = at + 2; i < at + 6; i++) {
        if (!isHexDigit(text.charCodeAt(i))) throw new Unexpected("malformed", i);
      }
      return at + 6;
    }
    if (!ESCAPES.has(unit)) throw new Unexpected("malformed", at + 1);
    return at + 2;
  }

  #number(unit: number): void {
    const text = this.#text;
    if (unit === 0x2d) this.at++;
    if (text.charCodeAt(this.at) === 0x30) this.at++;
    else this.#digits();
    if (text.charCodeAt(this.at) === 0x2e) {
      this.at++;
      this.#digits();
    }
    const mark = text.charCodeAt(this.at);
    if (mark === 0x65 || mark === 0x45) {
      const sign = text.charCodeAt(this.at + 1);
      this.at += sign === 0x2b || sign === 0x2d ? 2 : 1;
      this.#digits();
    }
  }

  #digits(): void {
    const from = this.at;
    while (isDigit(this.#text.charCodeAt(this.at))) this.at++;
    if (this.at === from) throw new Unexpected("malformed", from);
  }
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isHexDigit = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);
const ESCAPES: ReadonlySet<number> = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));
const LITERALS = ["true", "false", "null"];
