/**
 * Replay: every recorded call is decided again with the policy, mode and intent that were pinned when it was made, never
 * with today's (seed 003 §Acceptance invariants, Replay fidelity). A fold over the log; linear in its length. Pure.
 */
import type { Hash } from "../schema/claim";
import type { EventOf, Logged, ReplyCall } from "../schema/event";
import type { Proposal } from "../schema/policy";
import { type Decision, decide, type Question } from "./decide";
import { identify } from "./identity";
import { checkPolicy } from "./load";
import { type LoadedPolicy, policyFrom } from "./policy";

/**
 * `questionOf` is the running loop's own: what Thimble was asked about a call under a configuration. `excused`: ids of
 * exemptions that calls before were excused by; `at`: when it was decided.
 */
export type ReplayPorts = {
  readonly hash: Hash;
  readonly questionOf: (
    call: ReplyCall,
    configured: EventOf<"configured">,
    when: { readonly excused: ReadonlySet<string>; readonly at: number },
  ) => Question;
};

/** `recorded` and `recomputed` are JSON text, at most 300 chars. `call` null: about the log or a configuration. */
export type Difference = {
  readonly call: string | null;
  readonly event: number; // its number in the log
  readonly field: DriftField;
  readonly recorded: string;
  readonly recomputed: string;
};
export type DriftField =
  | "log" // it does not end where its chain does
  | "policy_identity"
  | "configuration" // a call before any
  | "call" // not in any reply, or decided twice
  | "tool"
  | "argumentsSource"
  | "effectiveArguments"
  | keyof Proposal;

/** A call whose argument values were replaced on disk: `unproven` cannot be computed from what was kept. */
export type RedactedCall = {
  readonly call: string;
  readonly tool: string;
  readonly unproven: readonly ("originalSha256" | "effectiveSha256")[];
};

/** A configuration that this version does not replay: none of its calls was decided again. */
export type RefusedPolicy = { readonly event: number; readonly policy: string; readonly message: string };

export type Replay = {
  readonly outcome: "identical" | "drift" | "refused";
  readonly decisions: number; // decided again
  readonly configurations: number;
  readonly redacted: readonly RedactedCall[]; // args_redacted
  readonly refused: readonly RefusedPolicy[];
  readonly differences: readonly Difference[]; // in the order of the log
};

/** What the log holds of one decision, with everything that it was made from. */
export type RecordedCall = {
  readonly event: Logged & EventOf<"clamped">;
  readonly reply: ReplyCall;
  readonly question: Question;
  readonly policy: LoadedPolicy;
};

/** A placeholder of the session's secrets: the bytes that stood there are not in the log (CONFORMANCE §5). */
const PLACEHOLDER = /\[secret:[a-z_]+:[0-9a-f]{8,64}\]/;
const FIELD_CHARS = 300;

/** `problem`: where the log's chain ends before the log does; null = nowhere. */
export function replayFrom(
  events: Iterable<Logged>,
  ports: ReplayPorts,
  problem: string | null = null,
): Replay {
  const differences: Difference[] = [];
  const redacted: RedactedCall[] = [];
  const refused: RefusedPolicy[] = [];
  let decisions = 0;
  let configurations = 0;
  let last = 0;
  for (const found of recordedCalls(events, ports)) {
    last = found.n;
    if (found.kind === "configured") configurations++;
    else if (found.kind === "refused") refused.push(found.policy);
    else if (found.kind === "difference") differences.push(found.difference);
    else if (found.kind === "call") {
      decisions++;
      const { call } = found;
      const compared = compare(call, decide(call.question, call.policy, ports.hash), ports.hash);
      differences.push(...compared.differences);
      if (compared.unproven.length > 0)
        redacted.push({ call: call.event.call, tool: call.event.tool, unproven: compared.unproven });
    }
  }
  if (problem !== null) differences.push(differing(null, last, "log", problem, "a whole log"));
  const outcome = differences.length > 0 ? "drift" : refused.length > 0 ? "refused" : "identical";
  return { outcome, decisions, configurations, redacted, refused, differences };
}

type Found = { readonly n: number } & (
  | { readonly kind: "configured" }
  | { readonly kind: "refused"; readonly policy: RefusedPolicy }
  | { readonly kind: "call"; readonly call: RecordedCall }
  | { readonly kind: "difference"; readonly difference: Difference }
);

type InForce = { readonly event: EventOf<"configured">; readonly policy: LoadedPolicy | null };

