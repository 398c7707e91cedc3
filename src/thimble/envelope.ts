/** The envelope: what a result may be before it is shown otherwise, judged after execution (CONFORMANCE §5, Response side). Pure. */

import { Dimension, type Exceeded } from "../schema/branch";
import { contractsOn, type Subject } from "./decide";
import type { LoadedPolicy, ReadyContract } from "./policy";

/** Of the safe text; null: not counted. Tokens are by a named counter. */
export type Sizes = Readonly<Record<Dimension, number | null>>;
/** Null: no limit in this dimension. */
export type Envelope = Readonly<Record<Dimension, number | null>>;

/** Items, then bytes, then tokens: the first that is strictly larger than its limit, or null. */
export function exceededBy(sizes: Sizes, envelope: Envelope): Exceeded | null {
  for (const dimension of Dimension.options) {
    const actual = sizes[dimension];
    const limit = envelope[dimension];
    if (actual !== null && limit !== null && actual > limit) return { dimension, actual, limit };
  }
  return null;
}

/** What a policy says of one tool's results. `items` and `cursor`: where its contracts say the records and the next cursor are. */
export type ResponseRule = {
  readonly maximumItems: number;
  readonly items: string | null;
  readonly cursor: string | null;
};

/**
 * The highest ceiling of the tool's contracts that may act, or the policy's default; a hard maximum is above both.
 * Contracts that name different places name none: doubt closes.
 */
export function responseRuleOf(
  subject: Subject,
  policy: LoadedPolicy,
  hardMaximum: number | null = null,
): ResponseRule {
  const contracts = contractsOn(subject, policy).filter(({ isValid }) => isValid);
  const ceilings = contracts.map(({ ceiling }) => ceiling);
  const highest = ceilings.length > 0 ? Math.max(...ceilings) : policy.artifact.default_budget.items;
  return {
    maximumItems: Math.min(highest, hardMaximum ?? highest),
    items: only(contracts, ({ contract }) => contract.items),
    cursor: only(contracts, ({ contract }) => contract.continuation?.result),
  };
}

function only(
  contracts: readonly ReadyContract[],
  pick: (ready: ReadyContract) => string | undefined,
): string | null {
  const named = new Set(contracts.map(pick).filter((pointer) => pointer !== undefined));
  const [first] = named;
  return named.size === 1 && first !== undefined ? first : null;
}
