/** One task run twice, with limits observed (control) and enforced (candidate): what was measured on both sides, in the same units. Pure. */
import type { NetFigure, PairedContract, ScorecardPair } from "../schema/scorecard";
import { type CallFacts, rulesOf } from "./callFacts";
import type { SessionMetrics } from "./metrics";

export function pairOf(control: SessionMetrics, candidate: SessionMetrics): ScorecardPair {
  const refused = refusalOf(control, candidate);
  return {
    control: control.session,
    candidate: candidate.session,
    refused,
    contracts: refused === null ? contractsIn(control, candidate) : [],
    session: refused === null ? sessionFigures(control, candidate) : [],
    success: { control: successOf(control), candidate: successOf(candidate) },
    notes: notesOn(control, candidate),
  };
}

/** Only calls that a contract spoke for are compared; those must have been observed here and enforced there. */
function refusalOf(control: SessionMetrics, candidate: SessionMetrics): string | null {
  const ofControl = control.calls.filter(({ contract }) => contract !== null);
  const ofCandidate = candidate.calls.filter(({ contract }) => contract !== null);
  if (control.session === candidate.session) return "control and candidate are the same session";
  if (ofControl.length === 0 || ofCandidate.length === 0)
    return "one of the two has no call that a contract speaks for";
  if (control.calls.some(({ isLowered, mode }) => isLowered || mode === "enforce"))
    return "the control has calls under enforce: it must only observe";
  if (ofControl.every(({ mode }) => mode !== "observe")) return "the control observed nothing";
  if (candidate.calls.every(({ mode }) => mode !== "enforce")) return "the candidate enforced nothing";
  const rules = new Set([...ofControl, ...ofCandidate].map(rulesOf));
  return rules.size > 1 ? "the two ran under different rules (rules_sha256)" : null;
}

function notesOn(control: SessionMetrics, candidate: SessionMetrics): string[] {
  return [
    ...(control.asked === candidate.asked ? [] : ["The two were asked different questions."]),
    ...(control.model === candidate.model
      ? []
      : [`The two used different models: ${control.model}, ${candidate.model}.`]),
    ...(isCacheKnown(control) && isCacheKnown(candidate)
      ? []
      : ["Cache cost is not measured: not every reply of both sessions reports cached tokens."]),
  ];
}

const successOf = ({ runs }: SessionMetrics) => ({
  answered: runs.answered,
  runs: runs.answered + runs.stopped + runs.failed + runs.turn_limit,
});

function contractsIn(control: SessionMetrics, candidate: SessionMetrics): PairedContract[] {
  const subjects = new Map<string, CallFacts>();
  for (const facts of [...control.calls, ...candidate.calls])
    if (facts.contract !== null) subjects.set(JSON.stringify([facts.tool, facts.contract]), facts);
  return [...subjects]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, facts]) => {
      const isOf = (other: CallFacts) => other.tool === facts.tool && other.contract === facts.contract;
      const before = sideOf(control, isOf);
      const after = sideOf(candidate, isOf);
      const lowered = new Set(after.own.filter(({ isLowered }) => isLowered).map(({ call }) => call));
      return {
        tool: facts.tool,
        contract: facts.contract,
        rulesSha256: rulesOf(facts),
        lowered: lowered.size,
        proposed: before.own.filter(({ reason }) => reason === "observe_only").length,
        figures: figuresOf(before, after),
        marks: candidate.marks
          .filter(({ call }) => lowered.has(call))
          .map((mark) => ({ session: candidate.session, ...mark })),
      };
    });
}

/** `own`: calls of the contract that are no re-reads of a clamp; `readBacks`: of stored results of it; `rereads`: caused by its clamps. */
type Side = {
  readonly own: readonly CallFacts[];
  readonly readBacks: readonly CallFacts[];
  readonly rereads: readonly CallFacts[];
};

function sideOf({ calls, rereads }: SessionMetrics, isOf: (facts: CallFacts) => boolean): Side {
  const byCall = new Map(calls.map((facts) => [facts.call, facts]));
  const caused = new Set(rereads.flatMap(({ call, causedBy }) => (causedBy === null ? [] : [call])));
  const readOf = new Map(
    rereads.flatMap(({ call, of, kind }) => (kind === "read_back" ? [[call, of] as const] : [])),
  );
  const isReadBack = (facts: CallFacts) => {
    const of = byCall.get(readOf.get(facts.call) ?? "");
    return of !== undefined && isOf(of);
  };
  return {
    own: calls.filter((facts) => isOf(facts) && !caused.has(facts.call)),
    readBacks: calls.filter(isReadBack),
    rereads: calls.filter((facts) => isOf(facts) && caused.has(facts.call)),
  };
}

