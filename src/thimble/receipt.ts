/** The receipt of every call: a fold over clamped, authorised, executed, measured, projected, branched (CONFORMANCE §0.11, seed 003 §Decision and receipt schema). */

import type { EventOf, Fold, Logged } from "../schema/event";
import { unreachable } from "../schema/failure";
import type { Continuation, PolicyArtifact, PolicyIdentity } from "../schema/policy";
import type { Receipt } from "../schema/receipt";

/** The policy in force, with what receipts take from its contracts. */
type Policy = { readonly identity: PolicyIdentity; readonly kinds: Kinds };
/** How a contract's tool goes on, by the contract. */
type Kinds = ReadonlyMap<string, Continuation["kind"]>;

/** `items`: what the tool itself counted, until it is measured. */
type Entry = { readonly receipt: Receipt; readonly items: number | null };
type Shelf = ReadonlyMap<string, Entry>;

/** Receipts stand on shelves of a bounded size, newest last, so that one more event copies one shelf and not all. */
export type ReceiptState = { readonly policy: Policy | null; readonly shelves: readonly Shelf[] };

const SHELF = 32;

/**
 * Invariant: a call has one receipt with one decision, from its `clamped` event on; what comes later completes it. A
 * call that never started keeps its proposal, and `actual` stays null until something came back.
 */
export const receiptFold: Fold<ReceiptState> = {
  begin: () => ({ policy: null, shelves: [] }),
  reduce(state, event) {
    switch (event.type) {
      case "configured":
        return { ...state, policy: { identity: event.policyIdentity, kinds: kindsIn(event.policy) } };
      case "clamped":
        return state.policy === null ? state : added(state, event.call, entryFrom(event, state.policy));
      case "authorised":
        return changed(state, event.call, (entry) => authorised(entry, event));
      case "executed":
        return changed(state, event.call, (entry) => executed(entry, event));
      case "measured":
        return changed(state, event.call, (entry) => measured(entry, event));
      case "projected":
        return changed(state, event.call, (entry) => projected(entry, event));
      case "branched":
        return changed(state, event.call, (entry) => branched(entry, event));
      case "session_started":
      case "adopted":
      case "resumed":
      case "asked":
      case "requested":
      case "replied":
      case "redacted":
      case "tool_result_stored":
      case "remembered":
      case "redeemed":
      case "redemption_refused":
      case "repaired":
      case "aged":
      case "budgeted":
      case "media_replaced":
      case "covered":
      case "paged":
      case "gated":
      case "pinned":
      case "forgotten":
      case "overflowed":
      case "pruned":
      case "recovered":
      case "run_ended":
        return state; // nothing about a receipt
      default:
        return unreachable(event);
    }
  },
};

/** All receipts of a log, by call, in the order of the calls' proposals. */
export function receiptsFrom(events: Iterable<Logged>): Map<string, Receipt> {
  let state = receiptFold.begin();
  for (const event of events) state = receiptFold.reduce(state, event);
  return receiptsIn(state);
}

export const receiptsIn = ({ shelves }: ReceiptState): Map<string, Receipt> =>
  new Map(shelves.flatMap((shelf) => [...shelf].map(([call, { receipt }]) => [call, receipt] as const)));

export function receiptOf(state: ReceiptState, call: string): Receipt | undefined {
  return state.shelves.findLast((shelf) => shelf.has(call))?.get(call)?.receipt;
}

/** For whoever has taken the receipt of a call that is over: nothing completes it any more. */
export function withoutReceipt(state: ReceiptState, call: string): ReceiptState {
  const at = state.shelves.findLastIndex((shelf) => shelf.has(call));
  const shelf = state.shelves[at];
  if (shelf === undefined) return state;
  const left = new Map(shelf);
  left.delete(call);
  return {
    ...state,
    shelves: left.size === 0 ? state.shelves.toSpliced(at, 1) : state.shelves.with(at, left),
  };
}

function kindsIn({ contracts }: PolicyArtifact): Kinds {
  return new Map(
    contracts.flatMap((contract) =>
      contract.continuation === undefined ? [] : [[keyOf(contract), contract.continuation.kind] as const],
    ),
  );
}

const keyOf = ({ tool, argument, server }: NonNullable<Receipt["contract"]>): string =>
  JSON.stringify([tool, argument, server ?? null]);

