/** Reading stored content back a window at a time (seed 000 §Reading it back). */
import { charLength, indexOfChar } from "../schema/text";
import { ESCAPE_REACH_CHARS, safeCut } from "./cut";

/** At most this many chars come back at once (seed 000 DEFAULT_FETCH_CHARS; CONFORMANCE §0.5). */
export const WINDOW_CHARS = 4096;

/** `offset` and sizes in chars. `next` is the offset that goes on, null at the end. */
export type ContentWindow = {
  readonly text: string;
  readonly offset: number;
  readonly chars: number;
  readonly totalChars: number;
  readonly next: number | null;
};

/** How far a start inside a sequence moves back; never a whole window, so that reading on always moves forward. */
const START_REACH_CHARS = 64;

/** A stretch of the content, and where it stands in it. It must reach `PART_REACH_CHARS` beyond what is read from it. */
export type ContentPart = { readonly text: string; readonly startChar: number; readonly totalChars: number };

/** How far around a window its cuts look, so that a part and the whole content are cut in the same places. */
export const PART_REACH_CHARS = ESCAPE_REACH_CHARS + START_REACH_CHARS;

/**
 * The window at char `offset`; past the end it is empty. An offset inside a combining or escape sequence moves back
 * to its start. Windows read one after another (`next`) are the content.
 */
export function windowOf(content: string, offset: number, maximumChars = WINDOW_CHARS): ContentWindow {
  return windowIn({ text: content, startChar: 0, totalChars: charLength(content) }, offset, maximumChars);
}

/** The same out of a part of the content. */
export function windowIn(part: ContentPart, offset: number, maximumChars = WINDOW_CHARS): ContentWindow {
  const { text: content, startChar, totalChars } = part;
  const asked = indexOfChar(content, Math.max(0, offset - startChar));
  const start = startOf(content, asked, Math.min(START_REACH_CHARS, maximumChars));
  const end = safeCut(content, indexOfChar(content, maximumChars, start), start);
  const text = content.slice(start, end);
  const chars = charLength(text);
  const from = offset - charLength(content.slice(start, asked));
  return { text, offset: from, chars, totalChars, next: from + chars < totalChars ? from + chars : null };
}

/** `asked` itself where what it stands in starts `reachChars` or more before it. */
function startOf(content: string, asked: number, reachChars: number): number {
  let floor = asked;
  for (let left = reachChars; left > 0 && floor >= 0; left--) floor -= isPair(content, floor - 2) ? 2 : 1;
  return safeCut(content, asked, floor);
}

const isPair = (text: string, index: number): boolean => (text.codePointAt(index) ?? 0) > 0xffff;
