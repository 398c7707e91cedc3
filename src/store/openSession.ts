/** A session opened for writing. Satisfies the loop's `Log` and `Claims` ports. */
import type { ContentWindow } from "../claims/window";
import type { Claim, Digest, Handle, Matches } from "../schema/claim";
import type { Logged, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import type { SafeText } from "../schema/text";
import type { BlobName, Blobs } from "./blobs";
import type { ClaimIndex } from "./claimIndex";
import { fileBytesOf } from "./frames";
import type { Lock } from "./lock";
import type { SessionLog } from "./log";
import { contentsIn, forgottenIn } from "./marks";
import type { Room } from "./room";
import { sealedBytesOf } from "./seal";
import { type States, saveSnapshots } from "./snapshots";
import type { Keeping } from "./vault";

/** A shorter log is read in less time than a snapshot is worth. */
export const SNAPSHOT_EVERY_BYTES = 1024 * 1024;

export type SessionParts = {
  readonly id: string;
  readonly folder: string;
  readonly restored: States | null;
  readonly restoredBytes: number; // of the log, that a snapshot covers
  readonly events: readonly Logged[];
  readonly log: SessionLog;
  readonly blobs: Blobs;
  readonly index: ClaimIndex;
  readonly lock: Lock;
  readonly room: Room;
  readonly keeping: Pick<Keeping, "seal" | "isRemote" | "files">;
};

export class OpenSession {
  readonly id: string;
  /** What a snapshot kept of the events before `events`; null where these are all. */
  readonly restored: States | null;
  readonly events: readonly Logged[];
  readonly #folder: string;
  readonly #log: SessionLog;
  readonly #blobs: Blobs;
  readonly #index: ClaimIndex;
  readonly #lock: Lock;
  readonly #room: Room;
  readonly #keeping: SessionParts["keeping"];
  readonly #stored: Set<Digest>;
  #snapshotBytes: number;

  constructor(parts: SessionParts) {
    this.id = parts.id;
    this.restored = parts.restored;
    this.events = parts.events;
    this.#folder = parts.folder;
    this.#log = parts.log;
    this.#blobs = parts.blobs;
    this.#index = parts.index;
    this.#lock = parts.lock;
    this.#room = parts.room;
    this.#keeping = parts.keeping;
    this.#snapshotBytes = parts.restoredBytes;
    this.#stored = new Set(contentsIn(parts.index.state.claims).keys());
  }

  async append(event: SessionEvent): Promise<Logged> {
    const logged = await this.#log.append(event);
    this.#index.observe(logged);
    return logged;
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  /** Throws `entry-too-large` or `store-full` before anything is written. Content that is there already needs no room. */
  put(text: SafeText): Promise<BlobName> {
    return this.#put(
      Buffer.byteLength(text, "utf8"),
      () => Buffer.from(text, "utf8"),
      () => this.#blobs.put(text),
    );
  }

  /** The same for content that is not text. */
  putBytes(bytes: Uint8Array): Promise<BlobName> {
    return this.#put(
      bytes.length,
      () => Buffer.from(bytes),
      () => this.#blobs.putBytes(bytes),
    );
  }

  async #put(bytes: number, content: () => Buffer, put: () => Promise<BlobName>): Promise<BlobName> {
    const fileBytes = this.#keeping.seal ? sealedBytesOf(fileBytesOf(bytes)) : fileBytesOf(bytes);
    try {
      if (this.#keeping.isRemote) this.#room.admitEntry(bytes);
      else await this.#room.admit(bytes, fileBytes);
    } catch (cause) {
      if (!(cause instanceof Failure && this.#stored.has(this.#blobs.digestOf(content())))) throw cause;
    }
    const kept = await put();
    if (!this.#stored.has(kept.sha256) && !this.#keeping.isRemote) await this.#room.note(fileBytes);
    this.#stored.add(kept.sha256);
    return kept;
  }

  read(digest: Digest): Promise<SafeText> {
    return this.#blobs.read(digest);
  }

  readBytes(digest: Digest): Promise<Uint8Array> {
    return this.#blobs.readBytes(digest);
  }

  window(name: BlobName, offset: number, maximumChars?: number): Promise<ContentWindow> {
    return this.#blobs.window(name, offset, maximumChars);
  }

  range(name: BlobName, from: number, to: number): Promise<Uint8Array> {
    return this.#blobs.range(name, from, to);
  }

  charOfLine(name: BlobName, line: number): Promise<number> {
    return this.#blobs.charOfLine(name, line);
  }

  search(name: BlobName, needle: string): Promise<Matches> {
    return this.#blobs.search(name, needle);
  }

  find(handle: Handle): Claim | undefined {
    return this.#index.find(handle);
  }

  /**
   * Removes contents of which every claim was forgotten: after that is on record, and again by whoever opens the session
   * after a crash. What somebody writes meanwhile stays. Throws the disk's own error, or `contents-unreachable`.
   */
  async removeForgotten(): Promise<void> {
    const forgotten = forgottenIn(this.#index.state.claims);
    if (forgotten.size === 0) return;
    const { files } = this.#keeping;
    for (const file of await files.list()) {
      if (file.kind !== "blob" || !forgotten.has(file.digest)) continue;
      await files.remove(file);
      this.#stored.delete(file.digest);
    }
  }

  async checkpoint(): Promise<void> {
    await this.#index.checkpoint();
    await this.#room.flush();
  }

  /**
   * Keeps what the log's folds have come to, so that the next opening need not read it all. `states` is asked only where
   * the log has grown enough since; a disk that does not take it costs only time.
   */
  async snapshot(states: () => States): Promise<void> {
    const { end } = this.#log;
    if (end === null || end.bytes - this.#snapshotBytes < SNAPSHOT_EVERY_BYTES) return;
    try {
      await saveSnapshots(this.#folder, end, { ...states(), claims: this.#index.state }, this.#keeping.seal);
      this.#snapshotBytes = end.bytes;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    }
  }

  /** Lets the session go: another window may open it. Safe after a failure: the log and the blobs are complete. */
  async close(): Promise<void> {
    try {
      await this.checkpoint();
    } finally {
      await this.#log.close();
      await this.#lock.release();
    }
  }
}
