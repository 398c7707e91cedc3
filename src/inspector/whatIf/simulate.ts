/**
 * What if: one session under one policy and one price list. The rules:
 *
 * - Request k carries everything before reply k, behind a system and tools prefix of 12,000 tokens.
 * - It costs `read` × what the provider still has of the request before (the prefix and the items before the first one
 *   that differs, whole items only; nothing at the first request or after more than `ttlSeconds`) + `write` × the rest.
 * - A policy is asked once before each request, and changes how results are shown from then on.
 * - A hidden result is needed at request k if reply k has at least two tokens, or one line, whose every place in what
 *   was given or said before is in the hidden part of that one result (evidence.ts). Then the model asks for it first: one
 *   more request, of the same items, at what that costs, and 60 output tokens at 5 × input. What comes back is
 *   appended: the windows of 4096 code units, aligned, that have the first place of each such token and line and are not
 *   visible, or the whole result once more where it was not kept. It stays (`stays`, the rule of the published figures), or
 *   it is a result like any other, which the policy may hide again (`result`).
 * - With `none` nothing is asked for: a bound.
 */
import type { TokenCounter } from "../../schema/tokens";
import { Context, type SimulatedRequest, type Watch } from "./context";
import { finished, type Running } from "./running";
import type { Moment, Policy, Profile, Session } from "./types";

/** Whether what a reply needed and was hidden is read back, and whether that stays or is a result like any other. */
export type Redemption = "none" | "stays" | "result";

export type Simulated = {
  readonly cost: number;
  readonly requests: number;
  readonly roundTrips: number;
  /** Needed and hidden, one for each reply and result. */
  readonly evidenceHidden: number;
  readonly peak: number; // tokens of the largest request
  /** UTF-8 bytes of results that were shown once and are nowhere at the end. */
  readonly unrecoverableBytes: number;
  readonly perRequest: readonly SimulatedRequest[];
};

export type SimulationChoices = { readonly redemption: Redemption; readonly watch?: Watch };

export const simulate = (
  session: Session,
  policy: Policy,
  profile: Profile,
  tokens: TokenCounter,
  choices: SimulationChoices,
): Simulated => finished(simulating(session, policy, profile, tokens, choices));

/** The same, a request of the session at a time. */
export function* simulating(
  session: Session,
  policy: Policy,
  profile: Profile,
  tokens: TokenCounter,
  { redemption, watch }: SimulationChoices,
): Running<Simulated> {
  const context = new Context(session, profile, tokens, watch);
  const ask = policy.open(tokens, profile);
  let evidenceHidden = 0;
  for (const [n, { items, idleSeconds, evidence, prefixTokens }] of session.requests.entries()) {
    if (prefixTokens !== undefined) context.prefixTokens = prefixTokens;
    context.append(items);
    const moment = momentOf(context, n + 1, idleSeconds);
    for (const { at, shown } of ask(context.items, moment)) context.change(at, shown);
    const needed = evidence.filter((one) => context.hiddenOf(one).length > 0);
    evidenceHidden += needed.length;
    let idle = idleSeconds;
    if (redemption !== "none") {
      for (const one of needed) {
        context.send(idle, true);
        context.readBack(one, n, redemption === "stays");
        idle = 0;
      }
    }
    context.send(idle, false);
    yield;
  }
  return figuresOf(context, evidenceHidden);
}

const momentOf = (
  { inputTokens, wholeTokens, prefixTokens }: Context,
  request: number,
  idleSeconds: number,
): Moment => ({ request, idleSeconds, inputTokens, wholeTokens, prefixTokens });

function figuresOf(context: Context, evidenceHidden: number): Simulated {
  const { perRequest } = context;
  return {
    cost: perRequest.reduce((sum, { cost }) => sum + cost, 0),
    requests: perRequest.length,
    roundTrips: perRequest.filter(({ isAsking }) => isAsking).length,
    evidenceHidden,
    peak: perRequest.reduce((most, one) => Math.max(most, one.tokens), 0),
    unrecoverableBytes: context.unrecoverableBytes(),
    perRequest,
  };
}
