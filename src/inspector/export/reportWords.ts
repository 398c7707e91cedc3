/** What the report says of sessions, turns and calls, in the words of the inspector's page. */
import type { Receipt } from "../../schema/receipt";
import type { CallView, SessionView, TurnView } from "../../schema/view";
import { reasonName } from "./reportReasons";

export const number = (value: number): string => value.toLocaleString("en");
export const count = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;

/** The sentence at the top: what happened in the session, in numbers. */
export function summaryOf({ totals, lists }: Pick<SessionView, "totals" | "lists">): string {
  if (totals.calls === 0) return "No tool calls yet.";
  const { storedResults, storedChars, deletedResults, hiddenChars, readBacks, clamped, proposed, repairs } =
    totals;
  const stored =
    storedResults === 0
      ? "no results stored"
      : `${count(storedResults, "result")} stored (${count(storedChars, "character")}, ${number(hiddenChars)} not shown)`;
  const parts = [count(totals.calls, "call"), stored];
  if (deletedResults > 0) parts.push(`${number(deletedResults)} deleted`);
  if (readBacks > 0) parts.push(`${number(readBacks)} read back`);
  if (clamped > 0) parts.push(`${count(clamped, "limit")} lowered`);
  if (proposed > 0)
    parts.push(clamped > 0 ? `${number(proposed)} proposed` : `${count(proposed, "lower limit")} proposed`);
  const incomplete = lists.filter(({ inspected, total, complete }) => inspected < total || complete !== true);
  if (incomplete.length > 0) parts.push(`${count(incomplete.length, "list")} incomplete`);
  if (repairs > 0) parts.push(count(repairs, "repair"));
  return `${parts.join("; ")}.`;
}

const MODES = { off: "Off", observe: "Observe", enforce: "Enforce" } as const;
export const modeName = (mode: SessionView["mode"]): string => MODES[mode];

const ENDS: ReadonlyMap<string, string> = new Map([
  ["answered", "Answered"],
  ["stopped", "Stopped"],
  ["failed", "Failed"],
  ["turn_limit", "Stopped at the turn limit"],
]);
export const endName = (end: string): string => ENDS.get(end) ?? end;

export function replyEnd({ reply, calls }: TurnView): string {
  if (reply === null) return "Waiting for the reply";
  if (reply.end === "calls") return `Asked for ${count(calls.length, "call")}`;
  return endName(reply.end);
}

const STATES: Readonly<Record<CallView["state"], string>> = {
  proposed: "Not started",
  waiting: "Waiting for permission",
  running: "Running",
  done: "Done",
  refused: "Refused",
  failed: "Failed",
  interrupted: "Interrupted",
};
export const stateName = (state: CallView["state"]): string => STATES[state];

const DECISIONS: Readonly<Record<Receipt["decision"], string>> = {
  pass: "Ran as asked",
  clamp: "Limit lowered",
  branch: "Answered apart",
  deny: "Did not run",
  error: "Failed",
};

/** Requested → effective → what came back. */
export function receiptLine({ decision, reason, changes, proposed_changes, actual }: Receipt): string {
  const lowered = changes.map(({ path, from, to }) => `${path.slice(1)} ${from} → ${to}`);
  const proposed = proposed_changes.map(({ path, from, to }) => `${path.slice(1)} ${from} → ${to} proposed`);
  const came =
    actual === null
      ? []
      : [
          `came back: ${actual.items === null ? "" : `${count(actual.items, "item")}, `}${count(actual.bytes, "byte")}`,
        ];
  return `${DECISIONS[decision]}: ${[...lowered, ...proposed, reasonName(reason), ...came].join("; ")}`;
}

const SHORTENED_BY: Readonly<Record<CallView["shortened"][number]["by"], string>> = {
  age: "by age",
  budget: "because the turn was over its budget",
  recovery: "because the request did not fit",
  person: "as you asked",
};
const CUT_RULES: Readonly<Record<"pays" | "cold" | "uncached" | "overflow", string>> = {
  pays: "what later requests no longer carry is worth more than sending the rest again",
  cold: "the prompt cache was cold",
  uncached: "this model caches nothing",
  overflow: "the request would not have fit",
};

/** What was shortened, when and why, with the figures where the cost decided. */
export function shortenedLine({ by, turn, charsAfter, cost }: CallView["shortened"][number]): string {
  const why =
    cost === null
      ? ""
      : `: ${CUT_RULES[cost.rule]} (${count(cost.freedTokens, "token")} freed, ${number(cost.resentTokens)} sent again)`;
  return `To ${count(charsAfter, "character")} in turn ${turn}, ${SHORTENED_BY[by]}${why}`;
}

const RECOVERY = {
  budgets: "Budgets were applied",
  age: "Old results were shortened",
  blocks: "The oldest messages left",
} as const;
export const recoveryLine = ({ step, tokensBefore, tokensAfter }: TurnView["recovery"][number]): string =>
  `${RECOVERY[step]}: ${count(tokensBefore, "token")} before, ${number(tokensAfter)} after`;

const SHOWN: Readonly<Record<NonNullable<CallView["result"]>["shown"], string>> = {
  inline: "Shown whole",
  ticket: "Stored result",
  page: "List",
  projection: "First records",
  branch: "Answered apart",
  cut: "Cut",
  window: "Read back",
  refusal: "Refused",
};

export function resultLine({ result, page }: CallView): string {
  if (result === null) return "None yet";
  const shown = `${count(result.shownChars, "character")} shown`;
  if (result.shown === "page" && page !== null) {
    const isWhole = page.first <= 1 && page.last >= page.total;
    return `${isWhole ? "List" : "Incomplete list"}: records ${page.first}–${page.last} of ${number(page.total)}, ${shown}`;
  }
  return `${SHOWN[result.shown]}: ${shown}${result.isError ? ", an error" : ""}`;
}

export function changesLine({
  forgedMarkers,
  loneSurrogates,
  secrets,
  refused,
}: CallView["changes"]): string {
  if (refused !== null) return `Not kept: ${refused}`;
  const parts: string[] = [];
  if (forgedMarkers > 0) parts.push(`${count(forgedMarkers, "forged marker")} escaped`);
  if (secrets > 0) parts.push(`${count(secrets, "secret")} hidden`);
  if (loneSurrogates > 0) parts.push(`${count(loneSurrogates, "broken character")} replaced`);
  return parts.join(", ");
}

export function readBackLine(call: CallView): string {
  const { redeemed } = call;
  if (redeemed === null) return "";
  const { selector, offset, chars, totalChars, matches } = redeemed;
  if (selector === "find")
    return `${count(matches ?? 0, "match", "matches")} in ${count(totalChars, "character")}`;
  if (chars === 0) return `No characters at ${number(offset)} of ${number(totalChars)}`;
  return `Characters ${number(offset)}–${number(offset + chars - 1)} of ${number(totalChars)}`;
}
