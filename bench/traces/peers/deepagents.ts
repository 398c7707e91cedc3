/**
 * bench traces: deepagents (langchain-ai/deepagents, middleware/filesystem.py and _message_eviction.py): a result of more
 * than 20,000 tokens, at 4 characters each, goes to a file. A notice with its path remains, with the first and the last
 * five lines, numbered, each cut to 1,000 characters. There, tools that read and list files are exempt and
 * have limits of their own; here no tool is.
 */

import type { Policy, Range, Shown } from "../../../src/inspector/whatIf/types";
import { onArrival } from "../onArrival";
import { pathOf } from "../paths";

const LIMIT_CHARS = 20_000 * 4;
const LINES = 5; // at either end
const LINE_CHARS = 1000;
const NUMBER_WIDTH = 6;

export const deepagents: Policy = onArrival("deepagents", ({ text }, at) => evicted(text, pathOf(at)));

export function evicted(text: string, path: string): Shown | null {
  if (text.length <= LIMIT_CHARS) return null;
  const lines = linesOf(text);
  const isCut = lines.length > 2 * LINES;
  const head = isCut ? lines.slice(0, LINES) : lines;
  const tail = isCut ? lines.slice(-LINES) : [];
  const clip = ([from, to]: Range): Range => [from, Math.min(to, from + LINE_CHARS)];
  const numbered = (part: readonly Range[], first: number) =>
    part
      .map(clip)
      .map(([from, to], n) => `${String(first + n).padStart(NUMBER_WIDTH)}\t${text.slice(from, to)}`)
      .join("\n");
  const middle = isCut
    ? `\n... [${lines.length - 2 * LINES} lines truncated] ...\n${numbered(tail, lines.length - LINES + 1)}`
    : "";
  const isClipped = [...head, ...tail].some(([from, to]) => to - from > LINE_CHARS);
  return {
    text: noticeOf(path, `${numbered(head, 1)}${middle}`, isCut, isClipped),
    kept: [...head, ...tail].map(clip),
    isKept: true,
  };
}

/** In our words, at the length of theirs. */
function noticeOf(path: string, sample: string, isCut: boolean, isClipped: boolean): string {
  const caveats = [
    ...(isCut
      ? [
          "a line like `... [N lines truncated] ...` stands for lines that were left out of the middle of this",
        ]
      : []),
    ...(isClipped
      ? [`a line of over ${LINE_CHARS} characters is cut to the first ${LINE_CHARS} characters of it all`]
      : []),
  ];
  const note = isCut
    ? "This is a preview of both the head and tail of the result"
    : "This is a preview of the result";
  return [
    `The result of this tool call, call_00000, is too large to show. All of it was put into a file, which is: ${path}`,
    "The file can be read with the read_file tool. Please take care that only a part of the result is read at one time, not all of it.",
    "For that, give the read_file tool an offset and a limit when you call it. The first 100 lines of it, as one example, are what read_file gives you if it has offset=0 and limit=100.",
    `${note}${caveats.length > 0 ? ` (${caveats.join("; ")})` : ""}:`,
    `${sample}\n`,
  ].join("\n\n");
}

function linesOf(text: string): readonly Range[] {
  const lines: Range[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push([from, index]);
    from = index + end.length;
  }
  if (from < text.length) lines.push([from, text.length]);
  return lines;
}
