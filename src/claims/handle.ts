/** Handles: names for stored content that only the session that made them can know (CONFORMANCE §1, Handle). */
import { type Digest, Handle, type Hash } from "../schema/claim";

/** `salt` is 32 hex digits from the session's first event: another session's handle cannot be derived. */
export function handleOf(salt: string, sha256: Digest, hash: Hash): Handle {
  return Handle.parse(`claim:${hash(salt + sha256).slice(0, 32)}`);
}

/** A handle of the right form, or null. Nothing else of what a model writes ever reaches a path (C12). */
export function parseHandle(given: string): Handle | null {
  const parsed = Handle.safeParse(given);
  return parsed.success ? parsed.data : null;
}
