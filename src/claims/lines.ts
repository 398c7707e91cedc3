/** Lines of stored content, out of a part of it. Line ends: LF, CRLF, CR. Pure. */
import { charLength, indexOfChar } from "../schema/text";
import type { ContentPart } from "./window";

const LINE_END = /\r\n|\r|\n/g;
const LF = 10;
const CR = 13;

/** The char after `lineEnds` line ends of `part`; the end of the content where it has fewer. */
export function charOfLine({ text, startChar, totalChars }: ContentPart, lineEnds: number): number {
  if (lineEnds <= 0) return startChar;
  let left = lineEnds;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    if (--left === 0) return startChar + charLength(text.slice(0, index + end.length));
  }
  return totalChars;
}

/** Line ends of `part` that stand whole before the char `offset` of the content. */
export function lineEndsBefore({ text, startChar }: ContentPart, offset: number): number {
  const end = indexOfChar(text, Math.max(0, offset - startChar));
  let lineEnds = 0;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (unit === LF || (unit === CR && text.charCodeAt(i + 1) !== LF)) lineEnds++;
  }
  return lineEnds;
}
