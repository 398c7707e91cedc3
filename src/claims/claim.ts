/** Claims as facts: what a session records of stored content, and what two records of the same content mean together. */
import type { Claim, Digest, Handle } from "../schema/claim";
import type { MediaType } from "../schema/media";
import type { ToolClass } from "../schema/tool";
import type { ClaimPolicy } from "./policy";

/** Sizes are of the stored content; what is not text has a media type and only bytes. `tainted`: it came from outside. */
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
    readonly mediaType?: MediaType;
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

/** Not text: it has no characters, and nothing of it can be shown as a window. */
export const isMedia = (claim: Claim): boolean => claim.mediaType !== undefined;

/**
 * The same content checked in again, under the same handle (C7): it may only be reclaimed where every record of it
 * says so, it is untrusted where one does, and text where one has it as text. What was forgotten is there again, unless
 * `next` says that it is not. `before` itself where nothing changes.
 */
export function joinedClaim(before: Claim, next: Claim): Claim {
  if (before.forgotten === next.forgotten) return joined(before, next);
  const { forgotten: _, ...facts } = joined(before, next);
  return { ...facts, ...(next.forgotten && { forgotten: true as const }) };
}

function joined(before: Claim, next: Claim): Claim {
  const becomesText = isMedia(before) && !isMedia(next);
  const { reclaimable, tainted } = before;
  if ((!reclaimable || next.reclaimable) && (tainted || !next.tainted) && !becomesText) return before;
  const { reclaimable: _, tainted: __, ...facts } = becomesText ? next : before;
  return {
    ...facts,
    ...(reclaimable && next.reclaimable && { reclaimable }),
    ...((tainted ?? next.tainted) && { tainted: true as const }),
  };
}
