/**
 * What a review of result limits looks at (seed 003 §Operator modes: observe first per contract, then enforce after
 * false-clamp review): for each contract what it would have lowered, what it did lower, and what speaks against it. Pure.
 */
import type { Hash } from "../schema/claim";
import type { EventOf, Logged } from "../schema/event";
import type { ContractCheck } from "../schema/policy";
import { addItems, type Items } from "./items";
import { metricsFrom } from "./metrics";

/** Counts are of items as calls asked for them: a counterfactual, never a saving. */
export type ReviewRow = {
  readonly check: ContractCheck; // of the latest session that has the contract
  readonly sessions: number;
  readonly calls: number; // that the contract spoke for
  readonly proposed: number; // observed: would have been lowered
  readonly lowered: number;
  readonly requested: Items; // of the calls that were, or would have been, lowered
  readonly effective: Items; // what enforcing sends, or would have sent, instead
  readonly marks: readonly string[]; // false clamps: what was asked for again, or overridden
};

type Draft = { -readonly [K in keyof ReviewRow]: ReviewRow[K] } & { marks: string[] };

/** Contracts that spoke for a call, or may; the ones with most to review first. `logs`: one per session, newest first. */
export function reviewFrom(logs: readonly (readonly Logged[])[], hash: Hash): ReviewRow[] {
  const rows = new Map<string, Draft>();
  for (const events of logs) addSession(rows, events, hash);
  return [...rows.values()].sort(
    (a, b) => b.proposed + b.lowered - (a.proposed + a.lowered) || (a.check.tool < b.check.tool ? -1 : 1),
  );
}

function addSession(rows: Map<string, Draft>, events: readonly Logged[], hash: Hash): void {
  const configured = events.findLast(
    (event): event is Logged & EventOf<"configured"> => event.type === "configured",
  );
  const acting = (configured?.contractChecks ?? []).filter(
    ({ result }) => result === "usable" || result === "observe_only",
  );
  if (acting.length === 0) return;
  const { calls, marks } = metricsFrom(events, hash);
  for (const check of acting) {
    const own = calls.filter(({ tool, contract }) => tool === check.tool && contract === check.argument);
    const row = rows.get(check.id) ?? emptyRow(check);
    rows.set(check.id, row);
    row.sessions++;
    row.calls += own.length;
    for (const { call, counts, isLowered, reason } of own) {
      if (!isLowered && reason !== "observe_only") continue;
      if (isLowered) row.lowered++;
      else row.proposed++;
      if (counts) {
        row.requested = addItems(row.requested, counts.requested);
        row.effective = addItems(row.effective, isLowered ? counts.effective : counts.proposed);
      }
      for (const mark of marks) if (mark.call === call) row.marks.push(`${mark.kind} by ${mark.by}`);
    }
  }
}

const emptyRow = (check: ContractCheck): Draft => ({
  ...{ check, sessions: 0, calls: 0, proposed: 0, lowered: 0 },
  ...{ requested: 0, effective: 0, marks: [] },
});
