// The inspector's browser side: what is said of one tool call: its receipt, its permission, its result.
import type { RefusalReason } from "../src/schema/claim";
import type { Change } from "../src/schema/policy";
import type { Receipt } from "../src/schema/receipt";
import type { ToolClass } from "../src/schema/tool";
import type { CallView } from "../src/schema/view";
import { type Format, pointerName } from "./format";

/** Why a call ran as it did, for every reason of the closed set (CONFORMANCE §5, Order). */
const REASONS: Readonly<Record<string, string>> = {
  mode_off: "result limits are off",
  unknown_tool_contract: "the policy has no limit for this tool",
  contract_schema_mismatch: "the tool is not the one that the policy's limit was written for",
  invalid_contract: "the policy's limit for this tool is not valid",
  not_read_only: "the tool is not known to be read-only",
  structured_intent: "the session asks for complete results",
  exempt: "the call is exempt",
  invalid_json: "the arguments are not valid JSON",
  ambiguous_argument: "the limit is given twice",
  argument_missing: "no limit was asked for",
  not_an_integer: "the limit is not a whole number",
  outside_range: "the limit is outside its legal range",
  paged_argument: "it asks for a later page",
  within_budget: "within the policy's limit",
  requested_items_above_policy_maximum: "more than the policy's maximum",
  observe_only: "limits are only observed",
  hard_maximum: "more than the hard maximum",
  // The dimension in which a result was larger than its envelope.
  items: "more items than its envelope",
  bytes: "more bytes than its envelope",
  tokens: "more tokens than its envelope",
  // An authoriser's and a tool's codes.
  unknown_tool: "there is no such tool",
  unknown_secret: "it names a secret that this session no longer holds",
  untrusted_workspace: "the workspace is not trusted",
  no_preview: "the tool cannot show what it would do",
  denied: "it was not allowed",
  tool_threw: "the tool failed unexpectedly",
};
/** A reason in words; one that is not of ours is shown as it is, a code of somebody's with spaces. */
export function reasonName(reason: string): string {
  if (Object.hasOwn(REASONS, reason)) return REASONS[reason] ?? reason; // "constructor" is a code like any other
  return /^[a-z]+(_[a-z]+)*$/.test(reason) ? reason.replaceAll("_", " ") : reason;
}

/** "limit 500 → 10". A count above 2^53 is text, and stays exact. */
export function changeText({ path, from, to }: Change, f: Format): string {
  return `${pointerName(path)} ${typeof from === "number" ? f.number(from) : from} → ${f.number(to)}`;
}

export const changesText = (changes: readonly Change[], f: Format): string =>
  changes.map((change) => changeText(change, f)).join(", ");

/** The decision in words: what was lowered, what would have been, or why not. */
export function receiptLine(receipt: Receipt, f: Format): string {
  const { decision, reason, changes, proposed_changes: proposed } = receipt;
  const limits: string[] = [];
  if (changes.length > 0) limits.push(`${changesText(changes, f)} (enforced)`);
  if (proposed.length > 0) {
    limits.push(
      `${changesText(proposed, f)} proposed${decision === "pass" ? ", ran as asked" : ""} (observe)`,
    );
  }
  switch (decision) {
    case "clamp":
      return limits.join("; ");
    case "pass":
      return limits.length > 0 ? limits.join("; ") : `ran as asked: ${reasonName(reason)}`;
    case "deny":
      return [`did not run: ${reasonName(reason)}`, ...limits].join("; ");
    case "error":
      return [...limits, `failed: ${reasonName(reason)}`].join("; ");
    case "branch":
      return [
        ...limits,
        `${hasFailed(receipt) ? "branch failed" : "answered apart"}: ${reasonName(reason)}`,
      ].join("; ");
  }
}

const hasFailed = ({ response }: Receipt): boolean => response?.branch?.outcome === "failed";

export const DECISIONS: Readonly<Record<Receipt["decision"], string>> = {
  pass: "Ran as asked",
  clamp: "Limit lowered",
  branch: "Answered apart",
  deny: "Did not run",
  error: "Failed",
};

export function continuationText({ kind, available }: NonNullable<Receipt["continuation"]>): string {
  const way = {
    cursor: "by the next cursor",
    offset: "from a later offset",
    page: "with the next page",
    rerun: "by running it again",
  };
  return available ? `The rest can be asked for ${way[kind]}` : `Would go on ${way[kind]}`;
}

export function permissionLine({ granted, by, reason }: NonNullable<CallView["authorised"]>): string {
  const who: Readonly<Record<string, string>> = {
    rule: "by rule",
    user: "by you",
    session: "by you, for this session",
    check: "by a check",
  };
  return `${granted ? "Allowed" : "Refused"} ${who[by] ?? `by ${by}`}: ${reasonName(reason)}`;
}

const CLASSES: Readonly<Record<ToolClass, string>> = {
  list: "list",
  read: "read",
  read_range: "read of a range",
  execute: "command output",
  error: "error",
  other: "other",
};
export const className = (name: ToolClass): string => CLASSES[name];

