/**
 * Read this first in this room: one call against one policy, before anybody is asked and anything runs.
 * The order of the checks and the closed set of reasons are CONFORMANCE §5's; the rules are seed 003 §Rewrite rules'.
 */
import type { Hash } from "../schema/claim";
import { type Change, DecisionReason, type Intent, type LimitMode, type Proposal } from "../schema/policy";
import { type LoadedPolicy, lowestMode, type ReadyContract } from "./policy";
import { type Found, scan, type Token } from "./scan";
import { type Replacement, splice } from "./splice";

/**
 * An operator's exemption that is in force for the call: expiry and call scope are the asker's to check, because this
 * room has no clock. `tool` null covers the whole session. `id` is what the receipt shows.
 */
export type Exemption = { readonly id: string; readonly tool: string | null };

/** Everything that a decision depends on besides the policy. `mode`, `intent` and `hardMaximum` are the user's. */
export type Question = {
  readonly tool: string;
  readonly server?: string | null; // identity of the MCP server that has the tool; `tool` is then its own name there
  readonly offeredAs?: string; // the model's name for a server's tool: what a contract without a server, or an exemption, names
  readonly argumentsText: string; // as the model wrote it
  readonly mode: LimitMode;
  readonly hardMaximum: number | null; // items
  readonly intent: Intent | null;
  readonly exemptions: readonly Exemption[];
  readonly toolReadOnly: boolean | null; // the tool's own annotation; null = it says nothing
  readonly schemaMismatch?: boolean; // the live tool is not what its contract was written for
};

/** `effectiveArguments` is null when the call runs as the model wrote it. */
export type Decision = {
  readonly proposal: Proposal;
  readonly effectiveArguments: string | null;
  /** JSON pointer to the list in the tool's result, for the count of what came back; null = no contract says so. */
  readonly returned: string | null;
};

type Verdict = {
  readonly reason: DecisionReason;
  readonly mode: LimitMode;
  readonly ready: ReadyContract | null;
  readonly exemption: string | null; // what excused the call, once the order came that far
  readonly lowering?: Lowering;
};
type Lowering = { readonly change: Change; readonly replacement: Replacement };

/**
 * Decides one call.
 *
 * Invariants: no count is ever raised; without a clamp no byte changes; the same question and policy give the same
 * decision (seed 003 §Acceptance invariants: Monotonicity, Fail-safe, Determinism).
 */
export function decide(question: Question, policy: LoadedPolicy, hash: Hash): Decision {
  const verdicts = verdictsOn(question, policy);
  const applied: Lowering[] = [];
  const observed: Lowering[] = [];
  for (const { mode, lowering } of verdicts) {
    if (lowering !== undefined) (mode === "enforce" ? applied : observed).push(lowering);
  }
  const { reason, mode, ready, exemption } = verdicts.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a));

  const originalSha256 = hash(question.argumentsText);
  const effectiveArguments =
    applied.length === 0
      ? null
      : splice(
          question.argumentsText,
          applied.map((l) => l.replacement),
        );
  return {
    effectiveArguments,
    returned: verdicts.find((v) => v.ready?.contract.items !== undefined)?.ready?.contract.items ?? null,
    proposal: {
      decision: effectiveArguments === null ? "pass" : "clamp",
      reason,
      mode,
      contract: ready && namesOf(ready),
      exemption,
      changes: applied.map((l) => l.change),
      proposedChanges: observed.map((l) => l.change),
      originalSha256,
      effectiveSha256: effectiveArguments === null ? originalSha256 : hash(effectiveArguments),
    },
  };
}

/** One verdict per contract of the tool, at least one in all. */
function verdictsOn(question: Question, policy: LoadedPolicy): readonly [Verdict, ...Verdict[]] {
  const mode = lowestMode(question.mode, policy.artifact.mode);
  if (mode === "off") return [unjudged("mode_off", mode)];
  const named = contractsFor(question, policy);
  if (named.length === 0) return [unjudged("unknown_tool_contract", mode)];
  const [first, ...rest] = contractsOn(question, policy);
  if (first === undefined) return [unjudged("contract_schema_mismatch", mode)];
  return [judge(question, first), ...rest.map((ready) => judge(question, ready))];
}

/** Which tool a call is of: its own name, and for a server's tool the server and what the model calls it. */
export type Subject = Pick<Question, "tool" | "server" | "offeredAs">;

/** The contracts of exactly this tool. */
export const contractsOn = (subject: Subject, policy: LoadedPolicy): readonly ReadyContract[] =>
  contractsFor(subject, policy).filter(({ contract }) => isOn(subject.server, contract.server));

/** For a server's tool: those that name the server, and those that name the tool as the model does; never ours of the same name. */
function contractsFor({ tool, offeredAs }: Subject, { contracts }: LoadedPolicy): readonly ReadyContract[] {
  const named = contracts.get(tool) ?? [];
  if (offeredAs === undefined) return named;
  const ofServers = named.filter(({ contract }) => contract.server !== undefined);
  const asOffered = (contracts.get(offeredAs) ?? []).filter(({ contract }) => contract.server === undefined);
  return [...ofServers, ...asOffered];
}

const namesOf = ({ contract: { tool, argument, server } }: ReadyContract) => ({
  tool,
  argument,
  ...(server !== undefined && { server }),
});

