/** bench traces: policies beside the naive one, over all sessions. */
import { type Redemption, type Simulated, simulate } from "../../src/inspector/whatIf/simulate";
import type { Policy, Profile, Session } from "../../src/inspector/whatIf/types";
import type { TokenCounter } from "../../src/schema/tokens";
import { naive } from "./peers/naive";

/** Costs in input tokens of the profile's price; ratios beside naive. */
export type SessionRow = {
  readonly session: string;
  readonly requests: number;
  readonly naive: number;
  readonly cost: number;
  readonly ratio: number;
  readonly costAsResult: number; // where what was read back is a result like any other
  readonly ratioAsResult: number;
  readonly costNoRedemption: number;
  readonly ratioNoRedemption: number;
  readonly roundTrips: number;
  readonly evidenceHidden: number;
  readonly peak: number;
  readonly unrecoverableBytes: number;
};

/** What a policy costs in each session. */
export function perSession(
  sessions: readonly Session[],
  policy: Policy,
  profile: Profile,
  tokens: TokenCounter,
): readonly SessionRow[] {
  return sessions.map((session) => {
    const run = (one: Policy, redemption: Redemption): Simulated =>
      simulate(session, one, profile, tokens, { redemption });
    const base = run(naive, "none");
    const bound = run(policy, "none");
    const isHidden = bound.evidenceHidden > 0; // else nothing is read back: the same
    const paid = isHidden ? run(policy, "stays") : bound;
    const again = isHidden ? run(policy, "result") : bound;
    return {
      session: session.name,
      requests: base.requests,
      naive: base.cost,
      cost: paid.cost,
      ratio: paid.cost / base.cost,
      costAsResult: again.cost,
      ratioAsResult: again.cost / base.cost,
      costNoRedemption: bound.cost,
      ratioNoRedemption: bound.cost / base.cost,
      roundTrips: paid.roundTrips,
      evidenceHidden: bound.evidenceHidden,
      peak: paid.peak,
      unrecoverableBytes: bound.unrecoverableBytes,
    };
  });
}

export type Summary = {
  /** Of the ratios of the sessions, their geometric mean; of all costs, the ratio of the sums. */
  readonly geo: number;
  readonly total: number;
  readonly geo_as_result: number;
  readonly total_as_result: number;
  readonly geo_no_redemption: number;
  readonly total_no_redemption: number;
  readonly cost: number;
  readonly cost_no_redemption: number;
  readonly round_trips: number;
  readonly evidence_hidden: number; // needed and hidden, per reply and result, where nothing is read back
  readonly peak: number; // tokens
  readonly unrecoverable_bytes: number; // where nothing is read back
};

export function summaryOf(rows: readonly SessionRow[]): Summary {
  const sum = (of: (row: SessionRow) => number) => rows.reduce((total, row) => total + of(row), 0);
  const geo = (of: (row: SessionRow) => number) => Math.exp(sum((row) => Math.log(of(row))) / rows.length);
  const base = sum((row) => row.naive);
  const [cost, bound] = [sum((row) => row.cost), sum((row) => row.costNoRedemption)];
  return {
    geo: rounded(geo((row) => row.ratio)),
    total: rounded(cost / base),
    geo_as_result: rounded(geo((row) => row.ratioAsResult)),
    total_as_result: rounded(sum((row) => row.costAsResult) / base),
    geo_no_redemption: rounded(geo((row) => row.ratioNoRedemption)),
    total_no_redemption: rounded(bound / base),
    cost: Math.round(cost),
    cost_no_redemption: Math.round(bound),
    round_trips: sum((row) => row.roundTrips),
    evidence_hidden: sum((row) => row.evidenceHidden),
    peak: rows.reduce((most, row) => Math.max(most, row.peak), 0),
    unrecoverable_bytes: sum((row) => row.unrecoverableBytes),
  };
}

const rounded = (ratio: number): number => Math.round(ratio * 10_000) / 10_000;
