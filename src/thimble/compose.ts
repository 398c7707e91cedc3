/**
 * The policy of one session: from its sources, for the tools it really has (CONFORMANCE §5, Sources). Pure and
 * deterministic: what comes out is an artifact of its own, pinned in the log, and all that deciding needs.
 */
import type { Hash } from "../schema/claim";
import type { Contract, ContractCheck, LimitMode, PolicyArtifact, Rollout } from "../schema/policy";
import { canonicalise } from "./identity";
import { checkLive, type LiveTool } from "./liveSchema";
import { type LoadedPolicy, lowestMode, policyFrom } from "./policy";
import { ceilingOf } from "./semantics";

/** Later layers take precedence, contract by contract, once the person lets them enforce. */
export const LAYERS = ["builtin", "pack", "user", "workspace"] as const;

/** `label` is for people: a file, or where it comes from. `mayEnforce` false: its contracts only observe. */
export type PolicySource = {
  readonly layer: (typeof LAYERS)[number];
  readonly label: string;
  readonly policy: LoadedPolicy;
  readonly mayEnforce: boolean;
};

/** A tool of the session. `called` is the name under which the model calls it. */
export type OfferedTool = LiveTool & { readonly called: string };

/** `mismatched`: tools, as they are called, whose contracts were all written for another tool than the live one. */
export type SessionPolicy = {
  readonly policy: LoadedPolicy;
  readonly checks: readonly ContractCheck[];
  readonly mismatched: readonly string[];
};

/** A contract of a source that is about an offered tool, and what the live check says of it. */
type Candidate = {
  readonly source: PolicySource;
  readonly contract: Contract;
  readonly tool: OfferedTool;
  readonly check: ReturnType<typeof checkLive>;
  readonly id: string;
  readonly mode: LimitMode;
};
type Found = Omit<Candidate, "mode">;

/**
 * `reviewed`: what a review decided, by the contract's id. Contracts of packs observe until one says to enforce them; every
 * other contract enforces until one says not to (seed 003 §Operator modes: observe first, per contract).
 */
