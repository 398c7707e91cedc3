/** What if: what stands before the conversation of every request. */
import { prefixFills } from "../../history/fills";
import { prefixText } from "../../history/requestText";
import type { EventOf, Logged } from "../../schema/event";
import type { TokenCounter } from "../../schema/tokens";
import { PREFIX_TOKENS } from "./context";
import type { Fill } from "./fills";
import type { Session } from "./types";

/** What stood before each request that was replied to, counted as the log counts it. */
export function prefixesOf(events: readonly Logged[], tokens: TokenCounter): readonly (readonly Fill[])[] {
  const last = events.findLast((event) => event.type === "configured");
  if (last === undefined || last.tools.length === 0) {
    const assumed = assumedPrefix(last?.system ?? "", tokens);
    return events.flatMap(({ type }) => (type === "replied" ? [assumed] : []));
  }
  const counted = new Map<string, readonly Fill[]>();
  const found: (readonly Fill[])[] = [];
  let before: readonly Fill[] = [];
  for (const event of events) {
    if (event.type === "configured") {
      const text = prefixText(event);
      before = counted.get(text) ?? knownPrefix(event, text, tokens);
      counted.set(text, before);
    } else if (event.type === "replied") found.push(before);
  }
  return found;
}

function knownPrefix({ tools }: EventOf<"configured">, text: string, tokens: TokenCounter): readonly Fill[] {
  const fills = prefixFills(text, tokens.count(text), tokens);
  return [
    { kind: "system" as const, tool: null, items: 1, tokens: fills.system },
    { kind: "tools" as const, tool: null, items: tools.length, tokens: fills.tools },
  ].filter((fill) => fill.tokens > 0);
}

/** Tools are known of sessions of ours only; elsewhere as much is assumed as in the benchmarks. */
function assumedPrefix(system: string, { count }: TokenCounter): readonly Fill[] {
  const known = { kind: "system" as const, tool: null, items: 1, tokens: count(system) };
  const found = known.tokens > 0 ? [known] : [];
  const missing = PREFIX_TOKENS - known.tokens;
  return missing <= 0 ? found : [...found, { kind: "assumed", tool: null, items: 1, tokens: missing }];
}

/** `prefixes`: one for each request. */
export const withPrefixes = (session: Session, prefixes: readonly (readonly Fill[])[]): Session => ({
  ...session,
  prefixTokens: tokensOf(prefixes[0] ?? []),
  requests: session.requests.map((request, at) => ({
    ...request,
    prefixTokens: tokensOf(prefixes[at] ?? []),
  })),
});

const tokensOf = (fills: readonly Fill[]): number => fills.reduce((sum, { tokens }) => sum + tokens, 0);
