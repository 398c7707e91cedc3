// The inspector's browser side: what is said of a request, beside the one before it.
import type { RequestItem, RequestView } from "../src/schema/requestView";
import type { TokenFormat } from "./tokenFormat";
import { oneLine } from "./visibleText";

export const REQUEST_WORDS = {
  request: "Request",
  all: "All",
  changed: "Changed since the request before",
  show: "Messages shown",
  messages: "Messages",
  earlier: "Show Earlier Messages",
  later: "Show Later Messages",
  earlierText: "Earlier Text",
  laterText: "Later Text",
  reading: "Reading…",
  exact: "Exactly what was sent",
  exactSays: "What is rebuilt from the log has the digest that the log has",
  differs: "Not exactly what was sent: what is rebuilt from the log has another digest",
  unknown: "The log has no digest to compare with",
  bytes: "Messages, not bytes: this model's adapter hands messages to VS Code.",
  first: "The first request: everything is new.",
  onlyMore: "Nothing changed: the request only goes on.",
} as const;

const MARKS = { same: "", changed: "~", new: "+" } as const;
export const markOf = (state: RequestItem["state"]): string => MARKS[state];
const STATES = { same: "as before", changed: "changed", new: "new" } as const;
export const stateName = (state: RequestItem["state"]): string => STATES[state];

const ROLES = {
  system: "System",
  tools: "Tools",
  user: "You",
  assistant: "Assistant",
  tool: "Result",
} as const;
export const roleName = ({ role, tool }: Pick<RequestItem, "role" | "tool">): string =>
  tool === null ? ROLES[role] : oneLine(tool, 60);

const CAUSES: Readonly<Record<string, string>> = {
  aged: "an old result was shortened",
  budgeted: "a result was cut to its limit",
  configured: "settings, tools or the system prompt changed",
  media_replaced: "an image was replaced",
  overflowed: "the request did not fit",
  pinned: "a result was pinned",
  pruned: "old turns were taken out",
  recovered: "the request did not fit",
  repaired: "the history was repaired",
  resumed: "the session was continued",
};
/** Why, in words; an event that has none is named. */
export const causeName = (type: string): string =>
  Object.hasOwn(CAUSES, type) ? (CAUSES[type] ?? type) : type;

export const placeName = (at: number): string =>
  at === -2 ? "the system prompt" : at === -1 ? "the tools" : `message ${at + 1}`;

/** Messages of the request: items besides the system prompt and the tools. */
function messagesOf({ total, from, items }: RequestView): number {
  const last = items.at(-1);
  return last === undefined || last.at < 0 ? total : total - (from + items.length - 1 - last.at);
}

/** "Turn 7: 24 messages, 18,201 tokens; 16,020 as before; the provider read 15,872 from its cache". */
export function requestSentence(request: RequestView, f: TokenFormat): string {
  const { turn, prefix, cachedTokens } = request;
  const tokens = prefix === null ? "" : `, ${f.count(prefix.totalTokens, "token")}`;
  const parts = [`Turn ${turn}: ${f.count(messagesOf(request), "message")}${tokens}`];
  if (prefix !== null) parts.push(`${f.number(prefix.tokens)} as before`);
  if (request.removed > 0) parts.push(`${f.number(request.removed)} of the messages before taken out`);
  if (cachedTokens !== null) parts.push(`the provider read ${f.number(cachedTokens)} from its cache`);
  return parts.join("; ");
}

/** Where the request first differs from the one before. */
export function divergenceWords({ divergence }: RequestView, previousTurn: number | null): string {
  if (divergence === null) return REQUEST_WORDS.first;
  const than = previousTurn === null ? "the request before" : `turn ${previousTurn}`;
  const place = placeName(divergence.at);
  return divergence.by === null
    ? `Goes on after ${than} at ${place}: there is only more.`
    : `First differs from ${than} at ${place}: ${causeName(divergence.by.type)}.`;
}

export const sizeOf = ({ tokens, chars }: RequestItem, f: TokenFormat): string =>
  tokens === null ? f.count(chars, "character") : f.count(tokens, "token");

export const itemTitle = (item: RequestItem, f: TokenFormat): string => {
  const why = item.by === null ? "" : `: ${causeName(item.by.type)} (event ${item.by.n})`;
  return `${roleName(item)}, ${sizeOf(item, f)}, ${f.count(item.chars, "character")}, ${stateName(item.state)}${why}`;
};
