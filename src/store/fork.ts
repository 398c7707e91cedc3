/** A fork: a new session with a session's conversation up to now, its own salt, and copies of everything that it cites. */
import { join } from "node:path";
import type { Claim, Digest } from "../schema/claim";
import { Failure } from "../schema/failure";
import { Blobs } from "./blobs";
import { buildSession } from "./build";
import { fileBytesOf } from "./frames";
import { BLOBS, type OnStep, type Place } from "./layout";
import type { Clock } from "./log";
import type { Room } from "./room";
import { type FolderState, readFolder } from "./sessionFolder";

export type Forked = { readonly session: string; readonly results: number; readonly missing: number };

/**
 * Copies, never links: what happens to one session's files happens to no other's. The source may be running: it is
 * copied as far as its log says now. Throws `session-missing`, `log-damaged`, `store-full`.
 */
export async function fork(
  root: string,
  source: Place,
  { clock, room, onStep }: { clock: Clock; room: Room; onStep?: OnStep | undefined },
): Promise<Forked> {
  const { events } = begun(source, await readFolder(source));
  const from = new Blobs(join(source.folder, BLOBS));
  let copiedBytes = 0;
  const fill = async (to: Blobs, claims: readonly Claim[]): Promise<readonly Digest[]> => {
    const contents = new Map(claims.map((claim) => [claim.sha256, claim]));
    await room.admitCopies([...contents.values()].reduce((sum, { bytes }) => sum + fileBytesOf(bytes), 0));
    const missing: Digest[] = [];
    for (const [digest, { bytes }] of contents) {
      const content = await from.readBytes(digest).catch((cause: unknown) => {
        if (cause instanceof Failure) return null; // gone or altered there: told, and not carried on
        throw cause;
      });
      if (content === null) missing.push(digest);
      else {
        await to.putBytes(content);
        copiedBytes += bytes;
      }
    }
    return missing;
  };
  const made = await buildSession({ root, tenant: source.tenant, kind: "fork", events, fill, clock, onStep });
  await room.note(copiedBytes);
  await room.flush();
  return made;
}

/** The log of a session that can be read, or why not. */
export function begun(place: Place, state: FolderState): FolderState & { kind: "begun" } {
  if (state.kind === "begun") return state;
  const facts = { session: place.session.slice(0, 64) };
  if (state.kind === "unreadable")
    throw new Failure(
      "log-damaged",
      `This session cannot be read: ${state.why}. It was left as it is.`,
      facts,
    );
  throw new Failure("session-missing", "This session is no longer on disk. Pick another one.", facts);
}
