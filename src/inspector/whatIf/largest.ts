/** What if: the largest items of a session, and what became of them. */
import { subjectOf } from "../../claims/subject";
import { stringLeaves } from "./evidence";
import { argumentTokens } from "./fills";
import type { SaidItem, Session } from "./types";

export type LargeItem = {
  readonly turn: number;
  readonly kind: "words" | "reply" | "arguments" | "result";
  readonly tool: string | null;
  readonly subject: string; // what it is about: the argument of a call, the beginning of a text
  readonly tokens: number;
  readonly shownTokens: number; // of it, in Cloakroom's last request
};

const LARGEST_ITEMS = 10;
const SUBJECT_UNITS = 200;

/** Of the last request; the last reply is in none. */
export function largestOf({ items }: Session, sizes: readonly number[]): readonly LargeItem[] {
  const found: LargeItem[] = [];
  for (const [at, size] of sizes.entries()) {
    const item = items[at];
    if (item === undefined) continue;
    const { turn = 0 } = item;
    if (item.kind === "result") {
      const { tool, tokens } = item;
      found.push({
        turn,
        kind: "result",
        tool,
        subject: aboutCall(item.arguments),
        tokens,
        shownTokens: size,
      });
      continue;
    }
    const { calls = [] } = item;
    for (const { tool, arguments: words, tokens } of calls)
      found.push({ turn, kind: "arguments", tool, subject: aboutCall(words), tokens, shownTokens: tokens });
    const tokens = item.tokens - argumentTokens(item);
    const kind = item.kind === "user" ? "words" : "reply";
    found.push({ turn, kind, tool: null, subject: beginningOf(wordsOf(item)), tokens, shownTokens: tokens });
  }
  return found
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST_ITEMS);
}

/** Behind a reply's own words stand the arguments of its calls, each on a line. */
const wordsOf = ({ text, calls = [] }: SaidItem): string =>
  text.slice(0, text.length - calls.reduce((sum, call) => sum + call.arguments.length + 1, 0));

const beginningOf = (text: string): string =>
  text
    .slice(0, 5 * SUBJECT_UNITS)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, SUBJECT_UNITS)
    .toWellFormed();

function aboutCall(words: string): string {
  const named = subjectOf(words);
  if (named !== "") return beginningOf(named);
  return beginningOf(stringLeaves(words)[0] ?? "");
}
