/** The elements of an array and the members of an object, as places in the text. Contract: `scan` has proved the text and found the token. */
import type { Token } from "./scan";

/** `text.slice(start, end)`, without blanks around it. */
export type Slice = { readonly start: number; readonly end: number };
/** A member of an object; `name` is what its key says. */
export type Member = { readonly name: string; readonly value: Slice };

/** The parts between a container's own commas, in order: elements, or members with their keys. */
export function* partsOf(text: string, { start, end }: Token): Generator<Slice> {
  let depth = 0;
  let first = -1; // where the part that is being read starts
  let last = -1; // after its last character so far
  for (let at = start + 1; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09) continue;
    const isEnd = depth === 0 && (unit === 0x2c || at === end - 1);
    if (isEnd) {
      if (first >= 0) yield { start: first, end: last };
      first = -1;
      continue;
    }
    if (first < 0) first = at;
    if (unit === 0x22) at = closingQuote(text, at);
    else if (unit === 0x7b || unit === 0x5b) depth++;
    else if (unit === 0x7d || unit === 0x5d) depth--;
    last = at + 1;
  }
}

export function* membersOf(text: string, token: Token): Generator<Member> {
  for (const { start, end } of partsOf(text, token)) {
    const keyEnd = closingQuote(text, start) + 1;
    const colon = text.indexOf(":", keyEnd); // only blanks stand between
    const value = { start: colon + 1 + blanksAt(text, colon + 1), end };
    yield { name: String(JSON.parse(text.slice(start, keyEnd))), value };
  }
}

export function countOf(parts: Iterable<unknown>): number {
  let count = 0;
  for (const _ of parts) count++;
  return count;
}

const blanksAt = (text: string, from: number): number => {
  let at = from;
  while (/[ \n\r\t]/.test(text[at] ?? "")) at++;
  return at - from;
};

/** `from` is an opening quote. */
function closingQuote(text: string, from: number): number {
  let at = from + 1;
  while (text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
