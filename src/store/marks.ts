/** What a log says of stored results: which it names, and which tickets were shown. Folds over events. */
import type { Claim, Digest, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { unreachable } from "../schema/failure";

/** The claims that an event brings into the session: issued, or taken over from another. */
export function claimsIn(event: Logged): readonly Claim[] {
  if (event.type === "adopted") return event.claims;
  if (event.type !== "tool_result_stored") return [];
  const { type: _type, call: _call, n: _n, at: _at, origin: _origin, ...claim } = event;
  return [claim];
}

/** Every claim of a log by its handle; the first of a name stays. */
export function claimsOf(events: Iterable<Logged>): ReadonlyMap<Handle, Claim> {
  const claims = new Map<Handle, Claim>();
  for (const event of events)
    for (const claim of claimsIn(event)) if (!claims.has(claim.handle)) claims.set(claim.handle, claim);
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
      return event.handle === null ? [] : [event.handle];
    case "aged":
      return event.decisions.map(({ handle }) => handle);
    case "budgeted":
      return event.cuts.map(({ handle }) => handle);
    case "redeemed":
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

/** Content that may be dropped when the store is full (CONFORMANCE §0.6). No tool is listed as such yet. */
export type IsReclaimable = (claim: Claim) => boolean;
export const isReclaimable: IsReclaimable = () => false;