const unjudged = (reason: DecisionReason, mode: LimitMode): Verdict => ({
  reason,
  mode,
  ready: null,
  exemption: null,
});

const isOn = (live: string | null | undefined, contracted: string | undefined): boolean =>
  contracted === undefined || contracted === live;

/** Several contracts of one tool: a clamp speaks for the call, else the verdict that got furthest in the order. */
function weightOf({ reason, mode, lowering }: Verdict): number {
  return lowering && mode === "enforce"
    ? DecisionReason.options.length
    : DecisionReason.options.indexOf(reason);
}

function judge(question: Question, ready: ReadyContract): Verdict {
  const mode = lowestMode(question.mode, ready.mode);
  const fault = mode === "off" ? "mode_off" : faultOf(question, ready, mode);
  if (fault !== null) return { reason: fault, mode, ready, exemption: null };
  const excuse = excuseFor(question);
  const judged = { mode, ready, exemption: excuse?.shown ?? null };
  if (excuse !== null && question.hardMaximum === null) return { ...judged, reason: excuse.reason };

  const text = question.argumentsText;
  const scanned = scan(text, ready.paths);
  if (scanned.kind === "invalid") return { ...judged, reason: "invalid_json" };
  const at = ready.pointers.findIndex((_, i) => scanned.found[i]?.kind !== "missing");
  const found = scanned.found[at];
  if (found === undefined || found.kind === "missing") return { ...judged, reason: "argument_missing" };
  if (found.kind === "ambiguous") return { ...judged, reason: "ambiguous_argument" };

  const count = countAt(text, found.token);
  if (count === null) return { ...judged, reason: "not_an_integer" };
  if (!isInRange(count, ready)) return { ...judged, reason: "outside_range" };
  const paged = ready.isPaged ? pagedBy(text, scanned.found.at(-1), ready) : null;
  if (paged !== null) return { ...judged, reason: paged };

  const { ceiling, isHard } = ceilingFor(question.hardMaximum, excuse !== null, ready);
  const to = Math.max(ceiling, ready.floor);
  if (count.value <= to) return { ...judged, reason: "within_budget" };
  const lowering = {
    change: { path: ready.pointers[at] as string, from: count.exact, to, dimension: "items" as const },
    replacement: { token: found.token, value: to },
  };
  if (mode === "observe") return { ...judged, reason: "observe_only", lowering };
  return { ...judged, reason: isHard ? "hard_maximum" : "requested_items_above_policy_maximum", lowering };
}

/** Why the contract may not act (CONFORMANCE §5: read-only comes from the contract or from the tool's annotation). */
function faultOf(question: Question, { contract, isValid }: ReadyContract, mode: LimitMode) {
  if (question.schemaMismatch === true) return "contract_schema_mismatch";
  if (!isValid) return "invalid_contract";
  if (contract.read_only === false || question.toolReadOnly === false) return "not_read_only";
  const isKnown = contract.read_only === true || question.toolReadOnly === true;
  return isKnown || mode === "observe" ? null : "not_read_only";
}

/** What the user has set against being clamped. Intent counts before exemptions; the receipt shows the exemption. */
function excuseFor({ intent, exemptions, tool, offeredAs = tool }: Question) {
  const exemption = exemptions.find((e) => e.tool === null || e.tool === offeredAs);
  if (intent !== null) {
    return { reason: "structured_intent" as const, shown: exemption?.id ?? `intent:${intent}` };
  }
  return exemption === undefined ? null : { reason: "exempt" as const, shown: exemption.id };
}

/** A hard maximum is above contracts and excuses; for an excused call it is the only ceiling (CONFORMANCE §0.7, §5). */
function ceilingFor(hardMaximum: number | null, isExcused: boolean, { ceiling }: ReadyContract) {
  const isHard = hardMaximum !== null && (isExcused || hardMaximum < ceiling);
  return { ceiling: isHard ? hardMaximum : ceiling, isHard };
}

/** `value` may be rounded above 2^53 - 1, where every bound that it meets is far below; `exact` never is. */
export type Count = { readonly value: number; readonly exact: number | string };

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/; // not -0: readers differ on whether it is an integer
const HIGHEST = "9223372036854775807";

/** The count as the raw token says it; null if it is not written as an integer. */
export function countAt(text: string, { kind, start, end }: Token): Count | null {
  if (kind !== "number") return null;
  const raw = text.slice(start, end);
  if (!INTEGER.test(raw)) return null;
  const value = Number(raw);
  return { value, exact: Number.isSafeInteger(value) ? value : raw };
}

function isInRange({ value, exact }: Count, { lowest, highest }: ReadyContract): boolean {
  if (value < lowest || (highest !== null && value > highest)) return false;
  if (typeof exact === "number") return true;
  return exact.length < HIGHEST.length || (exact.length === HIGHEST.length && exact <= HIGHEST);
}

/** A page number counts in pages of the requested size, so only the first page may shrink (CONFORMANCE §5 Paging). */
function pagedBy(text: string, page: Found | undefined, { firstPages }: ReadyContract) {
  if (page === undefined || page.kind === "missing") return null;
  if (page.kind === "ambiguous") return "ambiguous_argument";
  const { kind, start, end } = page.token;
  return kind === "number" && firstPages.includes(text.slice(start, end)) ? null : "paged_argument";
}
