/** What if: what stands before the conversation of every request. */
import type { EventOf } from "../../schema/event";
import type { TokenCounter } from "../../schema/tokens";
import { PREFIX_TOKENS } from "./context";
import type { Fill } from "./fills";

/** Tools are known of sessions of ours only; elsewhere what stands before the conversation is assumed as in the benchmarks. */
export function prefixOf(
  configured: EventOf<"configured"> | undefined,
  { count }: TokenCounter,
): readonly Fill[] {
  const { system = "", tools = [] } = configured ?? {};
  const offered = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const known: Fill[] = [
    { kind: "system", tool: null, items: 1, tokens: count(system) },
    {
      kind: "tools",
      tool: null,
      items: tools.length,
      tokens: tools.length > 0 ? count(JSON.stringify(offered)) : 0,
    },
  ];
  const found = known.filter((fill) => fill.tokens > 0);
  const missing = tools.length > 0 ? 0 : PREFIX_TOKENS - found.reduce((sum, fill) => sum + fill.tokens, 0);
  return missing <= 0 ? found : [...found, { kind: "assumed", tool: null, items: 1, tokens: missing }];
}

export const tokensOf = (fills: readonly Fill[]): number =>
  fills.reduce((sum, { tokens }) => sum + tokens, 0);
