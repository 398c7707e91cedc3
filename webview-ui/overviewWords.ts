// The inspector's browser side: the sentence over the tree: what is in the window, and what was kept out of it.
import type { PlotColumn } from "../src/schema/inspector";
import type { ListView, RequestFill, SessionHead } from "../src/schema/view";
import { FILL_PARTS, sumOf } from "./fillParts";
import type { TokenFormat } from "./tokenFormat";
import { oneLine } from "./visibleText";

/** A part of the sentence: short on the page, in full where the pointer rests. */
export type Part = { readonly text: string; readonly title: string };
export type Unit = "tokens" | "cost";
export type Fill = Pick<RequestFill, "tokens" | "naive" | "isEstimate">;

export const OVERVIEW_WORDS = {
  overview: "Overview",
  tokens: "Tokens",
  cost: "Cost",
  unit: "Savings in",
  turns: "Turns",
  free: "Free",
  saved: "Kept out",
  savedSays: "What naive has more than this request",
  naive: "Naive",
  naiveSays: "The same requests with every result whole, and nothing read back",
  whatIf: "What if",
  whatIfSays: "The same requests under the settings of What If",
  none: "No request yet.",
} as const;

const isIncomplete = ({ inspected, total, complete }: ListView): boolean =>
  inspected < total || complete !== true;

/** Only what is not zero is said. `turn`: that `fill` is of; all else is of the session. */
export function overviewParts(
  head: SessionHead,
  fill: Fill | null,
  unit: Unit,
  f: TokenFormat,
  turn: number | null = null,
): Part[] {
  const { storedResults, storedChars, hiddenChars, deletedResults } = head.totals;
  const deleted = deletedResults === 0 ? "" : `; ${f.count(deletedResults, "result")} deleted`;
  const incomplete = head.lists.filter(isIncomplete);
  const parts = [
    fill === null ? null : ofTurn(turn, windowPart(fill, head.windowTokens, f)),
    storedResults + deletedResults === 0 || head.kind === "analysed" // nothing of that is on this machine's disk by us
      ? null
      : {
          text: `${f.count(storedResults, "result")} stored`,
          title: `${f.count(storedChars, "character")} stored, ${f.number(hiddenChars)} not shown${deleted}`,
        },
    unit === "cost" && hasCosts(head) ? costPart(head, f) : savedPart(head, f),
    head.incompleteLists === 0
      ? null
      : {
          text: `${f.count(head.incompleteLists, "list")} incomplete`,
          title: incomplete.map((list) => listTitle(list, f)).join("\n"),
        },
  ];
  return parts.filter((part) => part !== null);
}

export const hasCosts = ({ totals, priceName }: SessionHead): boolean =>
  priceName !== null && (totals.sentCost > 0 || totals.naiveCost > 0);

const ofTurn = (turn: number | null, { text, title }: Part): Part =>
  turn === null ? { text, title } : { text: `Turn ${turn}: ${text}`, title };

function windowPart({ tokens, isEstimate }: Fill, windowTokens: number | null, f: TokenFormat): Part {
  const sum = sumOf(tokens);
  const ending = isEstimate ? ", estimated" : "";
  if (windowTokens === null) {
    const title = `${f.count(sum, "token")}; nobody says how many the model takes${ending}`;
    return { text: `${f.compact(sum)} tokens, window not known${ending}`, title };
  }
  return {
    text: `${f.compact(sum)} of ${f.compact(windowTokens)} tokens${ending}`,
    title: `${f.number(sum)} of ${f.count(windowTokens, "token")} (${f.share(sum / windowTokens)})${ending}`,
  };
}

function savedPart({ totals }: SessionHead, f: TokenFormat): Part | null {
  const { sentTokens, naiveTokens } = totals;
  const saved = naiveTokens - sentTokens;
  if (saved === 0) return null;
  const text =
    saved > 0 ? `${f.compact(saved)} tokens saved net` : `${f.compact(-saved)} tokens more than naive`;
  const title = `All requests: ${f.count(sentTokens, "token")} sent, ${f.number(naiveTokens)} with every result whole`;
  return { text, title };
}

function costPart({ totals, priceName }: SessionHead, f: TokenFormat): Part {
  const { sentCost, naiveCost } = totals;
  return {
    text: `cost ${f.compact(sentCost)} instead of ${f.compact(naiveCost)} input tokens (prices: ${oneLine(priceName ?? "", 60)})`,
    title: `${f.number(Math.round(sentCost))} instead of ${f.number(Math.round(naiveCost))}, in tokens of input at the price of what is not cached`,
  };
}

const listTitle = ({ tool, inspected, total }: ListView, f: TokenFormat): string =>
  `${oneLine(tool, 60)}: ${f.number(inspected)} of ${f.count(total, "record")} read`;

/** "Turn 12: 41,200 tokens; naive 90,000": of a column, and of the slider's value. */
export function columnWords({ turn, tokens, naive, isEstimate }: PlotColumn, f: TokenFormat): string {
  const sum = `${f.count(sumOf(tokens), "token")}${isEstimate ? ", estimated" : ""}`;
  return naive === 0 ? `Turn ${turn}: ${sum}` : `Turn ${turn}: ${sum}; naive ${f.number(naive)}`;
}

/** The bar in words, for who does not see it. */
export function barWords(turn: number, { tokens }: Fill, f: TokenFormat): string {
  const parts = FILL_PARTS.flatMap(({ name }, at) => {
    const some = tokens[at] ?? 0;
    return some === 0 ? [] : [`${name} ${f.number(some)}`];
  });
  return `Request of turn ${turn}, in tokens: ${parts.join(", ")}`;
}
