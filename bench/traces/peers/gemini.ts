/**
 * bench traces: Gemini CLI's tool output masking (google-gemini/gemini-cli, services/toolOutputMaskingService.ts and
 * utils/tokenCalculation.ts). From the end back, without the latest message, 50,000 tokens of tool output are
 * protected; what crosses that and all before it are masked if they are 30,000 tokens or more: the whole goes to a file, and
 * its path remains with the first and the last 250 characters, for a shell with the first and the last ten lines.
 * Tokens are (name + JSON of the response) / 4. A mask that would save nothing is not put on.
 */

import type { Change, Item, Policy, Range, ResultItem, Shown } from "../../../src/inspector/whatIf/types";
import { pathOf } from "../paths";

const PROTECT_TOKENS = 50_000;
const MINIMUM_TOKENS = 30_000;
const PREVIEW_UNITS = 250; // at either end
const SHELL_LINES = 10; // at either end
/** `run_shell_command` there; in transcripts of others, what is the same. */
const SHELL = /shell|bash|terminal|command|exec/i;

export const gemini: Policy = {
  name: "gemini",
  open() {
    const estimates = new WeakMap<ResultItem, number>();
    const estimate = (item: ResultItem): number => {
      const tokens = estimates.get(item) ?? estimatedTokens(item.tool, item.text);
      estimates.set(item, tokens);
      return tokens;
    };
    return (items) => masked(items, estimate);
  },
};

export function masked(
  items: readonly Item[],
  estimate = (item: ResultItem) => estimatedTokens(item.tool, item.text),
): readonly Change[] {
  let total = 0;
  let maskable = 0;
  const found: { at: number; item: ResultItem; tokens: number }[] = [];
  for (let at = startOfLatest(items) - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind !== "result" || item.text === "" || item.shown.text !== item.text) continue;
    const tokens = estimate(item);
    total += tokens;
    if (total <= PROTECT_TOKENS) continue;
    maskable += tokens;
    found.push({ at, item, tokens });
  }
  if (maskable < MINIMUM_TOKENS) return [];
  return found.flatMap(({ at, item, tokens }): Change[] => {
    const shown = maskOf(item.tool, item.text, pathOf(at));
    return estimatedTokens(item.tool, shown.text) < tokens ? [{ at, shown }] : [];
  });
}

/** The results that came last are one message; so are the person's words. */
function startOfLatest(items: readonly Item[]): number {
  const kind = items.at(-1)?.kind;
  if (kind !== "result" && kind !== "window") return items.length - 1;
  return items.findLastIndex((item) => item.kind !== "result" && item.kind !== "window") + 1;
}

const estimatedTokens = (tool: string, output: string): number =>
  Math.floor(tool.length / 4 + JSON.stringify({ output }).length / 4);

export function maskOf(tool: string, text: string, path: string): Shown {
  const { preview, kept } = SHELL.test(tool) ? shellPreview(text) : plainPreview(text);
  const rest = `Too long to show. All of it is in the file: ${path}`;
  return { text: `<tool_output_masked>\n${preview}\n\n${rest}\n</tool_output_masked>`, kept, isKept: true };
}

type Preview = { readonly preview: string; readonly kept: readonly Range[] };

function plainPreview(text: string): Preview {
  if (text.length <= 2 * PREVIEW_UNITS) return { preview: text, kept: [[0, text.length]] };
  const [head, tail] = [text.slice(0, PREVIEW_UNITS), text.slice(-PREVIEW_UNITS)];
  return {
    preview: `${head}\n... [TRUNCATED] ...\n${tail}`,
    kept: [
      [0, PREVIEW_UNITS],
      [text.length - PREVIEW_UNITS, text.length],
    ],
  };
}

function shellPreview(text: string): Preview {
  const lines = text.split("\n");
  if (lines.length <= 2 * SHELL_LINES) return { preview: text, kept: [[0, text.length]] };
  const head = lines.slice(0, SHELL_LINES).join("\n");
  const tail = lines.slice(-SHELL_LINES).join("\n");
  return {
    preview: `${head}\n\n... [${lines.length - 2 * SHELL_LINES} lines omitted] ...\n\n${tail}`,
    kept: [
      [0, head.length],
      [text.length - tail.length, text.length],
    ],
  };
}
