/** One line per contract: promote, keep observing or demote. Only what was measured in the same unit on both sides promotes (seed 003 §Metrics). Pure. */
import type { NetFigure, PairedContract, ScorecardPair, ScorecardRow, Verdict } from "../schema/scorecard";
import { addItems } from "./items";

type Said = Pick<Verdict, "verdict" | "reason" | "measured">;
type Measured = { readonly pair: ScorecardPair; readonly contract: PairedContract };

/** Contracts under other rules are other contracts. */
export function verdictsOn(rows: readonly ScorecardRow[], pairs: readonly ScorecardPair[]): Verdict[] {
  const subjects = new Map<string, ScorecardRow[]>();
  for (const row of rows) {
    if (row.contract === null) continue;
    const key = JSON.stringify([row.tool, row.contract, row.rulesSha256]);
    subjects.set(key, [...(subjects.get(key) ?? []), row]);
  }
  return [...subjects.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const { tool, contract, rulesSha256 } = first;
    const measured = pairs.flatMap((pair) =>
      pair.contracts
        .filter((c) => c.tool === tool && c.contract === contract && c.rulesSha256 === rulesSha256)
        .map((c) => ({ pair, contract: c })),
    );
    return [
      { tool, contract, rulesSha256, counterfactual: counterfactualIn(own), ...judged(own, measured, pairs) },
    ];
  });
}

/** Calls that were observed, and what enforcing would have sent of what they asked for: counts, never bytes. */
function counterfactualIn(rows: readonly ScorecardRow[]): Verdict["counterfactual"] {
  const observed = rows.filter(({ reason }) => reason === "observe_only");
  return observed.reduce(
    (sum, { calls, requested, proposed }) => ({
      calls: sum.calls + calls,
      requested: addItems(sum.requested, requested.value),
      proposed: addItems(sum.proposed, proposed.value),
    }),
    { calls: 0, requested: 0, proposed: 0 } as Verdict["counterfactual"],
  );
}

function judged(
  rows: readonly ScorecardRow[],
  measured: readonly Measured[],
  pairs: readonly ScorecardPair[],
): Said {
  const against = rows
    .flatMap(({ marks }) => marks)
    .filter(({ kind }) => kind === "override" || kind === "missing_evidence");
  if (against.length > 0) {
    const calls = [...new Set(against.map(({ session, call }) => `${session}/${call}`))];
    return {
      verdict: "demote",
      reason: `the user went against it: ${calls.join(", ")}`,
      measured: measured.length > 0,
    };
  }
  const lowered = measured.filter(({ contract }) => contract.lowered > 0);
  if (lowered.length === 0)
    return { verdict: "keep observing", reason: `not measured: ${whyNot(measured, pairs)}`, measured: false };
  if (lowered.some(({ contract }) => contract.figures.length === 0)) {
    const reason = "not measured: not every call of both sides came back";
    return { verdict: "keep observing", reason, measured: false };
  }
  if (lowered.some(({ pair: { success } }) => success.control.runs === 0 || success.candidate.runs === 0))
    return {
      verdict: "keep observing",
      reason: "it is not known whether the task succeeded",
      measured: true,
    };
  const worse = lowered.find(
    ({ pair: { success } }) => shareOf(success.candidate) < shareOf(success.control),
  );
  if (worse !== undefined) {
    const { control, candidate } = worse.pair.success;
    const reason = `runs answered fell from ${control.answered} of ${control.runs} to ${candidate.answered} of ${candidate.runs}`;
    return { verdict: "demote", reason, measured: true };
  }
  return onFigures(lowered);
}

const shareOf = ({ answered, runs }: { answered: number; runs: number }): number =>
  runs === 0 ? 1 : answered / runs;

function whyNot(measured: readonly Measured[], pairs: readonly ScorecardPair[]): string {
  if (measured.length > 0) return "nothing was lowered in the candidate";
  const refused = pairs.find((pair) => pair.refused !== null);
  if (refused) return `the pair was refused, ${refused.refused}`;
  return pairs.length > 0 ? "no pair has it" : "no control and candidate were named";
}

/** Every unit that was measured counts by itself: bytes that were saved do not pay for tokens that were not. */
function onFigures(measured: readonly Measured[]): Said {
  const figures = new Map<string, NetFigure[]>();
  for (const { pair, contract } of measured)
    for (const figure of [...contract.figures, ...pair.session]) {
      const key = `${wordOf(figure)} ${figure.unit}`.trim();
      figures.set(key, [...(figures.get(key) ?? []), figure]);
    }
  const nets = [...figures].map(([unit, list]) => ({
    unit,
    net: list.reduce((sum, { net }) => sum + net, 0),
  }));
  const pairs = new Set(measured.map(({ pair }) => pair)).size;
  const of = `${pairs} ${pairs === 1 ? "pair" : "pairs"}`;
  const told = nets.map(({ unit, net }) => `${net > 0 ? "+" : ""}${net} ${unit}`).join(", ");
  const reason = `net of re-reads, ${of}: ${told}`;
  if (nets.every(({ net }) => net > 0)) return { verdict: "promote", reason, measured: true };
  const verdict = nets.every(({ net }) => net <= 0) ? "demote" : "keep observing";
  return { verdict, reason, measured: true };
}

const wordOf = ({ of }: NetFigure): string => (of === "response" || of === "shown" ? of : "");
