/** The scorecard of some sessions: rows, pairs that were asked for, one verdict per contract. A projection of their metrics. Pure. */
import type { Figure, ScorecardPair, ScorecardRow, ScorecardView } from "../schema/scorecard";
import type { CallFacts } from "./callFacts";
import { addItems, type Items } from "./items";
import type { SessionMetrics } from "./metrics";
import { pairOf } from "./pairing";
import { NEAR_TURNS, type Reread } from "./rereads";
import { verdictsOn } from "./verdicts";

/** `pairs`: control and candidate as the asker names them; nothing is paired by likeness. */
export function scorecardOf(
  sessions: readonly SessionMetrics[],
  pairs: readonly (readonly [control: SessionMetrics, candidate: SessionMetrics])[] = [],
): ScorecardView {
  const rows = rowsOf(sessions);
  const paired = pairs.map(([control, candidate]) => pairOf(control, candidate));
  return {
    sessions: sessions.map(({ session }) => session),
    rows,
    pairs: paired,
    verdicts: verdictsOn(rows, paired),
    notes: [...notesOn(rows, paired), ...copiedNotes(sessions)],
  };
}

function notesOn(rows: readonly ScorecardRow[], pairs: readonly ScorecardPair[]): string[] {
  const isMeasured = pairs.some(({ refused }) => refused === null);
  return [
    ...(rows.length > 0 && !isMeasured
      ? [
          "Savings are not measured: that takes the same task with limits observed and enforced, named as control and candidate. Proposed counts are counterfactual.",
        ]
      : []),
    "No event says yet that evidence was missing: it counts as 0.",
  ];
}

const copiedNotes = (sessions: readonly SessionMetrics[]): string[] =>
  sessions.flatMap(({ session, copiedCalls }) =>
    copiedCalls === 0
      ? []
      : [
          `${session} is a fork: ${copiedCalls} ${copiedCalls === 1 ? "call" : "calls"} of the session that it was copied from are not counted again.`,
        ],
  );

type Keyed = { readonly session: SessionMetrics; readonly calls: CallFacts[] };

/** In the order of tool, contract, reason, mode and policy. */
export function rowsOf(sessions: readonly SessionMetrics[]): ScorecardRow[] {
  const groups = new Map<string, Keyed[]>();
  for (const session of sessions) {
    for (const facts of session.calls) {
      const { tool, contract, reason, mode, policy } = facts;
      const key = JSON.stringify([tool, contract, reason, mode, policy.sha256]);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      if (group.at(-1)?.session === session) group.at(-1)?.calls.push(facts);
      else group.push({ session, calls: [facts] });
    }
  }
  const index = new Map(sessions.map((session) => [session, indexOf(session)]));
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => rowOf(group, (session) => index.get(session) ?? indexOf(session)));
}

/** What later calls and the user made of each call. */
type Index = {
  readonly rereads: ReadonlyMap<string, SessionMetrics["rereads"]>;
  readonly marks: ReadonlyMap<string, SessionMetrics["marks"]>;
};

const indexOf = ({ rereads, marks }: SessionMetrics): Index => ({
  rereads: grouped(rereads, ({ of }) => of),
  marks: grouped(marks, ({ call }) => call),
});

function grouped<T>(list: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of list) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function rowOf(group: readonly Keyed[], indexIn: (session: SessionMetrics) => Index): ScorecardRow {
  const calls = group.flatMap((part) => part.calls);
  const [first] = calls;
  if (first === undefined) throw new Error("a row of a scorecard has calls");
  const later = group.flatMap(({ session, calls: own }) =>
    own.flatMap(({ call }) =>
      (indexIn(session).rereads.get(call) ?? []).map((reread) => ({ ...reread, in: session.session })),
    ),
  );
  const marks = group.flatMap(({ session, calls: own }) =>
    own.flatMap(({ call }) =>
      (indexIn(session).marks.get(call) ?? []).map((mark) => ({ session: session.session, ...mark })),
    ),
  );
  const { tool, contract, reason, mode, policy } = first;
  const named = (kinds: readonly string[]) =>
    later.filter(({ kind }) => kinds.includes(kind)).map((reread) => `${reread.in}/${reread.call}`);
  const isRefetch = ({ kind, turnsLater }: Reread) => kind === "read_back" || turnsLater <= NEAR_TURNS;
  return {
    tool,
    contract,
    reason,
    mode,
    policy: `${policy.name} ${policy.version}`,
    policySha256: policy.sha256,
    rulesSha256: policy.rules_sha256,
    calls: calls.length,
    decisions: decisionsIn(calls),
    requested: figure(
      "items",
      calls.map(({ counts }) => counts?.requested),
    ),
    effective: figure(
      "items",
      calls.map(({ counts }) => counts?.effective),
    ),
    proposed: figure(
      "items",
      calls.map(({ counts }) => counts?.proposed),
    ),
    returned: figure(
      "items",
      calls.map(({ items }) => items),
    ),
    response: figure(
      "bytes",
      calls.map(({ bytes }) => bytes),
    ),
    tokens: tokenFigures(calls),
    shown: figure(
      "bytes",
      calls.map(({ shownBytes }) => shownBytes),
    ),
    elapsed: figure(
      "ms",
      calls.map(({ elapsedMs }) => elapsedMs),
    ),
    continuations: named(["continued"]),
    refetches: later.filter(isRefetch).map((reread) => `${reread.in}/${reread.call}`),
    overrides: marks.filter(({ kind }) => kind === "override").length,
    marks,
  };
}

function decisionsIn(calls: readonly CallFacts[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { decision } of calls) counts[decision] = (counts[decision] ?? 0) + 1;
  return counts;
}

/** The sum of what is known, and of how many calls it is. */
function figure(unit: string, values: readonly (Items | null | undefined)[]): Figure {
  const known = values.filter((value) => value !== null && value !== undefined);
  return { value: known.reduce(addItems, 0), unit, calls: known.length };
}

/** Tokens of two estimators are two units (CONFORMANCE §0.10). */
function tokenFigures(calls: readonly CallFacts[]): Figure[] {
  const names = [...new Set(calls.flatMap(({ tokens }) => (tokens ? [tokens.estimator] : [])))].toSorted();
  return names.map((name) =>
    figure(
      `tokens (${name})`,
      calls.map(({ tokens }) => (tokens?.estimator === name ? tokens.estimated : null)),
    ),
  );
}
