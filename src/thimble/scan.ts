/**
 * The scanner: one pass over the argument text, by hand, that proves the whole is JSON and finds the tokens that JSON
 * pointers name (seed 003 §Decision pipeline 1, CONFORMANCE §5 Splice). Offsets are UTF-16 code units of the text.
 */
import { Trail } from "./trail";

/** A JSON pointer as its unescaped reference tokens (RFC 6901); `[]` is the whole document. */
export type Path = readonly string[];

export type TokenKind = "object" | "array" | "string" | "number" | "literal";
/** A value in the text: `text.slice(start, end)`. */
export type Token = { readonly kind: TokenKind; readonly start: number; readonly end: number };

/** `ambiguous`: a member on the pointer's path occurs twice, so readers of the text may disagree about the value. */
export type Found =
  | { readonly kind: "token"; readonly token: Token }
  | { readonly kind: "missing" }
  | { readonly kind: "ambiguous" };

export type Scan =
  | { readonly kind: "valid"; readonly found: readonly Found[]; readonly depth: number }
  | { readonly kind: "invalid"; readonly offset: number; readonly expected: string };

/** Splits a JSON pointer into its reference tokens (RFC 6901 §4): `~1` is `/`, then `~0` is `~`. */
export function pathOf(pointer: string): Path {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Thrown inside the scanner only; `scan` turns it into a value. */
class Unexpected extends Error {
  readonly offset: number;
  readonly expected: string;

  constructor(offset: number, expected: string) {
    super(expected);
    this.offset = offset;
    this.expected = expected;
  }
}

/**
 * Reads `text` strictly (RFC 8259: no byte order mark, nothing after the value) and finds each of `paths`.
 *
 * Invariant: never recursive, so nesting costs memory and not stack; `found[i]` belongs to `paths[i]`.
 */
export function scan(text: string, paths: readonly Path[]): Scan {
  try {
    return read(text, paths);
  } catch (error) {
    if (error instanceof Unexpected)
      return { kind: "invalid", offset: error.offset, expected: error.expected };
    throw error;
  }
}

const OBJECT = -1; // on the stack: an object; from 0 on: an array and its current index

function read(text: string, paths: readonly Path[]): Scan {
  const trail = new Trail(text, paths);
  const stack: number[] = [];
  const starts: number[] = [];
  let deepest = 0;
  let at = skipBlanks(text, 0);

  for (;;) {
    // A value starts at `at`.
    const start = at;
    const unit = text.charCodeAt(at);
    let closed: TokenKind | null = null;
    if (unit === 0x7b || unit === 0x5b) {
      const isObject = unit === 0x7b;
      at = skipBlanks(text, at + 1);
      if (text.charCodeAt(at) === (isObject ? 0x7d : 0x5d)) {
        at++;
        closed = isObject ? "object" : "array";
        if (stack.length + 1 > deepest) deepest = stack.length + 1;
      } else {
        stack.push(isObject ? OBJECT : 0);
        starts.push(start);
        if (stack.length > deepest) deepest = stack.length;
        trail.enter(stack.length);
        if (isObject) at = readKey(text, at, trail, stack.length);
        else trail.element(stack.length, 0);
        continue;
      }
    } else if (unit === 0x22) {
      at = skipString(text, at);
      closed = "string";
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      at = skipNumber(text, at);
      closed = "number";
    } else {
      at = skipLiteral(text, at);
      closed = "literal";
    }
    trail.close(stack.length, closed, start, at);

    // A value ended at `at`: what follows belongs to its container.
    for (;;) {
      at = skipBlanks(text, at);
      const depth = stack.length;
      if (depth === 0) {
        if (at < text.length) throw new Unexpected(at, "nothing after the value");
        return { kind: "valid", found: trail.found(), depth: deepest };
      }
      const inside = stack[depth - 1] as number;
      const next = text.charCodeAt(at);
      if (next === 0x2c) {
        at = skipBlanks(text, at + 1);
        if (inside === OBJECT) at = readKey(text, at, trail, depth);
        else {
          stack[depth - 1] = inside + 1;
          trail.element(depth, inside + 1);
        }
        break;
      }
      if (next !== (inside === OBJECT ? 0x7d : 0x5d)) {
        throw new Unexpected(at, inside === OBJECT ? "a comma or }" : "a comma or ]");
      }
      at++;
      stack.pop();
      trail.leave(depth);
      trail.close(depth - 1, inside === OBJECT ? "object" : "array", starts.pop() as number, at);
    }
  }
}

/** Reads `"key":` and the blanks around it; tells the trail; returns where the value starts. */
function readKey(text: string, at: number, trail: Trail, depth: number): number {
  if (text.charCodeAt(at) !== 0x22) throw new Unexpected(at, "a property name in double quotes");
  const end = skipString(text, at);
  trail.member(depth, at + 1, end - 1);
  const colon = skipBlanks(text, end);
  if (text.charCodeAt(colon) !== 0x3a) throw new Unexpected(colon, "a colon");
  return skipBlanks(text, colon + 1);
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit > 0x20 || (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09)) return at;
    at++;
  }
  return at;
}

/** `from` is the opening quote; returns the offset after the closing one. */
function skipString(text: string, from: number): number {
  let at = from + 1;
  for (;;) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit === 0x5c) at = skipEscape(text, at);
    else if (unit >= 0x20) at++;
    else
      throw new Unexpected(at, at < text.length ? "an escape for this control character" : "a closing quote");
  }
}

function skipEscape(text: string, from: number): number {
  const unit = text[from + 1] ?? "";
  if (unit === "u") {
    for (let i = from + 2; i < from + 6; i++) {
      if (!isHexDigit(text.charCodeAt(i))) throw new Unexpected(i, "four hex digits");
    }
    return from + 6;
  }
  if (unit === "" || !'"\\/bfnrt'.includes(unit)) throw new Unexpected(from + 1, "a JSON escape");
  return from + 2;
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isHexDigit = (unit: number): boolean =>
  isDigit(unit) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66);

function skipNumber(text: string, from: number): number {
  let at = text.charCodeAt(from) === 0x2d ? from + 1 : from;
  if (text.charCodeAt(at) === 0x30) at++;
  else at = skipDigits(text, at);
  if (text.charCodeAt(at) === 0x2e) at = skipDigits(text, at + 1);
  const unit = text.charCodeAt(at);
  if (unit === 0x65 || unit === 0x45) {
    const sign = text.charCodeAt(at + 1);
    at = skipDigits(text, sign === 0x2b || sign === 0x2d ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  if (at === from) throw new Unexpected(at, "a digit");
  return at;
}

function skipLiteral(text: string, at: number): number {
  const word = LITERALS.get(text.charCodeAt(at));
  if (word !== undefined && text.startsWith(word, at)) return at + word.length;
  throw new Unexpected(at, at < text.length ? "a JSON value" : "a JSON value, not the end of the text");
}

const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
]);
