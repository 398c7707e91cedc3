/** Claims as facts: what a session records of stored content, and what two records of the same content mean together. */
import type { Claim, Digest, Handle } from "../schema/claim";
import type { ToolClass } from "../schema/tool";
import type { ClaimPolicy } from "./policy";

/** Sizes are of the stored text. `tainted`: it came from outside. */
export function claimOf(
  content: {
    readonly handle: Handle;
    readonly sha256: Digest;
    readonly frames: Digest;
    readonly tool: string;
    readonly class: ToolClass;
    readonly chars: number;
    readonly bytes: number;
    readonly lines: number;
    readonly tainted: boolean;
  },
  { settings }: ClaimPolicy,
): Claim {
  const { tainted, ...facts } = content;
  return {
    ...facts,
    ...(settings.reclaimable.includes(facts.tool) && { reclaimable: true as const }),
    ...(tainted && { tainted: true as const }),
  };
}

/**
 * The same content checked in again, under the same handle (C7): it may only be reclaimed where every record of it
 * says so, and it is untrusted where one does. `before` itself where nothing changes.
 */
export function joinedClaim(before: Claim, next: Claim): Claim {
  const { reclaimable, tainted, ...facts } = before;
  if ((!reclaimable || next.reclaimable) && (tainted || !next.tainted)) return before;
  return {
    ...facts,
    ...(reclaimable && next.reclaimable && { reclaimable }),
    ...((tainted ?? next.tainted) && { tainted: true as const }),
  };
}