function entryFrom(
  { tool, argumentsSource, proposal }: EventOf<"clamped">,
  { identity, kinds }: Policy,
): Entry {
  const kind = proposal.contract && kinds.get(keyOf(proposal.contract));
  return {
    items: null,
    receipt: {
      decision: proposal.decision,
      reason: proposal.reason,
      tool,
      original_args_sha256: proposal.originalSha256,
      effective_args_sha256: proposal.effectiveSha256,
      changes: proposal.changes,
      policy: {
        name: identity.name,
        version: identity.version,
        sha256: identity.sha256,
        rules_sha256: identity.rulesSha256,
      },
      model_round_trips: 0,
      actual: null,
      continuation: kind ? { kind, available: false } : null,
      contract: proposal.contract,
      mode: proposal.mode,
      exemption: proposal.exemption,
      proposed_changes: proposal.proposedChanges,
      arguments_source: argumentsSource,
      estimator: null,
    },
  };
}

function authorised(entry: Entry, { granted, reason }: EventOf<"authorised">): Entry {
  return granted ? entry : { ...entry, receipt: { ...entry.receipt, decision: "deny", reason } };
}

/** A result can be continued once there is one: the contract names how, and the tool did not fail. */
function executed({ receipt }: Entry, { outcome, code, items }: EventOf<"executed">): Entry {
  if (outcome === "failed") {
    return { items, receipt: { ...receipt, decision: "error", reason: code ?? "tool_failed" } };
  }
  if (outcome === "unknown") return { items, receipt }; // nobody knows whether there is more
  const continuation = receipt.continuation && { ...receipt.continuation, available: true };
  return { items, receipt: { ...receipt, continuation } };
}

/** Bytes are all that came back; tokens are estimated of the text alone. */
function measured(entry: Entry, event: EventOf<"measured">): Entry {
  const { items, tokensEstimated, estimator, mediaBytes = 0 } = event;
  const bytes = event.bytes + mediaBytes;
  const actual = { items: items ?? entry.items, bytes, tokens_estimated: tokensEstimated };
  return { ...entry, receipt: { ...entry.receipt, actual, estimator } };
}

function projected(entry: Entry, { exceeded, mode, reason }: EventOf<"projected">): Entry {
  const response = { ...exceeded, mode, projection: reason ?? ("projected" as const), branch: null };
  return { ...entry, receipt: { ...entry.receipt, response } };
}

/** A branch that ran is the call's decision, with what it cost, also where it failed. An observed one ran nothing. */
function branched(entry: Entry, event: EventOf<"branched">): Entry {
  const { receipt } = entry;
  if (receipt.response === undefined) return entry; // only what was judged is branched
  const { outcome, failure, model, requestSha256, usage, estimated, elapsedMs, citations, completeness } =
    event;
  const branch = {
    outcome,
    failure,
    model,
    request_sha256: requestSha256,
    input_tokens: usage?.inputTokens ?? null,
    output_tokens: usage?.outputTokens ?? null,
    tokens_estimated: estimated.inputTokens + estimated.outputTokens,
    estimator: estimated.estimator,
    elapsed_ms: elapsedMs,
    citations,
    completeness,
  };
  const response = { ...receipt.response, branch };
  if (outcome === "observed") return { ...entry, receipt: { ...receipt, response } };
  const decided = { decision: "branch" as const, reason: event.exceeded.dimension };
  return { ...entry, receipt: { ...receipt, ...decided, model_round_trips: event.modelCalls, response } };
}

function added(state: ReceiptState, call: string, entry: Entry): ReceiptState {
  const newest = state.shelves.at(-1);
  if (newest === undefined || newest.size >= SHELF) {
    return { ...state, shelves: [...state.shelves, new Map([[call, entry]])] };
  }
  return { ...state, shelves: state.shelves.with(-1, new Map(newest).set(call, entry)) };
}

function changed(state: ReceiptState, call: string, change: (entry: Entry) => Entry): ReceiptState {
  const at = state.shelves.findLastIndex((shelf) => shelf.has(call));
  const shelf = state.shelves[at];
  const entry = shelf?.get(call);
  if (shelf === undefined || entry === undefined) return state;
  return { ...state, shelves: state.shelves.with(at, new Map(shelf).set(call, change(entry))) };
}
