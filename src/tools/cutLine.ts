/** Shows a long line around what was found in it. */
import { charLength } from "../schema/text";

/** Longest line shown whole, and the most that is shown of a longer one; in code points. */
export const MAX_LINE_CHARS = 400;
const LEAD_CHARS = 100;
const MARGIN = 64; // code units looked at on either side of a cut for things that must stay together

/**
 * The line whole, or the part of it around code unit `start` with what is missing counted on both sides:
 * `[+1203 chars] … [+8000 chars]`. No cut lands inside a character as a person sees it, or an ANSI escape.
 */
export function cutLine(line: string, start: number): string {
  if (line.length <= MAX_LINE_CHARS || charLength(line) <= MAX_LINE_CHARS) return line;
  let from = boundaryAtOrBefore(line, Math.max(0, start - LEAD_CHARS));
  const to = boundaryAtOrBefore(line, Math.min(line.length, from + MAX_LINE_CHARS));
  if (to === line.length) from = boundaryAtOrBefore(line, line.length - MAX_LINE_CHARS);
  const before = charLength(line.slice(0, from));
  const after = charLength(line.slice(to));
  const mark = (chars: number) => (chars === 0 ? "" : `[+${chars} chars]`);
  return `${mark(before)}${before === 0 ? "" : " "}${line.slice(from, to)}${after === 0 ? "" : " "}${mark(after)}`;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g;

function boundaryAtOrBefore(line: string, index: number): number {
  if (index <= 0 || index >= line.length) return index;
  const base = Math.max(0, index - MARGIN);
  const around = line.slice(base, index + MARGIN);
  for (const sequence of around.matchAll(ESCAPES)) {
    if (base + sequence.index < index && base + sequence.index + sequence[0].length > index)
      return base + sequence.index;
  }
  return base + (graphemes.segment(around).containing(index - base)?.index ?? index - base);
}
