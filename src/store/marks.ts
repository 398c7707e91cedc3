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
  if (event.type === "forgotten")
    return { ...event, sha256: names.get(event.sha256)?.sha256 ?? event.sha256 };
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

/** Takes one event in, in order. Says whether any claim is another now. */
export function takeIn(claims: Map<Handle, Claim>, event: Logged): boolean {
  if (event.type === "forgotten") return forget(claims, event.handle);
  let isChanged = false;
  for (const claim of claimsIn(event)) {
    const before = claims.get(claim.handle);
    const joined = before ? joinedClaim(before, claim) : claim;
    if (joined === before) continue;
    claims.set(claim.handle, joined);
    isChanged = true;
  }
  return isChanged;
}

function forget(claims: Map<Handle, Claim>, handle: Handle): boolean {
  const claim = claims.get(handle);
  if (!claim || claim.forgotten) return false;
  claims.set(handle, { ...claim, forgotten: true });
  return true;
}

/** Every claim of a log by its handle, as the index joins them; `before`: of what is not read again. */
export function claimsOf(
  events: Iterable<Logged>,
  before: readonly Claim[] = [],
): ReadonlyMap<Handle, Claim> {
  const claims = new Map<Handle, Claim>(before.map((claim) => [claim.handle, claim]));
  for (const event of events) takeIn(claims, event);
  return claims;
}

/** One claim for every content that a log names and nobody forgot. */
export function contentsOf(events: Iterable<Logged>): ReadonlyMap<Digest, Claim> {
  return contentsIn(claimsOf(events).values());
}

/** The same for claims. What one of them forgot is content all the same where another has it too. */
export function contentsIn(claims: Iterable<Claim>): ReadonlyMap<Digest, Claim> {
  const kept = [...claims].filter(({ forgotten }) => !forgotten);
  return new Map(kept.map((claim) => [claim.sha256, claim]));
}

/** Contents that are to be gone: every claim to them was forgotten. */
export function forgottenIn(claims: Iterable<Claim>): ReadonlySet<Digest> {
  const all = [...claims];
  const kept = contentsIn(all);
  return new Set(all.map(({ sha256 }) => sha256).filter((sha256) => !kept.has(sha256)));
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
    case "forgotten":
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
