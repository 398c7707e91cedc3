/** One session's folder as it stands on disk, read without taking it over. Sweep, erase, verify, fork and export start here. */
import { randomUUID } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import type { Listed } from "./blobFiles";
import { type Blobs, isLost } from "./blobs";
import { readChain } from "./chain";
import { entriesIn, isDraftFile, LOCK, LOG, type Place, SNAPSHOTS, statOf } from "./layout";
import { type Lock, takeLock } from "./lock";
import { type Clock, readFirstEvent } from "./log";
import { blobsOf, type Keeping } from "./vault";

/**
 * `begun`: the log reads to its end, or to a last line that a crash tore (`isTorn`). `lostLines`: part of it was moved
 * aside once, so it may name content that it no longer tells of. `empty`: a session that never began. `unreadable`: what
 * it names is not known, so nothing of the folder may be deleted.
 */
export type FolderState =
  | {
      readonly kind: "begun";
      readonly events: readonly Logged[];
      readonly bytes: Uint8Array; // as far as the chain holds
      readonly sum: string;
      readonly isTorn: boolean;
      readonly lostLines: boolean;
      readonly keeping: Keeping;
      readonly blobs: Blobs;
    }
  | { readonly kind: "empty" }
  | { readonly kind: "gone" }
  | {
      readonly kind: "unreadable";
      readonly why: string;
      readonly isLocked?: true; // sealed, and nothing here opens it
    };

const NEWLINE = 10;

export async function readFolder(place: Place): Promise<FolderState> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(join(place.folder, LOG));
  } catch (cause) {
    return withoutLog(place, cause as NodeJS.ErrnoException);
  }
  try {
    const keeping = await place.root.vault.of(place);
    const { events, sum, goodBytes, problem } = readChain(bytes, keeping.seal);
    const isTorn = problem !== null && bytes.indexOf(NEWLINE, goodBytes) < 0;
    if (problem !== null && !isTorn) return { kind: "unreadable", why: `${LOG}: ${problem}` };
    if (events[0]?.type !== "session_started")
      return events.length === 0 && !(await hasContent(place))
        ? { kind: "empty" } // the crash came before the first event
        : { kind: "unreadable", why: `${LOG} has no beginning` };
    const names = await readdir(place.folder);
    const lostLines = names.some((name) => name.startsWith(`${LOG}.damaged-`));
    const read = { events, bytes: bytes.subarray(0, goodBytes), sum, isTorn, lostLines };
    return { kind: "begun", ...read, keeping, blobs: blobsOf(keeping) };
  } catch (cause) {
    if (cause instanceof Failure) {
      const isLocked = cause.code === "key-missing";
      return { kind: "unreadable", why: cause.message, ...(isLocked && { isLocked }) };
    }
    return unreadable(cause);
  }
}

async function withoutLog(place: Place, cause: NodeJS.ErrnoException): Promise<FolderState> {
  if (cause.code !== "ENOENT") return unreadable(cause);
  try {
    await stat(place.folder);
    return (await hasContent(place)) ? { kind: "unreadable", why: `${LOG} is missing` } : { kind: "empty" };
  } catch (missing) {
    if ((missing as NodeJS.ErrnoException).code === "ENOENT") return { kind: "gone" };
    return unreadable(missing);
  }
}

function unreadable(cause: unknown): FolderState {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === undefined) throw cause;
  if (code === "ENOENT") return { kind: "gone" }; // deleted while it was read
  return { kind: "unreadable", why: `${LOG} cannot be read (${code})` };
}

/** What lies there of a session's stored results. Throws as the vault does, and the disk. */
export async function listContents(place: Place): Promise<readonly Listed[]> {
  return (await place.root.vault.whereOf(place)).files.list();
}

async function hasContent(place: Place): Promise<boolean> {
  return (await listContents(place)).some(({ kind }) => kind === "blob");
}

/** Files that a crash left half-written, beside the log, the locks and the snapshots. */
export async function listDrafts(folder: string): Promise<readonly { path: string; changedAt: number }[]> {
  const drafts: { path: string; changedAt: number }[] = [];
  for (const parent of [folder, join(folder, LOCK), join(folder, SNAPSHOTS)]) {
    for (const { name } of await entriesIn(parent)) {
      if (!isDraftFile(name)) continue;
      const path = join(parent, name);
      const found = await statOf(path);
      if (found) drafts.push({ path, changedAt: found.mtimeMs });
    }
  }
  return drafts;
}

/** How a session began, without reading the rest of its log. Throws as the vault does, and the disk. */
export async function firstEventOf(place: Place): Promise<Logged | null> {
  const { seal } = await place.root.vault.of(place);
  return readFirstEvent(join(place.folder, LOG), seal);
}

/**
 * When the session was last used, in Unix milliseconds: its newest event or its log's last change, whichever is later.
 * A clock that went back in between makes a session younger, never older.
 */
export async function lastUsedAt(place: Place, events: readonly Logged[]): Promise<number> {
  const changed = (await statOf(join(place.folder, LOG)))?.mtimeMs ?? 0;
  return events.reduce((newest, { at }) => Math.max(newest, at), changed);
}

export type BlobState = "whole" | "missing" | "corrupt" | "unreadable";

/** Whether stored content is what its digest says. */
export async function blobState(blobs: Blobs, digest: Digest): Promise<BlobState> {
  try {
    await blobs.readBytes(digest);
    return "whole";
  } catch (cause) {
    if (isLost(cause)) return cause.code === "blob-corrupt" ? "corrupt" : "missing";
    if ((cause as NodeJS.ErrnoException).code !== undefined) return "unreadable";
    throw cause;
  }
}

/** The session's lock, or why it is not to be had. Never makes a folder that is gone come back. */
export async function lockFolder(place: Place, clock: Clock): Promise<Lock | "in-use" | "gone"> {
  if (!(await statOf(place.folder))) return "gone";
  try {
    return await takeLock(join(place.folder, LOCK), clock.now(), randomUUID());
  } catch (cause) {
    if (cause instanceof Failure && cause.code === "session-in-use") return "in-use";
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "gone";
    throw cause;
  }
}

/** Whether somebody holds the session now. Takes nothing. */
export async function isInUse(place: Place, clock: Clock): Promise<boolean> {
  const held = (await entriesIn(join(place.folder, LOCK))).some(({ name }) => name.endsWith(".json"));
  if (!held) return false;
  const lock = await lockFolder(place, clock);
  if (lock === "in-use") return true;
  if (lock !== "gone") await lock.release();
  return false;
}
