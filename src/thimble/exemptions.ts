/** Which exemptions are in force for a call (CONFORMANCE §5, Exemptions and intent). Pure: the clock is asked outside. */
import type { OperatorExemption } from "../schema/policy";
import type { Exemption } from "./decide";

/**
 * `used`: ids of exemptions that a call was excused by before; one that is for a single call is then over. Exemptions
 * for one tool come before those for the whole session: the receipt shows the first that covers the call.
 */
export function exemptionsInForce(
  exemptions: readonly OperatorExemption[],
  used: ReadonlySet<string>,
  nowMs: number,
): readonly Exemption[] {
  return exemptions
    .filter(({ id, once, expiresAt }) => (expiresAt === null || nowMs < expiresAt) && !(once && used.has(id)))
    .sort((a, b) => Number(a.tool === null) - Number(b.tool === null))
    .map(({ id, tool }) => ({ id, tool }));
}
