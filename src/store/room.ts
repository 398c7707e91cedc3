/**
 * How much the stored results of all sessions may take. What they take is one number in a file beside the sessions:
 * a total that a sweep measured, and a line for every change since, so that a put costs the same however many sessions
 * there are. Only content counts; logs and indexes are not refused. Far from the limit the file is read every few
 * seconds and written at the end of a turn; near it, at every put.
 */
import { appendFile, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../schema/failure";
import { FILE_MODE, writeAtomically } from "./atomic";
import { folderFiles } from "./blobFiles";
import { BLOBS, listPlaces, listTenants, type Root } from "./layout";

export type StoreLimits = {
  readonly maximumBytes: number; // of all stored results
  readonly maximumEntryBytes: number; // of one
  /** Called where a result finds no room and nothing may be dropped. The result is refused all the same. */
  readonly onFull?: () => void;
};

const MEGABYTE = 1024 * 1024;
export const limitsOf = (maximumMegabytes: number, maximumEntryMegabytes: number): StoreLimits => ({
  maximumBytes: maximumMegabytes * MEGABYTE,
  maximumEntryBytes: maximumEntryMegabytes * MEGABYTE,
});
export const DEFAULT_LIMITS = limitsOf(2048, 64);

const USAGE = "usage.log";
const LINE = /^([=+])(\d{1,16})$/;

const FRESH_MS = 5000;
const NEAR_BYTES = 64 * MEGABYTE; // and a tenth: what other windows could add meanwhile
const NEAR_SHARE = 0.1;

/** Drops content that may be dropped, at least so many bytes if there are; resolves with the bytes it freed. */
export type Reclaim = (bytes: number) => Promise<number>;

export class Room {
  readonly #root: Root;
  readonly #limits: StoreLimits;
  readonly #reclaim: Reclaim;
  #read: { inode: bigint; bytes: number; total: number | null } = { inode: -1n, bytes: 0, total: null };

  #known = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };
  #unwritten = 0;

  constructor(root: Root, limits: StoreLimits, reclaim: Reclaim = async () => 0) {
    this.#root = root;
    this.#limits = limits;
    this.#reclaim = reclaim;
  }

  /** Throws `entry-too-large`, or `store-full` where nothing more can be dropped: before anything is written. */
  async admit(bytes: number, fileBytes = bytes): Promise<void> {
    this.admitEntry(bytes);
    await this.admitCopies(fileBytes);
  }

  /** Throws `entry-too-large`. Enough for content that takes no room here. */
  admitEntry(bytes: number): void {
    const { maximumEntryBytes } = this.#limits;
    if (bytes > maximumEntryBytes) {
      throw new Failure(
        "entry-too-large",
        `A result of ${bytes} bytes is larger than what may be stored (${maximumEntryBytes} bytes; setting cloakroom.store.maximumEntryMegabytes).`,
        { bytes, maximumEntryBytes },
      );
    }
  }

  /** The same for content that was stored once already, many at a time. */
  async admitCopies(bytes: number): Promise<void> {
    const { maximumBytes } = this.#limits;
    if (performance.now() - this.#known.atMs < FRESH_MS && !this.#isNear(bytes)) return;
    const over = (total: number) => total + bytes - maximumBytes;
    await this.flush();
    if (over(await this.#total()) <= 0) return;
    const measured = await measure(this.#root); // before refusing, the truth
    if (over(measured) <= 0) return;
    const freed = await this.#reclaim(over(measured));
    if (over(measured - freed) <= 0) return;
    this.#limits.onFull?.();
    throw new Failure(
      "store-full",
      `Cloakroom's storage is full: stored results take ${measured} of ${maximumBytes} bytes. Delete sessions, or raise cloakroom.store.maximumMegabytes.`,
      { bytes, measured, maximumBytes },
    );
  }

  /** Counts what was written: for everyone at the next `flush`, at once where room is short. */
  async note(bytes: number): Promise<void> {
    this.#known = { ...this.#known, bytes: this.#known.bytes + bytes };
    this.#unwritten += bytes;
    if (this.#isNear(0)) await this.flush();
  }

  #isNear(bytes: number): boolean {
    const { maximumBytes } = this.#limits;
    return this.#known.bytes + bytes > maximumBytes - Math.max(NEAR_BYTES, maximumBytes * NEAR_SHARE);
  }

  /** Tells the other windows. A disk that does not take it loses nothing: the next sweep measures. */
  async flush(): Promise<void> {
    const bytes = this.#unwritten;
    if (bytes === 0) return;
    this.#unwritten = 0;
    await appendFile(join(this.#root.path, USAGE), `+${bytes}\n`, { mode: FILE_MODE }).catch(
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === undefined) throw cause;
      },
    );
  }

  async #total(): Promise<number> {
    const bytes = await this.#readTotal();
    this.#known = { bytes: bytes + this.#unwritten, atMs: performance.now() };
    return this.#known.bytes;
  }

  async #readTotal(): Promise<number> {
    const file = await open(join(this.#root.path, USAGE), "r").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return null;
      throw cause;
    });
    if (!file) return measure(this.#root);
    try {
      const { ino, size } = await file.stat({ bigint: true });
      const known =
        ino === this.#read.inode && size >= this.#read.bytes ? this.#read : { bytes: 0, total: null };
      const length = Number(size) - known.bytes;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, known.bytes);
      const text = buffer.toString("latin1", 0, bytesRead);
      const whole = text.slice(0, text.lastIndexOf("\n") + 1); // a line that is being written counts next time
      this.#read = { inode: ino, bytes: known.bytes + whole.length, total: added(known.total, whole) };
      return this.#read.total ?? measure(this.#root); // no total stands before the changes
    } finally {
      await file.close();
    }
  }
}

/** Null until a measured total is there to add to. */
function added(total: number | null, lines: string): number | null {
  for (const line of lines.split("\n")) {
    const [, sign, digits] = LINE.exec(line) ?? [];
    if (sign === "=") total = Number(digits);
    else if (sign !== undefined && total !== null) total += Number(digits);
  }
  return total;
}

/** What the stored results of all sessions take on disk, counted and written down. What the disk does not list is not counted. */
export async function measure(root: Root): Promise<number> {
  let bytes = 0;
  for (const tenant of await listTenants(root)) {
    const { sessions, drafts } = await listPlaces(root, tenant);
    for (const { folder } of [...sessions, ...drafts]) bytes += await bytesIn(folder);
  }
  await writeAtomically(join(root.path, USAGE), `=${bytes}\n`);
  return bytes;
}

async function bytesIn(folder: string): Promise<number> {
  try {
    return (await folderFiles(join(folder, BLOBS)).list()).reduce((sum, { bytes }) => sum + bytes, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    return 0; // one session's folder does not keep all the others from storing
  }
}

/** After deletions: the next put measures again. */
export async function forgetUsage(root: Root): Promise<void> {
  await rm(join(root.path, USAGE), { force: true });
}
