/** What another policy would have decided of a session's calls. Decisions only: what would have come back is not known. Pure. */
import type { Logged } from "../schema/event";
import type { Proposal } from "../schema/policy";
import { decide } from "./decide";
import { addItems, countsOf, type Items } from "./items";
import type { LoadedPolicy } from "./policy";
import { type ReplayPorts, recordedCalls } from "./replay";

/** `counted` calls name a count; `requested` and `effective` are their sums, in items. */
export type Tally = {
  readonly calls: number;
  readonly counted: number;
  readonly requested: Items;
  readonly effective: Items;
};

/** One contract and reason: what was recorded under it, and what the other policy would have put there. */
export type CounterfactualRow = {
  readonly tool: string;
  readonly contract: string | null; // pointer of the argument; null: no contract spoke
  readonly reason: Proposal["reason"];
  readonly recorded: Tally;
  readonly would: Tally;
  readonly otherArguments: number; // calls of `would` that would have run with other arguments than they did
};

export type Counterfactual = {
  readonly policy: LoadedPolicy["identity"];
  readonly calls: number;
  readonly otherArguments: number;
  readonly rows: readonly CounterfactualRow[]; // by tool, contract and reason
};

const NONE: Tally = { calls: 0, counted: 0, requested: 0, effective: 0 };

/** Mode and intent stay as recorded. Calls that the log cannot replay are left out. */
export function counterfactualOf(
  events: Iterable<Logged>,
  policy: LoadedPolicy,
  ports: ReplayPorts,
): Counterfactual {
  const rows = new Map<string, CounterfactualRow>();
  let calls = 0;
  let otherArguments = 0;
  for (const found of recordedCalls(events, ports)) {
    if (found.kind !== "call") continue;
    const { question, event, policy: pinned } = found.call;
    const text = question.argumentsText;
    const { proposal, effectiveArguments } = decide(question, policy, ports.hash);
    const before = decide(question, pinned, ports.hash).effectiveArguments; // on the same kept bytes
    const isOther = (effectiveArguments ?? text) !== (before ?? text);
    calls++;
    if (isOther) otherArguments++;
    change(rows, event.tool, event.proposal, (row) => ({
      ...row,
      recorded: tallied(row.recorded, event.proposal, text, pinned),
    }));
    change(rows, event.tool, proposal, (row) => ({
      ...row,
      would: tallied(row.would, proposal, text, policy),
      otherArguments: row.otherArguments + (isOther ? 1 : 0),
    }));
  }
  const inOrder = [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  return { policy: policy.identity, calls, otherArguments, rows: inOrder };
}

function tallied(tally: Tally, proposal: Proposal, text: string, policy: LoadedPolicy): Tally {
  const counts = countsOf(proposal, text, policy);
  if (counts === null) return { ...tally, calls: tally.calls + 1 };
  return {
    calls: tally.calls + 1,
    counted: tally.counted + 1,
    requested: addItems(tally.requested, counts.requested),
    effective: addItems(tally.effective, counts.effective),
  };
}

function change(
  rows: Map<string, CounterfactualRow>,
  tool: string,
  { contract, reason }: Proposal,
  to: (row: CounterfactualRow) => CounterfactualRow,
): void {
  const argument = contract?.argument ?? null;
  const key = JSON.stringify([tool, argument, reason]);
  const fresh = { tool, contract: argument, reason, recorded: NONE, would: NONE, otherArguments: 0 };
  rows.set(key, to(rows.get(key) ?? fresh));
}
