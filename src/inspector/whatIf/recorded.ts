/** What if: what really left, by the log: every request says how much of it the one before had. */
import { requestCost } from "../../history/promptCache";
import type { Logged } from "../../schema/event";
import { cacheProfileFrom } from "./profiles";
import type { Sent } from "./replayed";
import type { Profile } from "./types";

/** Null: another program sent it. */
export function recordedOf(events: readonly Logged[], profile: Profile): Sent | null {
  const cacheProfile = cacheProfileFrom(profile);
  let [requests, tokens, cost, peakTokens] = [0, 0, 0, 0];
  let before: number | null = null;
  for (const event of events) {
    if (event.type !== "requested") continue;
    if (!event.prefix) return null;
    const { totalTokens, tokens: reusedTokens } = event.prefix;
    const idleSeconds = before === null ? null : (event.at - before) / 1000;
    requests++;
    tokens += totalTokens;
    cost += requestCost(cacheProfile, { reusedTokens, totalTokens }, idleSeconds);
    peakTokens = Math.max(peakTokens, totalTokens);
    before = event.at;
  }
  return requests === 0 ? null : { requests, tokens, cost: Math.round(cost), peakTokens };
}

/** Of the request before each reply, in tokens of the counter that is named in it. Null as above. */
export function recordedTokens(events: readonly Logged[]): number[] | null {
  const found: number[] = [];
  let last: number | undefined;
  for (const event of events) {
    if (event.type === "requested") last = event.prefix?.totalTokens;
    if (event.type !== "replied") continue;
    if (last === undefined) return null;
    found.push(last);
  }
  return found.length === 0 ? null : found;
}
