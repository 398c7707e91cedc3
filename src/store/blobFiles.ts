/** Where one session's blobs lie, as a port: a folder, memory, Redis; as they are or sealed. A name is a digest. */
import { type FileHandle, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../schema/claim";
import { Failure } from "../schema/failure";
import { makeFolder, writeWith } from "./atomic";
import { type Disk, nodeDisk } from "./disk";
import type { ReadAt } from "./frames";
import { entriesIn, isDraftFile, statOf } from "./layout";

/** A blob that is being read. `read` resolves with fewer bytes than asked for where it ends. */
export type BlobFile = { readonly read: ReadAt; all(): Promise<Buffer> };

/** What lies there. `draft`: half written; `stray`: not ours. `changedAt` in Unix milliseconds. */
export type Listed = {
  readonly name: string;
  readonly where: string; // for people
  readonly bytes: number;
  readonly changedAt: number;
} & ({ readonly kind: "blob"; readonly digest: Digest } | { readonly kind: "draft" | "stray" });

export type BlobFiles = {
  /** What `write` appended is there whole when this resolves, or not at all. It takes the place of what was there. */
  write<T>(name: Digest, write: (append: (bytes: Uint8Array) => Promise<void>) => Promise<T>): Promise<T>;
  /** Throws `blob-missing`, or the disk's own error. */
  open<T>(name: Digest, use: (file: BlobFile) => Promise<T>): Promise<T>;
  list(): Promise<readonly Listed[]>;
  /** Removes it where it is as it was listed. Resolves with the bytes that were freed, null where somebody wrote it since. */
  remove(listed: Listed): Promise<number | null>;
  /** Removes everything that lies there, strays too. Resolves with what it was. */
  clear(): Promise<{ contents: number; bytes: number }>;
};

export const BLOB_NAME = /^[0-9a-f]{64}$/;

/** A session's `blobs` folder. It is made when the first blob is written. */
export function folderFiles(folder: string, disk: Disk = nodeDisk): BlobFiles {
  let made: Promise<void> | null = null; // once: a store that was deleted since does not come back piece by piece
  return {
    write: async (name, write) => {
      made ??= makeFolder(folder, disk);
      await made.catch((cause: unknown) => {
        made = null; // the next one tries again
        throw cause;
      });
      const path = join(folder, name);
      return writeWith(path, (file) => write((bytes) => append(file, bytes)), disk);
    },
    open: (name, use) => withFile(disk, join(folder, name), name, use),
    list: () => listFolder(folder),
    remove: async ({ where, changedAt }) => {
      const found = await statOf(where);
      if (!found || found.mtimeMs !== changedAt) return null;
      await rm(where, { force: true });
      return found.size;
    },
    clear: async () => {
      const listed = await listFolder(folder);
      await rm(folder, { recursive: true, force: true });
      return cleared(listed);
    },
  };
}

/** Nothing outlives the process: tests, and sessions that leave nothing behind. */
export function memoryFiles(now: () => number = Date.now): BlobFiles {
  const kept = new Map<string, { bytes: Buffer; changedAt: number }>();
  const list = (): Listed[] =>
    [...kept].map(([name, { bytes, changedAt }]) => ({
      ...{ name, where: `memory:${name}`, bytes: bytes.length, changedAt },
      ...{ kind: "blob", digest: name as Digest },
    }));
  return {
    write: async (name, write) => {
      const parts: Uint8Array[] = [];
      const result = await write(async (bytes) => void parts.push(Uint8Array.from(bytes)));
      kept.set(name, { bytes: Buffer.concat(parts), changedAt: now() });
      return result;
    },
    open: async (name, use) => {
      const found = kept.get(name)?.bytes;
      if (!found) throw missing(name);
      const read: ReadAt = async (position, length) =>
        Buffer.from(found.subarray(position, position + length));
      return use({ read, all: async () => Buffer.from(found) });
    },
    list: async () => list(),
    remove: async ({ name, changedAt }) => {
      const found = kept.get(name);
      if (!found || found.changedAt !== changedAt) return null;
      kept.delete(name);
      return found.bytes.length;
    },
    clear: async () => {
      const listed = list();
      kept.clear();
      return cleared(listed);
    },
  };
}

export function cleared(listed: readonly Listed[]): { contents: number; bytes: number } {
  return {
    contents: listed.filter(({ kind }) => kind === "blob").length,
    bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export function missing(digest: Digest): Failure {
  return new Failure(
    "blob-missing",
    "This stored result is gone from the store. Run its tool again if you need it.",
    { digest },
  );
}

async function withFile<T>(
  disk: Disk,
  path: string,
  digest: Digest,
  use: (file: BlobFile) => Promise<T>,
): Promise<T> {
  let file: FileHandle;
  try {
    file = await disk.open(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause; // a locked or unreadable disk is not a missing blob
    throw missing(digest);
  }
  try {
    return await use({
      read: (position, length) => readAt(file, position, length),
      all: () => file.readFile(),
    });
  } finally {
    await file.close();
  }
}

/** At once where the system takes it: `appendFile` would come back between halves of a megabyte. */
async function append(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

/** Fewer bytes than asked for where the file ends: no digest fits them. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const { bytesRead } = await file.read(buffer, got, length - got, position + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return buffer.subarray(0, got);
}

async function listFolder(folder: string): Promise<readonly Listed[]> {
  const files: Listed[] = [];
  for (const entry of await entriesIn(folder)) {
    if (!entry.isFile()) continue;
    const where = join(folder, entry.name);
    const found = await statOf(where);
    if (!found) continue;
    const file = { name: entry.name, where, bytes: found.size, changedAt: found.mtimeMs };
    if (BLOB_NAME.test(entry.name)) files.push({ ...file, kind: "blob", digest: entry.name as Digest });
    else files.push({ ...file, kind: isDraftFile(entry.name) ? "draft" : "stray" });
  }
  return files;
}
