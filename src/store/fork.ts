/** A fork: a new session with a session's conversation up to now, its own salt, and copies of everything that it cites. */
import type { Claim } from "../schema/claim";
import { Failure } from "../schema/failure";
import { isLost } from "./blobs";
import { buildSession } from "./build";
import type { OnStep, Place } from "./layout";
import type { Clock } from "./log";
import { contentsOf } from "./marks";
import type { Room } from "./room";
import { type FolderState, readFolder } from "./sessionFolder";

export type Forked = { readonly session: string; readonly results: number; readonly missing: number };

/**
 * Copies, never links: what happens to one session's files happens to no other's. The source may be running: it is
 * copied as far as its log says now. A fork of a sealed session is sealed. Throws `session-missing`, `log-damaged`, `store-full`.
 */
export async function fork(
  source: Place,
  { clock, room, onStep }: { clock: Clock; room: Room; onStep?: OnStep | undefined },
): Promise<Forked> {
  const { events, keeping, blobs: from } = begun(source, await readFolder(source));
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
  throw new Failure("session-missing", "This session is no longer on disk. Pick another one.", facts);
}
