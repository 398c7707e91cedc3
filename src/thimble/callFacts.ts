/** What the log says of each call's limits: asked for, sent, decided, come back, shown. Measured or recorded, never estimated unless named so. Pure. */
import type { Digest, Hash } from "../schema/claim";
import type { EventOf, Logged } from "../schema/event";
import type { DecisionReason, LimitMode } from "../schema/policy";
import type { Receipt } from "../schema/receipt";
import { byteLength } from "../schema/text";
import { callIdentityOf } from "./callIdentity";
import { type CallCounts, countsOf } from "./items";
import { type LoadedPolicy, policyFrom } from "./policy";
import { receiptsFrom } from "./receipt";

export type CallFacts = {
  readonly call: string;
  readonly turn: number;
  readonly tool: string;
  readonly contract: string | null; // pointer of its argument
  readonly decision: Receipt["decision"];
  readonly reason: DecisionReason; // Thimble's own, also of a call that was denied or failed
  readonly mode: LimitMode;
  readonly exemption: string | null;
  readonly policy: Receipt["policy"];
  readonly isLowered: boolean; // ran, or would have run, with a smaller count by an applied change
  readonly counts: CallCounts | null;
  readonly identity: string;
  readonly position: string; // "" = the start of the list
  readonly items: number | null;
  readonly bytes: number | null; // of what the tool returned; null until something came back
  readonly tokens: { readonly estimated: number; readonly estimator: string } | null;
  /** What a micro-context branch took: both ways as estimated, input alone as the model reports it. Null where none asked a model. */
  readonly branch: { readonly tokens: number; readonly reportedInput: number | null } | null;
  readonly elapsedMs: number | null; // of the tool
  readonly shownBytes: number | null; // of what entered the conversation for it, disclosure included
};

type Facts = { -readonly [Key in keyof CallFacts]: CallFacts[Key] };
type Asked = { readonly argumentsText: string; readonly turn: number };

/** In the order of the decisions. A call that a log has decided twice counts as it was decided first. */
export function callFactsFrom(events: readonly Logged[], hash: Hash): CallFacts[] {
  const receipts = receiptsFrom(events);
  const asked = new Map<string, Asked>();
  const facts = new Map<string, Facts>();
  let policy: LoadedPolicy | null = null;
  for (const event of events) {
    if (event.type === "configured") policy = policyFrom(event.policy, hash);
    else if (event.type === "replied") {
      for (const call of event.calls)
        asked.set(call.call, { argumentsText: call.arguments, turn: event.turn });
    } else if (event.type === "clamped") {
      const receipt = receipts.get(event.call);
      const from = asked.get(event.call);
      if (receipt && from && policy && !facts.has(event.call))
        facts.set(event.call, begun(event, receipt, from, policy, hash));
    } else if (event.type === "executed") {
      const call = facts.get(event.call);
      if (call) call.elapsedMs = event.elapsedMs;
    } else if (event.type === "branched" && event.modelCalls > 0) {
      const call = facts.get(event.call);
      const { inputTokens, outputTokens } = event.estimated;
      if (call)
        call.branch = { tokens: inputTokens + outputTokens, reportedInput: event.usage?.inputTokens ?? null };
    } else if (event.type === "remembered") {
      const call = facts.get(event.call);
      if (call) call.shownBytes = byteLength(event.text);
    }
  }
  return [...facts.values()];
}

function begun(
  { call, tool, proposal }: EventOf<"clamped">,
  receipt: Receipt,
  { argumentsText, turn }: Asked,
  policy: LoadedPolicy,
  hash: Hash,
): Facts {
  const { actual, estimator } = receipt;
  return {
    call,
    turn,
    tool,
    contract: proposal.contract?.argument ?? null,
    decision: receipt.decision,
    reason: proposal.reason,
    mode: proposal.mode,
    exemption: proposal.exemption,
    policy: receipt.policy,
    isLowered: proposal.changes.length > 0 && receipt.decision !== "deny",
    counts: countsOf(proposal, argumentsText, policy),
    ...callIdentityOf(tool, argumentsText, policy, hash, proposal.contract?.tool),
    items: actual?.items ?? null,
    bytes: actual?.bytes ?? null,
    tokens: actual && estimator !== null ? { estimated: actual.tokens_estimated, estimator } : null,
    branch: null,
    elapsedMs: null,
    shownBytes: null,
  };
}

/** Which policy, whatever its modes: what may be compared (CONFORMANCE §0.8). */
export const rulesOf = ({ policy }: CallFacts): Digest => policy.rules_sha256;