/** "characters 4,096–8,191 of 92,104". */
export function windowText(
  { selector, offset, chars, totalChars, matches }: NonNullable<CallView["redeemed"]>,
  f: Format,
): string {
  if (selector === "find")
    return `${f.count(matches ?? 0, "match", "matches")} in ${f.number(totalChars)} characters`;
  if (chars === 0) return `no characters at ${f.number(offset)} of ${f.number(totalChars)}`;
  return `characters ${f.number(offset)}–${f.number(offset + chars - 1)} of ${f.number(totalChars)}`;
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  empty_cursor: "there is nothing behind the handle's mark",
  malformed_cursor: "what stands behind the handle is no page and no record",
  foreign_cursor: "the page belongs to another list",
  unknown_cursor: "the list has no such page or record",
  cycling_cursor: "the page was read before and leads back",
  altered_page: "the page is not what it was",
  corrupt_page: "the page's content no longer matches its list",
  corrupt_record: "the record no longer matches its digest",
  budget_too_small: "no page can be so small",
  malformed: "what was given is not a handle",
  unknown: "this session never issued the handle",
  forgotten: "its content was deleted",
  missing: "its content is missing from the disk",
  corrupt: "its content no longer matches its digest",
  unreadable: "its content could not be read",
  invalid_offset: "the offset or line is not a whole number in range",
  not_found: "its content has no value at this pointer",
  invalid_arguments: "the arguments are not valid",
};
export const refusalName = (reason: RefusalReason): string => REFUSALS[reason];

function pageWords(page: CallView["page"], shown: string, f: Format): { label: string; description: string } {
  if (page === null) return { label: "List", description: `${shown} shown` };
  const { first, last, total } = page;
  const range =
    last < first ? "no records" : `records ${f.number(first)}–${f.number(last)} of ${f.number(total)}`;
  return { label: first > 1 || last < total ? "Incomplete list" : "List", description: range };
}

/** What the model was shown of a result: a label and the rest of the sentence. */
export function resultWords(call: CallView, f: Format): { label: string; description: string } {
  const { result, stored, redeemed, refusal, authorised } = call;
  if (result === null) return { label: "Result", description: "none yet" };
  const shown = f.count(result.shownChars, "character");
  switch (result.shown) {
    case "ticket":
      return {
        label: "Stored result",
        description: stored
          ? `${f.count(stored.chars, "character")}, ${className(result.class)}; ${f.number(result.shownChars)} shown`
          : `${shown} shown`,
      };
    case "page":
      return pageWords(call.page, shown, f);
    case "projection":
      return { label: "First records", description: `${shown} shown` };
    case "branch":
      return { label: "Answered apart", description: `${shown} shown` };
    case "inline":
      return { label: "Shown whole", description: `${shown}${result.isError ? ", an error" : ""}` };
    case "window":
      return { label: "Read back", description: redeemed ? windowText(redeemed, f) : shown };
    case "cut":
      return { label: "Cut", description: `${shown} shown; ${f.sentence(result.why)}` };
    case "refusal":
      return {
        label: "Refused",
        description: refusal
          ? refusalName(refusal.reason)
          : reasonName(authorised?.granted === false ? authorised.reason : result.why),
      };
  }
}

export function changesLine(changes: CallView["changes"], f: Format): string {
  const { forgedMarkers, loneSurrogates, secrets, refused } = changes;
  if (refused !== null) return `not kept: ${refused}`;
  const parts: string[] = [];
  if (forgedMarkers > 0) parts.push(`${f.count(forgedMarkers, "forged marker")} escaped`);
  if (secrets > 0) parts.push(`${f.count(secrets, "secret")} hidden`);
  if (loneSurrogates > 0) parts.push(`${f.count(loneSurrogates, "broken character")} replaced`);
  return parts.join(", ");
}

type Shortened = CallView["shortened"][number];

const SHORTENED_BY: Readonly<Record<Shortened["by"], (turn: number) => string>> = {
  age: (turn) => `before turn ${turn}, by age`,
  budget: (turn) => `after turn ${turn}, over its budget`,
  recovery: (turn) => `before turn ${turn}, because the request did not fit`,
  person: (turn) => `before turn ${turn}, as you asked`,
};

export const shortenedLine = ({ by, turn, charsAfter }: Shortened, f: Format): string =>
  `to ${f.count(charsAfter, "character")} ${SHORTENED_BY[by](turn)}`;

const CUT_RULES: Readonly<Record<NonNullable<Shortened["cost"]>["rule"], string>> = {
  pays: "It pays: what later requests no longer carry is worth more than sending the rest again.",
  cold: "The prompt cache was cold: everything had to be sent again anyway.",
  uncached: "This model caches nothing: shorter is cheaper.",
  overflow: "The request would not have fit the model.",
};

/** Why the cost of a request decided that old results are shortened now, and the figures behind it. */
export function cutFacts(cost: Shortened["cost"], f: Format): readonly (readonly [string, string | null])[] {
  if (cost === null) return [];
  const { rule, profile, requests, freedTokens, resentTokens, counter } = cost;
  const { prices, name } = profile;
  const ttl = prices?.ttlSeconds == null ? "" : `, for ${f.ms(prices.ttlSeconds * 1000)}`;
  return [
    ["Why now", CUT_RULES[rule]],
    ["Freed (C)", `${f.count(freedTokens, "token")} of all results shortened then`],
    ["Sent again (S)", f.count(resentTokens, "token")],
    ["Requests so far (n̂)", f.number(requests)],
    [
      "Prompt cache",
      prices === null
        ? `${name}: prices unknown`
        : `${name}: write ${prices.write}, read ${prices.read}${ttl}`,
    ],
    ["Counted with", counter],
  ];
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
