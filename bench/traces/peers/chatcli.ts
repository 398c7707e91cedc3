/**
 * bench traces: chatcli's budgets and microcompaction (seed 001 §Orcamento, §Microcompactacao; diillson/chatcli,
 * cli/agent/tool_result_budget.go and microcompact.go). A result of more than 20,000 bytes goes to a file; its first
 * 4,000 and last 1,000 bytes remain, cut at lines. If what the results of a turn show is more than 200,000 bytes, the
 * largest follow. Of what is then 3,000 bytes or more, the results of two turns ago and older show 2,000 and 500 bytes, those
 * of four turns ago and older one line. Both say how the whole is recalled (the layer of the seed that keeps it is on
 * by default there). The code looks at no tool's name, although the seed says that results of writing tools stay.
 * Its lengths are bytes; where a cut would part a character, ours leaves the character out.
 */

import { handleOf } from "../../../src/inspector/whatIf/handle";
import type { Change, Policy, Range, ResultItem, Shown } from "../../../src/inspector/whatIf/types";
import { byteLength } from "../../../src/schema/text";
import { pathOf } from "../paths";

const RESULT_BYTES = 20_000;
const TURN_BYTES = 200_000;
const PREVIEW = { head: 4000, tail: 1000 };
const LEAST_TARGET = PREVIEW.head + PREVIEW.tail + 200;
const AGED = { head: 2000, tail: 500 };
const AGED_MINIMUM_BYTES = 3000;
const SHORTEN_AGE = 2; // turns
const SUMMARISE_AGE = 4;

export const chatcli: Policy = {
  name: "chatcli",
  open() {
    let seen = 0;
    let ageing: { at: number; item: ResultItem; base: Shown; level: 0 | 1 }[] = [];
    return (items, { request }) => {
      const arrived: { at: number; item: ResultItem }[] = [];
      for (; seen < items.length; seen++) {
        const item = items[seen];
        if (item?.kind === "result") arrived.push({ at: seen, item });
      }
      const changes: Change[] = [];
      for (const { at, item, shown } of budgeted(arrived)) {
        if (shown) changes.push({ at, shown });
        const base = shown ?? item.shown;
        if (byteLength(base.text) >= AGED_MINIMUM_BYTES) ageing.push({ at, item, base, level: 0 });
      }
      const turns = request - 1; // replies so far
      ageing = ageing.filter((one) => {
        const { at, item, base } = one;
        const age = turns - item.turn;
        if (age >= SUMMARISE_AGE) {
          changes.push({ at, shown: summarised(base, at) });
          return false;
        }
        if (age >= SHORTEN_AGE && one.level === 0) {
          changes.push({ at, shown: shortened(item.text, base, at) });
          one.level = 1;
        }
        return true;
      });
      return changes;
    };
  },
};

/** Both passes, over the results of one turn. */
function budgeted(
  turn: readonly { at: number; item: ResultItem }[],
): readonly { at: number; item: ResultItem; shown: Shown | null }[] {
  const results = turn.map(({ at, item }) => {
    const bytes = byteLength(item.text);
    const shown = bytes > RESULT_BYTES ? previewOf(item.text, pathOf(at)) : null;
    return { at, item, shown, bytes: shown ? byteLength(shown.text) : bytes };
  });
  let total = results.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const result of [...results].sort((a, b) => b.bytes - a.bytes)) {
    if (total <= TURN_BYTES) break;
    const target = Math.max(LEAST_TARGET, result.bytes - (total - TURN_BYTES));
    if (result.shown || target >= result.bytes) continue;
    result.shown = previewOf(result.item.text, pathOf(result.at));
    total -= result.bytes - byteLength(result.shown.text);
  }
  return results;
}

/** A result that is over its budget. */
export function previewOf(text: string, path: string): Shown {
  const [head, tail] = ends(text, PREVIEW);
  const omitted = byteLength(text) - PREVIEW.head - PREVIEW.tail;
  return {
    text: `${text.slice(...head)}\n\n... [${omitted} chars omitted — full output saved to ${path}]\n\n${text.slice(...tail)}`,
    kept: [head, tail],
    isKept: true,
  };
}

/** Two turns old. Of a preview, what its ends have of the result's. */
export function shortened(text: string, base: Shown, at: number): Shown {
  const [head, tail] = ends(base.text, AGED);
  const first = base.text.slice(...head);
  const last = base.text.slice(...tail);
  const omitted = byteLength(base.text) - byteLength(first) - byteLength(last);
  return {
    text: `${first}\n[... ${omitted} chars omitted from old tool result ...]\n${last}\n${recallOf(at)}`,
    kept: [
      [0, first.length],
      [text.length - last.length, text.length],
    ],
    isKept: true,
  };
}

/** Four turns old. */
export function summarised(base: Shown, at: number): Shown {
  const lines = base.text.split("\n").length;
  const facts = `${lines} lines, ${byteLength(base.text)} chars, ${typeOf(base.text)}`;
  return { text: `[Old tool result cleared — ${facts}]\n${recallOf(at)}`, kept: [], isKept: true };
}

const recallOf = (at: number): string => `<<ccr:${handleOf(at).slice(-16)}>>`;

function typeOf(text: string): string {
  const trimmed = text.trim();
  const start = trimmed.slice(0, 200);
  if (/^[{[]/.test(trimmed)) return "JSON";
  if (start.includes("package ")) return "Go source";
  if (start.includes("import ")) return "source code";
  if (start.includes("def ")) return "Python source";
  if (start.includes("function ")) return "JavaScript source";
  if (/^(diff|---) /.test(trimmed)) return "diff";
  return trimmed.startsWith("commit ") ? "git log" : "text";
}

/** So many bytes of either end, cut at the last and the first line break that leave more than half of it. */
function ends(text: string, bytes: { head: number; tail: number }): readonly [Range, Range] {
  const headEnd = unitsOfHead(text, bytes.head);
  const lastBreak = text.lastIndexOf("\n", headEnd - 1);
  const head: Range = [0, lastBreak > headEnd / 2 ? lastBreak + 1 : headEnd];
  const tailStart = Math.max(unitsBeforeTail(text, bytes.tail), headEnd);
  const firstBreak = text.indexOf("\n", tailStart);
  const isCut = firstBreak > tailStart && firstBreak - tailStart < (text.length - tailStart) / 2;
  return [head, [isCut ? firstBreak + 1 : tailStart, text.length]];
}

function unitsOfHead(text: string, bytes: number): number {
  let units = 0;
  let left = bytes;
  for (const char of text) {
    left -= byteLength(char);
    if (left < 0) break;
    units += char.length;
  }
  return units;
}

function unitsBeforeTail(text: string, bytes: number): number {
  let from = text.length;
  let left = bytes;
  while (from > 0) {
    const isPair = (text.charCodeAt(from - 1) & 0xfc00) === 0xdc00 && from > 1;
    const start = from - (isPair ? 2 : 1);
    left -= byteLength(text.slice(start, from));
    if (left < 0) break;
    from = start;
  }
  return from;
}
