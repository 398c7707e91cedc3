/**
 * bench traces: what not knowing the length of a session costs. For every request at which a session could have ended,
 * ours beside the cheaper of two that know it: the same rule with the number of requests that are still to come, and no
 * ageing at all. Nothing is read back here: what is compared is when to cut.
 */

import { ours, oursWith } from "../../src/inspector/whatIf/ours";
import { simulate } from "../../src/inspector/whatIf/simulate";
import type { Policy, Profile, Session } from "../../src/inspector/whatIf/types";
import { DEFAULT_SETTINGS } from "../../src/schema/settings";
import type { TokenCounter } from "../../src/schema/tokens";

export type Regret = {
  readonly worst: number;
  readonly mean: number;
  readonly stops: number;
  readonly at: string;
};

const never = oursWith("never", {
  ...DEFAULT_SETTINGS,
  ageing: { ...DEFAULT_SETTINGS.ageing, strategy: "off" },
});

export function regretOf(sessions: readonly Session[], profile: Profile, tokens: TokenCounter): Regret {
  let [worst, at, sum, stops] = [0, "", 0, 0];
  for (const session of sessions) {
    const costs = (policy: Policy, until = session.requests.length): readonly number[] => {
      const cut = { ...session, requests: session.requests.slice(0, until) };
      let cost = 0;
      return simulate(cut, policy, profile, tokens, { redemption: "none" }).perRequest.map((one) => {
        cost += one.cost;
        return cost;
      });
    };
    const [mine, uncut] = [costs(ours), costs(never)];
    for (let stop = 1; stop <= session.requests.length; stop++) {
      const knowing = oursWith("oracle", DEFAULT_SETTINGS, ({ request }) => stop - request);
      const best = Math.min(costs(knowing, stop).at(-1) ?? 0, uncut[stop - 1] ?? 0);
      const ratio = (mine[stop - 1] ?? 0) / best;
      sum += ratio;
      stops++;
      if (ratio > worst) [worst, at] = [ratio, `${session.name}, request ${stop}`];
    }
  }
  const rounded = (ratio: number) => Math.round(ratio * 10_000) / 10_000;
  return { worst: rounded(worst), mean: rounded(sum / stops), stops, at };
}