type Measure = (facts: CallFacts) => number | null;

/** None where a call of either side was refused, failed or has not come back: what is missing there is no saving. */
function figuresOf(control: Side, candidate: Side): NetFigure[] {
  const all = [control, candidate].flatMap((side) => [...side.own, ...side.readBacks, ...side.rereads]);
  const isWhole = ({ decision, bytes, shownBytes }: CallFacts) =>
    (decision === "pass" || decision === "clamp") && bytes !== null && shownBytes !== null;
  if (!all.every(isWhole)) return [];
  const estimators = new Set(all.flatMap(({ tokens }) => (tokens ? [tokens.estimator] : [])));
  const figures = [net("response", "bytes", control, candidate, ({ bytes }) => bytes)];
  const [estimator] = estimators;
  if (estimators.size === 1)
    figures.push(
      net(
        "response",
        `tokens (${estimator})`,
        control,
        candidate,
        ({ tokens }) => tokens?.estimated ?? null,
        ({ branch }) => branch?.tokens ?? 0,
      ),
    );
  figures.push(net("shown", "bytes", control, candidate, ({ shownBytes }) => shownBytes));
  return figures;
}

/** `branchOf`: what a call's micro-context branch took, in the same unit. */
function net(
  of: NetFigure["of"],
  unit: string,
  control: Side,
  candidate: Side,
  measure: Measure,
  branchOf: (facts: CallFacts) => number = () => 0,
): NetFigure {
  const sum = (calls: readonly CallFacts[]) =>
    calls.reduce((total, facts) => total + (measure(facts) ?? 0), 0);
  const count = (calls: readonly CallFacts[]) => calls.filter((facts) => measure(facts) !== null).length;
  const before = [...control.own, ...control.readBacks, ...control.rereads];
  const after = [...candidate.own, ...candidate.readBacks];
  const branches = (calls: readonly CallFacts[]) =>
    calls.reduce((total, facts) => total + branchOf(facts), 0);
  const took = branches([...after, ...candidate.rereads]);
  const values = [sum(before) + branches(before), sum(after), sum(candidate.rereads), took] as const;
  return netFigure(of, unit, values, {
    control: count(before),
    candidate: count(after),
    rereads: count(candidate.rereads),
  });
}

const netFigure = (
  of: NetFigure["of"],
  unit: string,
  [control, candidate, rereads, branch]: readonly [number, number, number, number],
  calls: NetFigure["calls"],
): NetFigure => ({
  of,
  unit,
  control,
  candidate,
  rereads,
  branch,
  net: control - candidate - rereads - branch,
  calls,
});

/** Whole sessions: a clamp that costs another turn sends the whole conversation once more. */
function sessionFigures(control: SessionMetrics, candidate: SessionMetrics): NetFigure[] {
  const both = (
    of: NetFigure["of"],
    unit: string,
    value: (side: SessionMetrics) => number,
    n: (side: SessionMetrics) => number,
    branchOf: (side: SessionMetrics) => number = () => 0,
  ) =>
    netFigure(of, unit, [value(control) + branchOf(control), value(candidate), 0, branchOf(candidate)], {
      control: n(control),
      candidate: n(candidate),
      rereads: 0,
    });
  const figures = [
    both(
      "requests",
      "bytes of messages sent",
      ({ requests }) => requests.bytes,
      ({ requests }) => requests.count,
    ),
  ];
  const isReported = (side: SessionMetrics) =>
    side.reported.replies > 0 &&
    side.reported.replies === side.requests.count &&
    side.calls.every(({ branch }) => branch === null || branch.reportedInput !== null);
  if (isReported(control) && isReported(candidate))
    figures.push(
      both(
        "input",
        "input tokens (reported)",
        ({ reported }) => reported.inputTokens,
        ({ reported }) => reported.replies,
        branchInput,
      ),
    );
  if (isCacheKnown(control) && isCacheKnown(candidate))
    figures.push(
      both(
        "input",
        "uncached input tokens (reported)",
        ({ reported }) => Math.max(0, reported.inputTokens - reported.cachedTokens),
        ({ reported }) => reported.cachedReplies,
      ),
    );
  return figures;
}

const branchInput = ({ calls }: SessionMetrics): number =>
  calls.reduce((sum, { branch }) => sum + (branch?.reportedInput ?? 0), 0);

const isCacheKnown = ({ reported, requests }: SessionMetrics): boolean =>
  reported.cachedReplies > 0 && reported.cachedReplies === requests.count;
