/** What the policy's schema cannot say: numbers that contradict one another, contracts that collide (CONFORMANCE §0.7, §5). */
import type { Contract, PolicyArtifact } from "../schema/policy";

export type FindingCode =
  | "floor_above_ceiling"
  | "range_empty"
  | "ceiling_above_range"
  | "ceiling_below_range"
  | "duplicate_contract"
  | "alias_repeats_argument"
  | "continuation_without_argument"
  | "not_safe_to_reduce"
  | "not_known_read_only";

/**
 * A finding about `contracts[index]`. `path` leads from the contract to the value at fault, `message` says what to do.
 * error = the artifact is not loaded; warning = the contract never acts; information = it may not act.
 */
export type Finding = {
  readonly code: FindingCode;
  readonly severity: "error" | "warning" | "information";
  readonly index: number;
  readonly path: readonly (string | number)[];
  readonly message: string;
};

/** The ceiling of a contract (CONFORMANCE §0.7). */
export const ceilingOf = (contract: Contract, artifact: PolicyArtifact): number =>
  contract.maximum ?? artifact.default_budget.items;

/** Everything that is wrong with an artifact that fits its schema, contract by contract. */
export function findingsIn(artifact: PolicyArtifact): Finding[] {
  return [
    ...artifact.contracts.flatMap((contract, index) => findingsOf(contract, index, artifact)),
    ...collisions(artifact.contracts),
  ].toSorted((a, b) => a.index - b.index);
}

function findingsOf(contract: Contract, index: number, artifact: PolicyArtifact): Finding[] {
  return [...numbers(contract, index, artifact), ...pointers(contract, index), ...safety(contract, index)];
}

function* numbers(contract: Contract, index: number, artifact: PolicyArtifact): Generator<Finding> {
  const ceiling = ceilingOf(contract, artifact);
  const from = contract.maximum === undefined ? "default_budget.items" : "maximum";
  const ceilingPath = contract.maximum === undefined ? [] : ["maximum"];
  const { minimum: lowest, maximum: highest } = contract.range ?? {};

  if (contract.minimum !== undefined && contract.minimum > ceiling) {
    yield {
      code: "floor_above_ceiling",
      severity: "error",
      index,
      path: ["minimum"],
      message: `The floor ${contract.minimum} is above the ceiling ${ceiling} (${from}). Lower minimum or raise ${from}.`,
    };
  }
  if (lowest !== undefined && highest !== undefined && lowest > highest) {
    yield {
      code: "range_empty",
      severity: "error",
      index,
      path: ["range"],
      message: `No value is in the range ${lowest} to ${highest}. Swap or correct its minimum and maximum.`,
    };
    return;
  }
  if (highest !== undefined && ceiling > highest) {
    yield {
      code: "ceiling_above_range",
      severity: "error",
      index,
      path: contract.maximum === undefined ? ["range", "maximum"] : ceilingPath,
      message: `The ceiling ${ceiling} (${from}) is above the range, which ends at ${highest}, so nothing would be lowered. Set maximum to at most ${highest} or widen the range.`,
    };
  }
  if (lowest !== undefined && ceiling < lowest) {
    yield {
      code: "ceiling_below_range",
      severity: "error",
      index,
      path: contract.maximum === undefined ? ["range", "minimum"] : ceilingPath,
      message: `The ceiling ${ceiling} (${from}) is below the range, which starts at ${lowest}: the tool would refuse it. Set maximum to at least ${lowest}.`,
    };
  }
}

function* pointers(contract: Contract, index: number): Generator<Finding> {
  const named = new Set([contract.argument]);
  for (const [i, alias] of (contract.aliases ?? []).entries()) {
    if (named.has(alias)) {
      yield {
        code: "alias_repeats_argument",
        severity: "error",
        index,
        path: ["aliases", i],
        message: `${alias} is named already by this contract. Remove this alias.`,
      };
    }
    named.add(alias);
  }
  const { continuation } = contract;
  if (continuation !== undefined && continuation.kind !== "rerun" && continuation.argument === undefined) {
    yield {
      code: "continuation_without_argument",
      severity: "error",
      index,
      path: ["continuation"],
      message: `Add "argument": the pointer of the ${continuation.kind} argument, such as /${continuation.kind}. Without one, use the kind "rerun".`,
    };
  }
}

function* safety(contract: Contract, index: number): Generator<Finding> {
  if (!contract.safe_to_reduce) {
    yield {
      code: "not_safe_to_reduce",
      severity: "warning",
      index,
      path: ["safe_to_reduce"],
      message:
        "This contract never acts, because it is not safe to reduce. Remove it, or set safe_to_reduce to true once that is proven.",
    };
  }
  if (contract.read_only === false) {
    yield {
      code: "not_known_read_only",
      severity: "warning",
      index,
      path: ["read_only"],
      message: "This contract never acts, because its tool changes something. Remove it.",
    };
  } else if (contract.read_only === undefined) {
    yield {
      code: "not_known_read_only",
      severity: "information",
      index,
      path: ["tool"],
      message:
        'In enforce this contract acts only if the tool declares that it is read-only. Add "read_only": true if it is known to change nothing.',
    };
  }
}

/** Two contracts may share a tool name only when they are for different servers, or for different arguments. */
function* collisions(contracts: readonly Contract[]): Generator<Finding> {
  const seen = new Map<string, number[]>();
  for (const [index, contract] of contracts.entries()) {
    const all = [contract.argument, ...(contract.aliases ?? [])];
    for (const [i, pointer] of all.entries()) {
      const key = JSON.stringify([contract.tool, pointer]);
      const earlier = seen.get(key) ?? [];
      seen.set(key, earlier);
      const other = earlier.find((at) => at !== index && overlap(contracts[at]?.server, contract.server));
      if (other !== undefined) {
        yield {
          code: "duplicate_contract",
          severity: "error",
          index,
          path: i === 0 ? ["argument"] : ["aliases", i - 1],
          message: `contracts[${other}] already limits ${pointer} of ${contract.tool}. Remove one of the two.`,
        };
      }
      earlier.push(index);
    }
  }
}

const overlap = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined || a === b;