export function compose(
  sources: readonly PolicySource[],
  tools: readonly OfferedTool[],
  hash: Hash,
  reviewed: ReadonlyMap<string, Rollout["mode"]> = new Map(),
): SessionPolicy {
  const ordered = [...sources].sort((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
  const inForce = new Map<string, Candidate>();
  const checks: ContractCheck[] = [];
  for (const source of ordered) {
    for (const found of candidatesOf(source, tools, hash)) {
      const candidate = withMode(found, reviewed);
      const key = JSON.stringify([candidate.tool.called, candidate.contract.argument]);
      const before = inForce.get(key);
      if (before && !source.mayEnforce) {
        // What only observes takes nobody's place: a workspace's file could turn enforcing off so.
        checks.push(toldOf(candidate, { result: "overridden", reason: before.source.label }));
        continue;
      }
      if (before) checks.push(toldOf(before, { result: "overridden", reason: source.label }));
      inForce.set(key, candidate);
    }
  }
  const acting = [...inForce.values()];
  for (const candidate of acting) checks.push(toldOf(candidate, verdictOf(candidate)));
  const isMismatch = ({ check }: Candidate) => check.kind === "mismatch";
  const mismatched = tools
    .filter(({ called }) => {
      const own = acting.filter(({ tool }) => tool.called === called);
      return own.length > 0 && own.every(isMismatch);
    })
    .map(({ called }) => called);
  const kept = acting.filter(
    (candidate) => !isMismatch(candidate) || mismatched.includes(candidate.tool.called),
  );
  const artifact = artifactOf(ordered, kept);
  return { policy: policyFrom(artifact, hash), checks, mismatched };
}

/** A contract that names a server is about that server's tool; one that names none, about the tool that is called so. */
function* candidatesOf(source: PolicySource, tools: readonly OfferedTool[], hash: Hash): Generator<Found> {
  const { artifact } = source.policy;
  for (const contract of artifact.contracts) {
    for (const tool of tools) {
      const isMeant =
        contract.server === undefined
          ? contract.tool === tool.called
          : contract.server === tool.server && contract.tool === tool.name;
      if (!isMeant) continue;
      const live = contract.server === undefined ? { ...tool, name: tool.called } : tool;
      const check = checkLive(contract, artifact, live, hash);
      yield { source, contract, tool, check, id: contractId(contract, artifact, hash) };
    }
  }
}

/** Names a contract as it is, whatever mode it is in. Another ceiling is another contract. */
export function contractId(contract: Contract, artifact: PolicyArtifact, hash: Hash): string {
  const { mode: _mode, evidence: _evidence, ...rules } = contract;
  return hash(canonicalise({ ...rules, maximum: ceilingOf(contract, artifact) })).slice(0, 16);
}

/** The lowest of what the source, the contract, the person's approval and review, and the live tool allow. */
function withMode(found: Found, reviewed: ReadonlyMap<string, Rollout["mode"]>): Candidate {
  const { source, contract, check, id } = found;
  const rolledOut = reviewed.get(id) ?? (source.layer === "pack" ? "observe" : "enforce");
  const highest = source.mayEnforce && check.kind !== "observe_only" ? rolledOut : "observe";
  const own = lowestMode(source.policy.artifact.mode, contract.mode ?? "enforce");
  return { ...found, mode: lowestMode(own, highest) };
}

/** Contracts once each, with what their sources say in general written into them. */
function artifactOf(sources: readonly PolicySource[], kept: readonly Candidate[]): PolicyArtifact {
  const contracts = new Map<string, Contract>();
  for (const candidate of kept) {
    const { contract } = candidate;
    contracts.set(
      JSON.stringify([contract.server ?? null, contract.tool, contract.argument]),
      ready(candidate),
    );
  }
  const speaker = sources.findLast(
    ({ policy, mayEnforce }) => mayEnforce && policy.artifact.on_unshapable_response !== undefined,
  )?.policy.artifact; // of results that no request could shape, with its budget for tools without a contract
  const unshapable = speaker?.on_unshapable_response;
  const names = [...new Set(kept.map(({ source }) => source.policy.artifact.name))];
  return {
    kind: "fak/tool-result-budget",
    version: "1.0.0",
    name: names.length > 0 ? names.join(" + ") : "cloakroom/none",
    mode: "enforce",
    default_budget: { items: speaker?.default_budget.items ?? 10 }, // every contract has its own
    contracts: [...contracts.values()],
    ...(unshapable !== undefined && { on_unshapable_response: unshapable }),
  };
}

function ready({ source, contract, check, mode }: Candidate): Contract {
  const { artifact } = source.policy;
  const lowest = check.kind === "usable" || check.kind === "observe_only" ? check.lowest : null;
  return {
    ...contract,
    maximum: ceilingOf(contract, artifact),
    ...(mode !== "enforce" && { mode }),
    ...(contract.range?.minimum === undefined &&
      lowest !== null && { range: { ...contract.range, minimum: lowest } }),
    ...(check.kind === "invalid" && { safe_to_reduce: false }),
    ...(check.kind === "not_read_only" && { read_only: false }),
  };
}

type Verdict = Pick<ContractCheck, "result" | "reason"> & { readonly notes?: readonly string[] };

function verdictOf({ check }: Candidate): Verdict {
  switch (check.kind) {
    case "usable":
    case "observe_only":
      return { result: check.kind, reason: null, notes: check.notes };
    case "mismatch":
    case "invalid":
      return { result: check.kind, reason: check.reason };
    case "not_read_only":
      return { result: check.kind, reason: null };
  }
}

function toldOf(candidate: Candidate, { result, reason, notes = [] }: Verdict): ContractCheck {
  const { id, source, contract, tool, mode } = candidate;
  return {
    id,
    source: source.label,
    server: contract.server ?? null,
    tool: tool.called,
    argument: contract.argument,
    mode,
    result,
    reason,
    notes: [...notes],
  };
}
