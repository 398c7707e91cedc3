/** What a log says of stored results: which it names, and which tickets were shown. Folds over events. */
import { joinedClaim } from "../claims/claim";
import { Claim, type Digest, type Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { unreachable } from "../schema/failure";

/** The claims that an event brings into the session: issued, or taken over from another. */
export function claimsIn(event: Logged): readonly Claim[] {
  if (event.type === "adopted") return event.claims;
  if (event.type !== "tool_result_stored") return [];
  return [Claim.parse(event)]; // its fields and no others
}

/** What content is called in another session that has it too. */
export type Names = ReadonlyMap<Digest, Pick<Claim, "sha256" | "frames">>;

/** The event as a session says it that calls content by those names. */
export function renamed(event: Logged, names: Names): Logged {
  if (event.type === "tool_result_stored") return { ...event, ...names.get(event.sha256) };
  if (event.type === "remembered" && event.media) {
    const called = (sha256: Digest) => names.get(sha256)?.sha256 ?? sha256;
    const media = event.media.map((part) =>
      part.shown === "image" ? { ...part, sha256: called(part.sha256) } : part,
    );
    return { ...event, media };
  }
  if (event.type !== "adopted") return event;
  return { ...event, claims: event.claims.map((claim) => ({ ...claim, ...names.get(claim.sha256) })) };
}

/** Every claim of a log by its handle, as the index joins them; `before`: of what is not read again. */
export function claimsOf(
  events: Iterable<Logged>,
  before: readonly Claim[] = [],
): ReadonlyMap<Handle, Claim> {
  const claims = new Map<Handle, Claim>(before.map((claim) => [claim.handle, claim]));
  for (const event of events)
    for (const claim of claimsIn(event)) {
      const before = claims.get(claim.handle);
      claims.set(claim.handle, before ? joinedClaim(before, claim) : claim);
    }
  return claims;
}

/** One claim for every content that a log names. */
export function contentsOf(events: Iterable<Logged>): ReadonlyMap<Digest, Claim> {
  return new Map([...claimsOf(events).values()].map((claim) => [claim.sha256, claim]));
}

/** The handles that an event put before the model. */
export function ticketsIn(event: Logged): readonly Handle[] {
  switch (event.type) {
    case "remembered":
      return [event.handle, ...(event.media ?? []).map(({ handle }) => handle)].filter((one) => one !== null);
    case "aged":
      return event.decisions.map(({ handle }) => handle);
    case "budgeted":
      return event.cuts.map(({ handle }) => handle);
    case "media_replaced":
      return event.parts.map(({ handle }) => handle);
    case "redeemed":
    case "projected":
    case "branched":
    case "covered":
    case "paged":
      return [event.handle];
    case "session_started":
    case "adopted":
    case "configured":
    case "resumed":
    case "asked":
    case "requested":
    case "replied":
    case "clamped":
    case "authorised":
    case "executed":
    case "redacted":
    case "measured":
    case "tool_result_stored":
    case "redemption_refused":
    case "repaired":
    case "gated":
    case "pinned":
    case "overflowed":
    case "pruned":
    case "recovered":
    case "run_ended":
      return [];
    default:
      return unreachable(event);
  }
}

export function ticketsOf(events: Iterable<Logged>): ReadonlySet<Handle> {
  const tickets = new Set<Handle>();
  for (const event of events) for (const handle of ticketsIn(event)) tickets.add(handle);
  return tickets;
}

/** Contents that may go: every claim to them says so. */
export function reclaimableIn(events: readonly Logged[]): ReadonlySet<Digest> {
  const claims = [...claimsOf(events).values()];
  const may = new Set(claims.filter(({ reclaimable }) => reclaimable).map(({ sha256 }) => sha256));
  for (const { reclaimable, sha256 } of claims) if (!reclaimable) may.delete(sha256);
  return may;
}
