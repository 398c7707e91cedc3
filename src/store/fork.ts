/** A fork: a new session with a session's conversation up to now, its own salt, and copies of everything that it cites. */
import type { Claim, Digest } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { BlobName, Blobs } from "./blobs";
import { buildSession, type Filled } from "./build";
import { fileBytesOf } from "./frames";
import type { OnStep, Place } from "./layout";
import type { Clock } from "./log";
import type { Room } from "./room";
import { sealedBytesOf } from "./seal";
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
  let copiedBytes = 0;
  const fill = async (to: Blobs, claims: readonly Claim[]): Promise<Filled> => {
    const contents = new Map(claims.map((claim) => [claim.sha256, claim]));
    await room.admitCopies(
      [...contents.values()].reduce((sum, { bytes }) => sum + sealedBytesOf(fileBytesOf(bytes)), 0),
    );
    const names = new Map<Digest, BlobName>();
    const missing: Digest[] = [];
    for (const [digest, { bytes }] of contents) {
      const text = await from.read(digest).catch((cause: unknown) => {
        if (cause instanceof Failure) return null; // gone or altered there: told, and not carried on
        throw cause;
      });
      if (text === null) missing.push(digest);
      else {
        names.set(digest, await to.put(text));
        copiedBytes += bytes;
      }
    }
    return { names, missing };
  };
  const made = await buildSession({ root, tenant, kind: "fork", events, isSealed, fill, clock, onStep });
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
