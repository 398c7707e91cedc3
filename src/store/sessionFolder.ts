/** One session's folder as it stands on disk, read without taking it over. Sweep, erase, verify, fork and export start here. */
import { randomUUID } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { Blobs } from "./blobs";
import { readChain } from "./chain";
import { BLOBS, entriesIn, isDraftFile, LOCK, LOG, type Place } from "./layout";
import { type Lock, takeLock } from "./lock";
import type { Clock } from "./log";

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
    }
  | { readonly kind: "empty" }
  | { readonly kind: "gone" }
  | { readonly kind: "unreadable"; readonly why: string };

const NEWLINE = 10;

export async function readFolder(place: Place): Promise<FolderState> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(join(place.folder, LOG));
  } catch (cause) {
    return withoutLog(place, cause as NodeJS.ErrnoException);
  }
  try {
    const { events, sum, goodBytes, problem } = readChain(bytes);
    const isTorn = problem !== null && bytes.indexOf(NEWLINE, goodBytes) < 0;
    if (problem !== null && !isTorn) return { kind: "unreadable", why: `${LOG}: ${problem}` };
    if (events[0]?.type !== "session_started")
      return events.length === 0 && !(await hasContent(place))
        ? { kind: "empty" } // the crash came before the first event
        : { kind: "unreadable", why: `${LOG} has no beginning` };
    const names = await readdir(place.folder);
    const lostLines = names.some((name) => name.startsWith(`${LOG}.damaged-`));
    return { kind: "begun", events, bytes: bytes.subarray(0, goodBytes), sum, isTorn, lostLines };
  } catch (cause) {
    if (cause instanceof Failure) return { kind: "unreadable", why: cause.message };
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

async function hasContent(place: Place): Promise<boolean> {
  return (await listBlobs(place.folder)).some(({ kind }) => kind === "blob");
}

/** A file below `blobs`. `digest` is its name: what is in it is another question. */
export type BlobFile = {
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number; // Unix milliseconds
} & ({ readonly kind: "blob"; readonly digest: Digest } | { readonly kind: "draft" | "stray" });

const BLOB = /^[0-9a-f]{64}$/;

export async function listBlobs(folder: string): Promise<readonly BlobFile[]> {
  const root = join(folder, BLOBS);
  const files: BlobFile[] = [];
  for (const entry of await entriesIn(root)) {
    if (!entry.isFile()) continue;
    const path = join(root, entry.name);
    const found = await statOf(path);
    if (!found) continue;
    const file = { path, bytes: found.size, changedAt: found.mtimeMs };
    if (BLOB.test(entry.name)) files.push({ ...file, kind: "blob", digest: entry.name as Digest });
    else files.push({ ...file, kind: isDraftFile(entry.name) ? "draft" : "stray" });
  }
  return files;
}

/** Files that a crash left half-written, in the folder itself and beside the locks. */
export async function listDrafts(folder: string): Promise<readonly { path: string; changedAt: number }[]> {
  const drafts: { path: string; changedAt: number }[] = [];
  for (const parent of [folder, join(folder, LOCK)]) {
    for (const { name } of await entriesIn(parent)) {
      if (!isDraftFile(name)) continue;
      const path = join(parent, name);
      const found = await statOf(path);
      if (found) drafts.push({ path, changedAt: found.mtimeMs });
    }
  }
  return drafts;
}

/** Undefined where it is gone: another window deletes too. */
export async function statOf(path: string) {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
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

/** Whether stored content is what its digest says. `root` is a session's `blobs` folder. */
export async function blobState(root: string, digest: Digest): Promise<BlobState> {
  try {
    await new Blobs(root).readBytes(digest);
    return "whole";
  } catch (cause) {
    if (cause instanceof Failure) return cause.code === "blob-corrupt" ? "corrupt" : "missing";
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
