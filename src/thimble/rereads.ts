/** What was asked for again: later pages, the same list once more, stored results read back (seed 003 §Metrics). Pure. */
import type { Logged } from "../schema/event";
import type { CallFacts } from "./callFacts";

/** Turns in which asking again counts as such, and is held against a clamp (CONFORMANCE §5 Scorecard). */
export const NEAR_TURNS = 3;

/**
 * `call` asked for more of what `of` had asked for. `continued`: from another place of the list, however much later;
 * `asked_again`: from the same place within three turns; `read_back`: its stored result. `causedBy`: the call whose lowered count it follows from.
 */
export type Reread = {
  readonly call: string;
  readonly of: string;
  readonly kind: "continued" | "asked_again" | "read_back";
  readonly turnsLater: number;
  readonly causedBy: string | null;
};

/** The calls of one list: the newest, and the newest of an earlier turn. Siblings have not seen each other's results. */
type Line = { turn: number; newest: CallFacts; before: CallFacts | null };

/** In the order of the calls; a call is at most one. Linear in calls and events. */
export function rereadsFrom(events: readonly Logged[], calls: readonly CallFacts[]): Reread[] {
  const readBacks = readBacksIn(events);
  const byCall = new Map(calls.map((facts) => [facts.call, facts]));
  const causes = new Map<string, string | null>();
  const lines = new Map<string, Line>();
  const rereads: Reread[] = [];
  for (const facts of calls) {
    const readBack = byCall.get(readBacks.get(facts.call) ?? "");
    const earlier = earlierOf(lines, facts);
    if (readBack !== undefined) {
      rereads.push(rereadOf(facts, readBack, "read_back", null));
      continue;
    }
    if (earlier === null) continue;
    const kind = earlier.position === facts.position ? "asked_again" : "continued";
    if (kind === "asked_again" && facts.turn - earlier.turn > NEAR_TURNS) continue;
    const causedBy = earlier.isLowered ? earlier.call : (causes.get(earlier.call) ?? null);
    causes.set(facts.call, causedBy);
    rereads.push(rereadOf(facts, earlier, kind, causedBy));
  }
  return rereads;
}

const rereadOf = (
  { call, turn }: CallFacts,
  of: CallFacts,
  kind: Reread["kind"],
  causedBy: string | null,
): Reread => ({ call, of: of.call, kind, turnsLater: turn - of.turn, causedBy });

function earlierOf(lines: Map<string, Line>, facts: CallFacts): CallFacts | null {
  const line = lines.get(facts.identity);
  if (line === undefined) {
    lines.set(facts.identity, { turn: facts.turn, newest: facts, before: null });
    return null;
  }
  if (line.turn !== facts.turn) line.before = line.newest;
  if (line.turn !== facts.turn || !line.newest.isLowered) line.newest = facts; // of siblings, the lowered one
  line.turn = facts.turn;
  return line.before;
}

/** By the call that read: the call whose result it read. */
function readBacksIn(events: readonly Logged[]): Map<string, string> {
  const storedBy = new Map<string, string>();
  const readBacks = new Map<string, string>();
  for (const event of events) {
    if (event.type === "tool_result_stored") storedBy.set(event.handle, event.call);
    else if (event.type === "redeemed") {
      const of = storedBy.get(event.handle);
      if (of !== undefined) readBacks.set(event.call, of);
    }
  }
  return readBacks;
}
