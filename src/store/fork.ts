/**
 * A fork: a new session with a session's conversation up to now or to one of its turns, its own salt, and copies of
 * everything that it cites.
 */
import type { Claim } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { isLost } from "./blobs";
import { buildSession } from "./build";
import { type OnStep, type Place, sessionMissing } from "./layout";
import type { Clock } from "./log";
import { claimsOf, contentsOf } from "./marks";
import type { Room } from "./room";
import { type FolderState, readFolder } from "./sessionFolder";

export type Forked = { readonly session: string; readonly results: number; readonly missing: number };

/** `throughTurn`: the last turn that is copied; without it, all are. */
export type ForkPorts = {
  readonly clock: Clock;
  readonly room: Room;
  readonly onStep?: OnStep | undefined;
  readonly throughTurn?: number | undefined;
};

/**
 * Copies, never links: what happens to one session's files happens to no other's. The source may be running: it is
 * copied as far as its log says now. A fork of a sealed session is sealed. Throws `session-missing`,
 * `turn-missing`, `log-damaged`, `store-full`.
 */
export async function fork(source: Place, { clock, room, onStep, throughTurn }: ForkPorts): Promise<Forked> {
  const { events: all, keeping, blobs: from } = begun(source, await readFolder(source));
  const events = throughTurn === undefined ? all : through(all, throughTurn);
  const { root, tenant } = source;
  const isSealed = keeping.seal !== null || root.vault.sealsNew;
  const contents = [...contentsOf(events).values()];
  const read = ({ sha256 }: Claim): Promise<Buffer | null> =>
    from.readBytes(sha256).catch((cause: unknown) => {
      if (isLost(cause)) return null; // told, and not carried on
      throw cause;
    });
  const copy = { events, contents, missing: [], read, isSealed };
  return buildSession({ root, tenant, kind: "fork", ...copy, room, clock, onStep });
}

/**
 * The log up to where the next turn began to be made: with all results of its calls, what was said at its end, and what
 * the person pinned before going on. What was forgotten later is forgotten there too: its content is gone.
 */
export function through(events: readonly Logged[], turn: number): readonly Logged[] {
  const begins = events.findIndex((event) => event.type === "requested" && event.turn === turn);
  if (begins < 0) throw withoutTurn(events, turn);
  const ends = events.findIndex((event, at) => at > begins && isOfLaterTurn(event, turn));
  if (ends < 0) return events;
  const kept = events.slice(0, ends);
  const [then, now] = [claimsOf(kept), claimsOf(events)];
  const isForgotten = (event: Logged) =>
    event.type === "forgotten" && then.has(event.handle) && now.get(event.handle)?.forgotten === true;
  return [...kept, ...events.slice(ends).filter(isForgotten)];
}

/** What a next request is made with, or its question. */
function isOfLaterTurn(event: Logged, turn: number): boolean {
  switch (event.type) {
    case "asked":
    case "requested":
    case "aged":
    case "budgeted":
    case "pruned":
    case "media_replaced":
      return event.turn > turn;
    case "overflowed":
      return event.turn >= turn; // that turn had no reply
    default:
      return false;
  }
}

function withoutTurn(events: readonly Logged[], turn: number): Failure {
  const last = events.findLast((event) => event.type === "requested")?.turn ?? 0;
  const has = last === 0 ? "no turns yet" : `turns 1 to ${last}`;
  return new Failure(
    "turn-missing",
    `There is no turn ${turn} in this session: it has ${has}. Pick one of those.`,
    {
      turn,
    },
  );
}

/** The log of a session that can be read, or why not. */
export function begun(place: Place, state: FolderState): FolderState & { kind: "begun" } {
  if (state.kind === "begun") return state;
  const facts = { session: place.session.slice(0, 64) };
  if (state.kind === "unreadable" && state.isLocked) throw new Failure("key-missing", state.why, facts);
  if (state.kind === "unreadable")
    throw new Failure(
      "log-damaged",
      `This session cannot be read: ${state.why}. It was left as it is.`,
      facts,
    );
  throw sessionMissing(place.session);
}
