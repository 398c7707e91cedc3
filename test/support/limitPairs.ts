// test/support: one task run twice, with limits observed and enforced, and the scorecard of the pair.
import assert from "node:assert/strict";
import type { Logged } from "../../src/schema/event";
import { ScorecardView } from "../../src/schema/scorecard";
import { metricsFrom, type SessionMetrics } from "../../src/thimble/metrics";
import { scorecardOf } from "../../src/thimble/scorecard";
import { hash } from "./house";
import { altered, limitSession } from "./limitSessions";

export const ASKED = '{"q":"open","limit":500}';
export const MORE = '{"q":"open","limit":10,"offset":10}';
export const call = (args: string) => [["search", args]] as const;

export function metricsOf(events: readonly Logged[], session: string): SessionMetrics {
  return metricsFrom(
    altered(events, "session_started", (event) => {
      event.session = session;
    }),
    hash,
  );
}

/** One task twice; the candidate asks for one more page. Results stay in the conversation. */
export async function pair(more: readonly (readonly (readonly [string, string])[])[] = [call(MORE)]) {
  const control = await limitSession([call(ASKED)], { mode: "observe", claimCheck: false });
  const candidate = await limitSession([call(ASKED), ...more], { claimCheck: false });
  return { control, candidate };
}

export type Pair = { control: Logged[]; candidate: Logged[] };
export function cardOf({ control, candidate }: Pair): ScorecardView {
  const [before, after] = [metricsOf(control, "control"), metricsOf(candidate, "candidate")] as const;
  const card = scorecardOf([before, after], [[before, after]]);
  assert.deepEqual(ScorecardView.parse(JSON.parse(JSON.stringify(card))), card);
  return card;
}
export const verdictOf = (card: ScorecardView) => {
  const { verdict, reason, measured } = card.verdicts.find(({ tool }) => tool === "search") ?? {};
  return { verdict, reason, measured };
};
