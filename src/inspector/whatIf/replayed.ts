/** What if: a session under one way of sending it, with what its requests carried and what was done to results. */
import type { TokenCounter } from "../../schema/tokens";
import { ChangeCount, type Changes } from "./changes";
import type { SimulatedRequest } from "./context";
import { type Carried, type Fill, fillsOf, sizesOf, type Window } from "./fills";
import type { Running } from "./running";
import { type Simulated, simulating } from "./simulate";
import type { Item, Policy, Profile, Session } from "./types";

/** All requests of a session under one way of sending it. */
export type Sent = {
  readonly requests: number;
  readonly tokens: number; // of all requests together
  readonly cost: number;
  readonly peakTokens: number;
};

export const SENDING_EVERYTHING: Policy = { name: "everything", open: () => () => [] };

export type Replayed = {
  readonly simulated: Simulated;
  readonly sent: Sent;
  readonly largest: Window | null;
  readonly last: Window | null;
  readonly sizes: readonly number[]; // of the session's items, in the last request that has them
  readonly changes: Changes;
};

/** `before`: what stands before the items of each request of the session. A request of the session at a time. */
export function* replaying(
  session: Session,
  policy: Policy,
  profile: Profile,
  tokens: TokenCounter,
  before: readonly (readonly Fill[])[],
): Running<Replayed> {
  const counted = new ChangeCount(tokens);
  let requests = 0;
  let largest: Carried | null = null;
  let last: Carried | null = null;
  const total = session.requests.length;
  let own = 0; // requests of the session so far
  const watch = (request: SimulatedRequest, items: readonly Item[], sizes: readonly number[]) => {
    requests++;
    if (!request.isAsking) own++;
    const isLast = own === total && !request.isAsking;
    const isLargest = largest === null || request.tokens > largest.tokens;
    if (!isLast && !isLargest) return;
    const carried = {
      request: requests,
      before: before[request.isAsking ? own : own - 1] ?? [],
      tokens: request.tokens,
      items: items.length,
      sizes: sizes.slice(),
      all: items,
    };
    if (isLargest) largest = carried;
    if (isLast) last = carried;
  };
  const simulated = yield* simulating(session, counted.around(policy), profile, tokens, {
    redemption: "stays",
    watch,
  });
  const windowOf = (carried: Carried | null): Window | null =>
    carried && {
      request: carried.request,
      tokens: carried.tokens,
      fills: [...carried.before, ...fillsOf(carried)],
    };
  return {
    simulated,
    sent: {
      requests: simulated.requests,
      tokens: simulated.perRequest.reduce((sum, request) => sum + request.tokens, 0),
      cost: Math.round(simulated.cost),
      peakTokens: simulated.peak,
    },
    largest: windowOf(largest),
    last: windowOf(last),
    sizes: sizesOf(last),
    changes: counted.figures,
  };
}
