/** Counts of items, added up exactly: a model may ask for 2^63 - 1 of them. Pure. */
import type { Proposal } from "../schema/policy";
import { countAt } from "./decide";
import type { LoadedPolicy, ReadyContract } from "./policy";
import { scan } from "./scan";

/** A whole number; a decimal string above 2^53 - 1, where a JSON number would be rounded. */
export type Items = number | string;

export const addItems = (a: Items, b: Items): Items => {
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a + b)) return a + b;
  const sum = BigInt(a) + BigInt(b);
  return Number.isSafeInteger(Number(sum)) ? Number(sum) : String(sum);
};

/** Counts of one call: asked for, sent to the tool, and what enforcing would have sent. */
export type CallCounts = { readonly requested: Items; readonly effective: Items; readonly proposed: Items };

/**
 * The counts behind a decision. Null where no contract speaks for the call, or its argument is no integer. Contract:
 * `proposal` was decided with `policy` on `argumentsText`.
 */
export function countsOf(proposal: Proposal, argumentsText: string, policy: LoadedPolicy): CallCounts | null {
  const ready = contractOf(proposal, policy);
  if (ready === null) return null;
  const named = ({ path }: { path: string }) => ready.pointers.includes(path);
  const applied = proposal.changes.find(named);
  if (applied) return { requested: applied.from, effective: applied.to, proposed: applied.to };
  const observed = proposal.proposedChanges.find(named);
  if (observed) return { requested: observed.from, effective: observed.from, proposed: observed.to };
  const count = requestedIn(argumentsText, ready);
  return count === null ? null : { requested: count, effective: count, proposed: count };
}

/** The contract that spoke for a call. */
export function contractOf({ contract }: Proposal, policy: LoadedPolicy): ReadyContract | null {
  if (contract === null) return null;
  const named = policy.contracts.get(contract.tool) ?? [];
  return named.find((ready) => ready.contract.argument === contract.argument) ?? null;
}

function requestedIn(text: string, ready: ReadyContract): Items | null {
  const scanned = scan(text, ready.paths.slice(0, ready.pointers.length));
  if (scanned.kind === "invalid") return null;
  const found = scanned.found.find(({ kind }) => kind !== "missing");
  const exact = found?.kind === "token" ? countAt(text, found.token)?.exact : undefined;
  return exact === undefined || !/^\d+$/.test(String(exact)) ? null : exact; // fewer than none adds up to nothing
}
