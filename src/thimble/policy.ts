/** A policy ready to decide with: contracts by tool name, pointers read, every contract judged usable or not. Pure. */
import type { Hash } from "../schema/claim";
import type { Contract, LimitMode, PolicyArtifact, PolicyIdentity } from "../schema/policy";
import { identify } from "./identity";
import { type Path, pathOf } from "./scan";
import { ceilingOf, findingsIn } from "./semantics";

/** A contract with what deciding needs worked out. Counts are items. */
export type ReadyContract = {
  readonly contract: Contract;
  readonly isValid: boolean; // false: never acts, reason `invalid_contract`
  readonly mode: LimitMode; // lowest of artifact and contract
  readonly ceiling: number;
  readonly floor: number; // a call is never lowered below it
  readonly lowest: number; // legal range of the argument
  readonly highest: number | null;
  readonly pointers: readonly string[]; // argument, then aliases
  readonly paths: readonly Path[]; // of `pointers`, then the page argument's, where there is one
  readonly isPaged: boolean; // the last path is that of the page argument
  readonly firstPages: readonly string[]; // tokens of that argument that ask for the first page
};

/** `contracts`: by exact tool name, so that looking one up costs the same however many there are. */
export type LoadedPolicy = {
  readonly artifact: PolicyArtifact;
  readonly identity: PolicyIdentity;
  readonly contracts: ReadonlyMap<string, readonly ReadyContract[]>;
};

const RANK = { off: 0, observe: 1, enforce: 2 } as const satisfies Record<LimitMode, number>;

/** The lowest of several modes is the one in effect (CONFORMANCE §0.8). */
export const lowestMode = (a: LimitMode, b: LimitMode): LimitMode => (RANK[a] <= RANK[b] ? a : b);

/**
 * Makes an artifact ready. Never fails: a contract with an error in it is kept and never acts (seed 003 §Acceptance
 * invariants, Fail-safe). Artifacts from files go through `loadPolicy`, which refuses them with positions.
 */
export function policyFrom(artifact: PolicyArtifact, hash: Hash): LoadedPolicy {
  const atFault = new Set(findingsIn(artifact).flatMap((f) => (f.severity === "error" ? [f.index] : [])));
  const contracts = new Map<string, ReadyContract[]>();
  for (const [index, contract] of artifact.contracts.entries()) {
    const ready = readied(contract, artifact, contract.safe_to_reduce && !atFault.has(index));
    const sameTool = contracts.get(contract.tool);
    if (sameTool === undefined) contracts.set(contract.tool, [ready]);
    else sameTool.push(ready);
  }
  return { artifact, identity: identify(artifact, hash), contracts };
}

function readied(contract: Contract, artifact: PolicyArtifact, isValid: boolean): ReadyContract {
  const pointers = [contract.argument, ...(contract.aliases ?? [])];
  const { continuation } = contract;
  const page = continuation?.kind === "page" ? continuation.argument : undefined;
  const lowest = contract.range?.minimum ?? 0; // no schema at hand: a count below 0 means nothing
  return {
    contract,
    isValid,
    mode: lowestMode(artifact.mode, contract.mode ?? "enforce"),
    ceiling: ceilingOf(contract, artifact),
    floor: Math.max(contract.minimum ?? 0, lowest),
    lowest,
    highest: contract.range?.maximum ?? null,
    pointers,
    paths: [...pointers, ...(page === undefined ? [] : [page])].map(pathOf),
    isPaged: page !== undefined,
    firstPages: continuation?.first === undefined ? ["0", "1"] : [String(continuation.first)],
  };
}
