/**
 * Metrics of a session (seed 003 §Metrics): a fold over its log, linear in its length and the same for the same log.
 * Everything is a fact with its calls named; nothing is extrapolated, and no saving is stated. Pure.
 */
import type { Hash } from "../schema/claim";
import type { EventOf, Logged } from "../schema/event";
import { type CallFacts, callFactsFrom } from "./callFacts";
import { type Override, overridesFrom } from "./overrides";
import { ownFrom } from "./ownEvents";
import { NEAR_TURNS, type Reread, rereadsFrom } from "./rereads";

/** What speaks against one clamp: more was asked for within three turns, or the user went against it. `by`: a call or an event. */
export type FalseClampMark = {
  readonly call: string;
  readonly kind: Reread["kind"] | "override" | "missing_evidence";
  readonly by: string;
};

/** `cachedReplies`: how many of the replies said how many of their input tokens were cached. */
export type Reported = {
  readonly replies: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReplies: number;
  readonly cachedTokens: number;
};

export type SessionMetrics = {
  readonly session: string;
  readonly asked: string; // the first question
  readonly model: string;
  readonly calls: readonly CallFacts[]; // its own
  readonly copiedCalls: number; // of the session that it was forked from
  readonly rereads: readonly Reread[];
  readonly overrides: readonly Override[];
  readonly marks: readonly FalseClampMark[];
  readonly runs: Readonly<Record<EventOf<"run_ended">["end"], number>>;
  readonly requests: { readonly count: number; readonly bytes: number };
  readonly reported: Reported;
};

/** Contract: `events` are one session's, from its beginning. What a fork has copied happened once, in the other session. */
export function metricsFrom(events: readonly Logged[], hash: Hash): SessionMetrics {
  const own = ownFrom(events);
  const copied = copiedCalls(events.slice(0, own));
  const isOwn = ({ call }: { readonly call: string }) => !copied.has(call);
  const all = callFactsFrom(events, hash);
  const rereads = rereadsFrom(events, all);
  const overrides = overridesFrom(events, all).filter(({ event }) => event >= own);
  const calls = all.filter(isOwn);
  return {
    ...totalsFrom(events, own),
    calls,
    copiedCalls: all.length - calls.length,
    rereads: rereads.filter(isOwn),
    overrides,
    marks: marksOf(calls, rereads, overrides),
  };
}

const copiedCalls = (events: readonly Logged[]): ReadonlySet<string> =>
  new Set(events.flatMap((event) => (event.type === "replied" ? event.calls.map(({ call }) => call) : [])));

/** In the order of the calls that are marked. No event says yet that evidence was missing: there are none of that kind. */
function marksOf(
  calls: readonly CallFacts[],
  rereads: readonly Reread[],
  overrides: readonly Override[],
): FalseClampMark[] {
  const marks = new Map<string, FalseClampMark[]>();
  const lowered = new Map(calls.flatMap((facts) => (facts.isLowered ? [[facts.call, facts] as const] : [])));
  const turns = new Map(calls.map(({ call, turn }) => [call, turn]));
  const mark = (call: string, kind: FalseClampMark["kind"], by: string) => {
    const ofCall = marks.get(call);
    if (ofCall === undefined) marks.set(call, [{ call, kind, by }]);
    else ofCall.push({ call, kind, by });
  };
  for (const { call, of, kind, causedBy } of rereads) {
    const clamp = lowered.get(causedBy ?? of);
    if (clamp && (turns.get(call) ?? 0) - clamp.turn <= NEAR_TURNS) mark(clamp.call, kind, call);
  }
  for (const { event, calls: meant } of overrides)
    for (const call of meant) mark(call, "override", `event ${event}`);
  return calls.flatMap(({ call }) => marks.get(call) ?? []);
}

/** `own`: where what happened in this session begins; what it is about may stand before. */
function totalsFrom(events: readonly Logged[], own: number) {
  const said = { session: "", asked: "", model: "" };
  const runs = { answered: 0, stopped: 0, failed: 0, turn_limit: 0 };
  const requests = { count: 0, bytes: 0 };
  const reported = { replies: 0, inputTokens: 0, outputTokens: 0, cachedReplies: 0, cachedTokens: 0 };
  for (const event of events) {
    if (event.type === "session_started") said.session = event.session;
    else if (event.type === "configured") said.model ||= event.model.id;
    else if (event.type === "asked") said.asked ||= event.text;
    else if (event.n < own) continue;
    else if (event.type === "run_ended") runs[event.end]++;
    else if (event.type === "requested") {
      requests.count++;
      requests.bytes += event.bytes + (event.imageBytes ?? 0);
    } else if (event.type === "replied" && event.usage !== null) {
      const { inputTokens, outputTokens, cachedTokens } = event.usage;
      reported.replies++;
      reported.inputTokens += inputTokens;
      reported.outputTokens += outputTokens;
      if (cachedTokens === null) continue;
      reported.cachedReplies++;
      reported.cachedTokens += cachedTokens;
    }
  }
  return { ...said, runs, requests, reported };
}
