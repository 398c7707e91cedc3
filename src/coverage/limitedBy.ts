/** Whose limit a list stopped at: ours, the server's, the tool's, or the one that was asked for (CONFORMANCE §6). */

/** Counts of one call. `requested` is what the model wrote, `sent` what the tool received; null: no count. */
export type LimitFacts = {
  readonly requested: number | null;
  readonly sent: number | null;
  readonly returned: number;
  /** The source's word that more follows; null where it says nothing. */
  readonly saysMore: boolean | null;
};

export type LimitedBy =
  | "nobody" // the list ended
  | "our_clamp" // as many as we let through, fewer than were asked for
  | "server_cap" // fewer than the tool was sent, and more follow
  | "tool_limit" // no count was sent, and more follow: the tool's own default
  | "asked_for" // as many as the model asked for
  | "unknown"; // nobody says whether more follow

/** Contract: a `saysMore` of false is believed; doubt is `unknown`, never `nobody`. */
export function limitedBy({ requested, sent, returned, saysMore }: LimitFacts): LimitedBy {
  if (saysMore === false) return "nobody";
  if (sent === null) return saysMore ? "tool_limit" : "unknown";
  if (returned >= sent) return requested !== null && sent < requested ? "our_clamp" : "asked_for";
  return saysMore ? "server_cap" : "unknown";
}

/** For the model and for people; "" where nothing is to be said. */
export function limitWords(by: LimitedBy, { requested, sent, returned }: LimitFacts): string {
  switch (by) {
    case "nobody":
      return "";
    case "our_clamp":
      return `our limit lowered the count from ${requested} to ${sent}; later records were not requested`;
    case "server_cap":
      return `the server returned ${returned} of the ${sent} records it was asked for and has more`;
    case "tool_limit":
      return `the tool returned ${returned} records by its own limit and has more`;
    case "asked_for":
      return `as many records as were asked for (${sent}); there may be more`;
    case "unknown":
      return "the source does not say whether there are more";
  }
}
