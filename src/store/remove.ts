/** Deleting a session's folder. Whoever calls holds its lock. */
import { randomBytes } from "node:crypto";
import { rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "./atomic";
import { DRAFT, entriesIn, GONE, KEEPING, type OnStep, type Place, statOf } from "./layout";

const RETRIES = { recursive: true, force: true, maxRetries: 5, retryDelay: 50 } as const;

/**
 * Invariant: a session is there whole or it is not there. Contents that lie elsewhere go first; then it takes a name that
 * nobody looks for, loses its key, and a crash after that leaves what `removeGone` finishes. Resolves with the bytes
 * that were freed. Throws `contents-unreachable` before anything is gone.
 */
export async function removeSession(place: Place, onStep: OnStep): Promise<number> {
  const parent = dirname(place.folder);
  const gone = join(parent, `${GONE}${place.session}-${randomBytes(4).toString("hex")}`);
  await onStep("contents");
  const { isRemote, files } = await place.root.vault.whereOf(place);
  const elsewhere = isRemote && !(await isNamed(place)) ? (await files.clear()).bytes : 0;
  await onStep("rename");
  await rename(place.folder, gone);
  await syncFolder(parent);
  await rm(join(gone, KEEPING), { force: true }); // with its key, whatever else is left cannot be read any more
  await syncFolder(gone);
  const bytes = elsewhere + (await bytesBelow(gone));
  await onStep("unlink");
  await removeGone(gone);
  return bytes;
}

/** Whether it is a draft of a session that is there: a backup brought it back, and what lies elsewhere is the session's. */
async function isNamed({ session, folder }: Place): Promise<boolean> {
  if (!session.startsWith(DRAFT)) return false;
  return (await statOf(join(dirname(folder), session.slice(DRAFT.length)))) !== undefined;
}

/** Finishes what was begun: also when another window does the same at the same time. */
export async function removeGone(folder: string): Promise<void> {
  await rm(folder, RETRIES);
  await syncFolder(dirname(folder));
}

export async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await entriesIn(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else
      bytes += await stat(path).then(
        ({ size }) => size,
        (cause: NodeJS.ErrnoException) => {
          if (cause.code !== "ENOENT") throw cause;
          return 0;
        },
      );
  }
  return bytes;
}
