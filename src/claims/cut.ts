/** Where text may be cut: never inside a code point, a combining sequence, an ANSI escape or a CRLF (CONFORMANCE, head). */
import { indexOfChar } from "../schema/text";

const JOINS_PREVIOUS = /^[\p{M}\p{Emoji_Modifier}\u200d]/u;
/** Longer than this, an escape sequence is text like any other: cuts need not look further. */
export const ESCAPE_REACH_CHARS = 4096;
const ESCAPE =
  /\x1b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\x07\x1b]{0,4090}(?:\x07|\x1b\\)|[PX^_][^\x1b]{0,4090}\x1b\\|[ -/]{0,16}[0-~])/y;
const ZERO_WIDTH_JOINER = 0x200d;

/**
 * The last place at or before code unit `index` where `text` may be cut, but after `floor` (-1: the start of the text
 * counts). Where one unbreakable sequence fills that whole stretch, the nearest code point boundary: a window must
 * always move forward.
 */
export function safeCut(text: string, index: number, floor = 0): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const whole = codePointStart(text, index);
  let cut = whole;
  for (;;) {
    const earlier = startOfUnbreakable(text, cut);
    if (earlier === cut) return cut > floor ? cut : Math.max(whole, floor);
    if (earlier <= floor) return Math.max(whole, floor);
    cut = earlier;
  }
}

function codePointStart(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}

/** `cut` itself where a cut is allowed, else the start of what it would split. */
function startOfUnbreakable(text: string, cut: number): number {
  if (cut <= 0 || cut >= text.length) return cut;
  const before = text.charCodeAt(cut - 1);
  if (before === 13 && text.charCodeAt(cut) === 10) return cut - 1;
  const next = String.fromCodePoint(text.codePointAt(cut) ?? 0);
  if (before === ZERO_WIDTH_JOINER || (text.charCodeAt(cut) >= 0x300 && JOINS_PREVIOUS.test(next))) {
    return codePointStart(text, cut - 1);
  }
  const reach = Math.max(0, cut - ESCAPE_REACH_CHARS);
  const opened = text.slice(reach, cut).lastIndexOf("\x1b"); // bounded: text without escapes is not searched whole
  if (opened >= 0) {
    ESCAPE.lastIndex = reach + opened;
    if (ESCAPE.test(text) && ESCAPE.lastIndex > cut) return reach + opened;
  }
  return cut;
}

/** Whether `text` may be cut before code unit `index`. */
export function isCut(text: string, index: number): boolean {
  return codePointStart(text, index) === index && startOfUnbreakable(text, index) === index;
}

const SENTENCE_END = /[.!?。！？][)\]"'’”»]*(?=\s)/g;

/**
 * The first part of `text`, at most `chars` code points, cut where the content itself ends something: after the last
 * newline or sentence end past half of it, else before the last white space past half of it, else hard
 * (seed 000 §What the model sees, CONFORMANCE §1 Head).
 */
export function headOf(text: string, chars: number): string {
  const limit = indexOfChar(text, chars);
  if (limit >= text.length) return text;
  const half = indexOfChar(text, Math.floor(chars / 2));
  const window = text.slice(0, indexOfChar(text, 1, limit)); // one more char: is the limit itself a boundary?
  let cut = window.lastIndexOf("\n", limit - 1) + 1;
  for (const match of window.slice(half).matchAll(SENTENCE_END)) {
    const end = half + match.index + match[0].length;
    if (end <= limit) cut = Math.max(cut, end);
  }
  if (cut <= half) cut = lastSpace(window, limit);
  if (cut <= half) cut = limit;
  return unparsable(text.slice(0, safeCut(text, cut)));
}

/** The last part of `text`, at most `chars` code points, from the first newline in its first half where there is one. */
export function tailOf(text: string, chars: number): string {
  let start = text.length;
  for (let left = chars; left > 0 && start > 0; left--) start = codePointStart(text, start - 1);
  if (start <= 0) return text;
  const half = indexOfChar(text, Math.floor(chars / 2), start);
  const newline = text.slice(start - 1, half).indexOf("\n");
  let cut = newline >= 0 ? start + newline : start;
  while (cut < text.length && !isCut(text, cut)) cut++; // forward: the tail may only get shorter
  return text.slice(cut);
}

function lastSpace(window: string, limit: number): number {
  for (let i = Math.min(limit, window.length - 1); i > 0; i--) {
    const unit = window.charCodeAt(i);
    if (unit === 32 || unit === 9) return i;
  }
  return 0;
}

/** A head of JSON must not itself be JSON: a reader would take it for the whole. */
function unparsable(head: string): string {
  const first = head.trimStart().charAt(0);
  if (first !== "{" && first !== "[") return head;
  try {
    JSON.parse(head);
  } catch (cause) {
    if (cause instanceof SyntaxError) return head;
    throw cause;
  }
  return head.trimEnd().slice(0, -1);
}