/** Every recorded decision with what it was made from, and what keeps one from being made again. */
export function* recordedCalls(
  events: Iterable<Logged>,
  { hash, questionOf }: ReplayPorts,
): Generator<Found> {
  let inForce: InForce | null = null;
  const replies = new Map<string, ReplyCall>();
  const decided = new Set<string>();
  const excused = new Set<string>();
  for (const event of events) {
    const { n } = event;
    const wrong = (
      call: string | null,
      field: DriftField,
      recorded: unknown,
      recomputed: unknown,
    ): Found => ({
      kind: "difference",
      n,
      difference: differing(call, n, field, recorded, recomputed),
    });
    if (event.type === "configured") {
      const message = refusalOf(event);
      inForce = { event, policy: message === null ? policyFrom(event.policy, hash) : null };
      yield { kind: "configured", n };
      const { name, version } = event.policyIdentity;
      if (message !== null)
        yield { kind: "refused", n, policy: { event: n, policy: `${name} ${version}`, message } };
      else if (!isSame(identify(event.policy, hash), event.policyIdentity))
        yield wrong(null, "policy_identity", event.policyIdentity, identify(event.policy, hash));
    } else if (event.type === "replied") {
      for (const call of event.calls) replies.set(call.call, call);
    } else if (event.type === "clamped") {
      const reply = replies.get(event.call);
      if (decided.has(event.call)) yield wrong(event.call, "call", "decided twice", "decided once");
      decided.add(event.call);
      if (reply === undefined) yield wrong(event.call, "call", event.tool, "no reply has this call");
      else if (inForce === null) yield wrong(event.call, "configuration", null, "one before the first call");
      else if (inForce.policy !== null) {
        if (reply.name !== event.tool) yield wrong(event.call, "tool", event.tool, reply.name);
        const source = inForce.event.model.abilities.rawArguments ? "raw" : "parsed";
        if (source !== event.argumentsSource)
          yield wrong(event.call, "argumentsSource", event.argumentsSource, source);
        const question = questionOf(reply, inForce.event, { excused, at: event.at });
        if (event.proposal.exemption !== null) excused.add(event.proposal.exemption);
        yield { kind: "call", n, call: { event, reply, question, policy: inForce.policy } };
      }
    } else if (event.type === "authorised" && !decided.has(event.call)) {
      decided.add(event.call);
      yield wrong(event.call, "decision", null, "one before it was allowed or refused");
    }
  }
}

/** Null where the pinned policy can be replayed. What running sessions tolerate (a contract that never acts) is replayed. */
function refusalOf({ policy }: EventOf<"configured">): string | null {
  const { problems } = checkPolicy(JSON.stringify(policy));
  return problems.find(({ code }) => code === "unknown_major" || code === "lone_surrogate")?.message ?? null;
}

function compare({ event, reply, question }: RecordedCall, again: Decision, hash: Hash) {
  const { proposal } = event;
  const isHidden =
    PLACEHOLDER.test(reply.arguments) && proposal.originalSha256 !== hash(question.argumentsText);
  const unproven = isHidden ? (["originalSha256", "effectiveSha256"] as const) : [];
  const differences: Difference[] = [];
  const differs = (field: DriftField, recorded: unknown, recomputed: unknown) => {
    differences.push(differing(event.call, event.n, field, recorded, recomputed));
  };
  for (const field of Object.keys(again.proposal) as (keyof Proposal)[]) {
    if (isHidden && (field === "originalSha256" || field === "effectiveSha256")) continue;
    if (!isSame(proposal[field], again.proposal[field]))
      differs(field, proposal[field], again.proposal[field]);
  }
  if (isHidden) {
    // The digests say nothing of the kept bytes, but a call that passed has one, and a clamped call has two.
    const isOne = proposal.originalSha256 === proposal.effectiveSha256;
    if (isOne !== (again.effectiveArguments === null))
      differs("effectiveSha256", proposal.effectiveSha256, isOne ? "another" : "the original's");
  }
  if (!isSameText(event.effectiveArguments, again, proposal, isHidden))
    differs("effectiveArguments", event.effectiveArguments, again.effectiveArguments);
  return { differences, unproven };
}

/** What ran stands in the log with its secrets hidden, also those that were learnt after the reply: there its digest proves it. */
function isSameText(
  recorded: string | null,
  again: Decision,
  proposal: Proposal,
  isHidden: boolean,
): boolean {
  if (recorded === again.effectiveArguments) return true;
  if (recorded === null || again.effectiveArguments === null || isHidden) return false;
  return PLACEHOLDER.test(recorded) && proposal.effectiveSha256 === again.proposal.effectiveSha256;
}

function differing(
  call: string | null,
  event: number,
  field: DriftField,
  recorded: unknown,
  recomputed: unknown,
): Difference {
  return { call, event, field, recorded: shown(recorded), recomputed: shown(recomputed) };
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "none";
  return text.length <= FIELD_CHARS ? text : `${text.slice(0, FIELD_CHARS - 1)}…`;
}

/** JSON values, whatever the order of keys. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key as never], b[key as never]))
  );
}
