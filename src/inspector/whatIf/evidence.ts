/**
 * What if: what a reply shows it was read, whatever a policy would hide. Tokens here are lexical: maximal runs of
 * letters, digits and `_`. Lines are trimmed and of at least 24 characters. Of both, only what had stood in exactly one
 * item before the reply counts, and only where that item is a result. An item is all that was given or said before: the
 * person's words, replies, their arguments (as they stand and decoded) and results. A line that stands inside a longer
 * one is another line: containment is not looked for.
 */
import type { Evidence, Range, ResultItem, SaidItem, Span } from "./types";

const MINIMUM_LINE_CHARS = 24;
const TOKEN = /[\p{L}\p{N}_]+/gu;
const LINE = /[^\r\n]+/g;
const SEVERAL = -1;

/** A reply: the items that stood before it, and what it says itself (its text, the string leaves of its arguments). */
export type Said = { readonly items: number; readonly words: readonly string[] };

/** For each reply what it took from each result. `textsOf`: all that an item says. */
export function evidenceOf(
  items: readonly (SaidItem | ResultItem)[],
  replies: readonly Said[],
  textsOf: (at: number) => readonly string[],
): readonly (readonly Evidence[])[] {
  const tokens = new Map<string, number>();
  const lines = new Map<string, number>();
  let indexed = 0;
  return replies.map(({ items: before, words }) => {
    for (; indexed < before; indexed++) {
      for (const text of textsOf(indexed)) {
        for (const token of tokensOf(text)) note(tokens, token, indexed);
        for (const line of linesOf(text)) note(lines, line, indexed);
      }
    }
    return foundIn(items, words, tokens, lines);
  });
}

function foundIn(
  items: readonly (SaidItem | ResultItem)[],
  words: readonly string[],
  tokens: ReadonlyMap<string, number>,
  lines: ReadonlyMap<string, number>,
): readonly Evidence[] {
  const found = new Map<number, { tokens: Set<string>; lines: Set<string> }>();
  const take = (kind: "tokens" | "lines", value: string, at: number | undefined) => {
    if (at === undefined || at === SEVERAL || items[at]?.kind !== "result") return;
    const one = found.get(at) ?? { tokens: new Set(), lines: new Set() };
    one[kind].add(value);
    found.set(at, one);
  };
  for (const text of words) {
    for (const token of tokensOf(text)) take("tokens", token, tokens.get(token));
    for (const line of linesOf(text)) take("lines", line, lines.get(line));
  }
  return [...found]
    .filter(([, one]) => one.tokens.size >= 2 || one.lines.size >= 1)
    .map(([at, one]) => ({ at, spans: spansIn(items[at]?.text ?? "", one) }));
}

function spansIn(
  text: string,
  wanted: { readonly tokens: ReadonlySet<string>; readonly lines: ReadonlySet<string> },
): readonly Span[] {
  const places = { token: new Map<string, Range[]>(), line: new Map<string, Range[]>() };
  const place = (kind: "token" | "line", value: string, from: number) => {
    const range: Range = [from, from + value.length];
    const known = places[kind].get(value);
    if (known) known.push(range);
    else places[kind].set(value, [range]);
  };
  for (const { 0: token, index } of text.matchAll(TOKEN))
    if (wanted.tokens.has(token)) place("token", token, index);
  if (wanted.lines.size > 0) {
    for (const { 0: line, index } of text.matchAll(LINE)) {
      const trimmed = line.trim();
      if (wanted.lines.has(trimmed)) place("line", trimmed, index + line.indexOf(trimmed));
    }
  }
  return (["token", "line"] as const).flatMap((kind) =>
    [...places[kind].values()].map((found) => ({ kind, places: found })),
  );
}

function note(index: Map<string, number>, value: string, at: number): void {
  const known = index.get(value);
  if (known === undefined) index.set(value, at);
  else if (known !== at) index.set(value, SEVERAL);
}

const tokensOf = (text: string): readonly string[] => text.match(TOKEN) ?? [];
const linesOf = (text: string): readonly string[] =>
  (text.match(LINE) ?? []).map((line) => line.trim()).filter((line) => line.length >= MINIMUM_LINE_CHARS);

/** The strings in a JSON text, decoded; the text itself where it is no JSON. */
export function stringLeaves(json: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [json]; // a call that the model or its transcript broke off
  }
  const leaves: string[] = [];
  const left = [value]; // the next one last; no recursion: anybody may have written it, however deep
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part === "string") leaves.push(part);
    else if (typeof part === "object" && part !== null)
      for (const inner of Object.values(part).reverse()) left.push(inner);
  }
  return leaves;
}
