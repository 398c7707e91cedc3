/** Stored results, named by their digest. A blob is written once, then only read: whole, or in proven windows. */
import { hash } from "node:crypto";
import { charOfLine, lineEndsBefore } from "../claims/lines";
import { type Found, NextMatch } from "../claims/nextMatch";
import { PreviousMatch } from "../claims/previousMatch";
import {
  type ContentPart,
  type ContentWindow,
  PART_REACH_CHARS,
  WINDOW_CHARS,
  windowIn,
} from "../claims/window";
import type { Claim, Digest, Direction, Matches } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { SafeText } from "../schema/text";
import { type BlobFile, type BlobFiles, folderFiles } from "./blobFiles";
import type { Disk } from "./disk";
import {
  contentBytesIn,
  FrameTable,
  type ReadAt,
  RowsAltered,
  type Trailer,
  tailOf,
  trailerOf,
} from "./frames";
import { Search } from "./search";
import { withUtf8 } from "./utf8";

/** What a claim says of its blob. */
export type BlobName = Pick<Claim, "sha256" | "frames" | "bytes">;

const CACHED_TABLES = 64;
const SEARCH_FRAMES = 64; // read at once while searching: 1 MiB

/** Invariant: what `put` resolved for, reading returns or throws for; it never returns other bytes. */
export class Blobs {
  readonly #files: BlobFiles;
  readonly digestOf: (bytes: Buffer) => Digest;
  readonly #tables = new Map<string, FrameTable>();

  /** `digestOf`: what names and proves content, here and in its claims. */
  constructor(files: BlobFiles, digestOf: (bytes: Buffer) => Digest = digest) {
    this.#files = files;
    this.digestOf = digestOf;
  }

  /**
   * Stores `text` under its digest. Putting the same text again writes nothing (C7), unless what is there was altered:
   * running the source tool again then heals the handle (C27).
   */
  put(text: SafeText): Promise<BlobName> {
    return withUtf8(text, (content) => this.#put(content, text));
  }

  /** The same for content that need not be text. Text put as its bytes is the same blob. */
  putBytes(bytes: Uint8Array): Promise<BlobName> {
    return this.#put(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  async #put(content: Buffer, text?: SafeText): Promise<BlobName> {
    const sha256 = this.digestOf(content);
    const named = ({ root }: Trailer) => ({ sha256, frames: this.digestOf(root), bytes: content.length });
    if (await this.#holds(sha256)) return named(trailerOf(content, text));
    return this.#files.write(sha256, async (append) => {
      const writing = append(content);
      writing.catch(() => undefined); // awaited below: a failure meanwhile is not unheard of
      const trailer = trailerOf(content, text); // made while the disk is busy
      await writing;
      await append(trailer.bytes);
      return named(trailer);
    });
  }

  /** Reads a text back and proves it. Throws `blob-missing`, `blob-corrupt`, or the disk's own error. */
  async read(digest: Digest): Promise<SafeText> {
    return (await this.readBytes(digest)).toString("utf8") as SafeText;
  }

  /** The same for content that need not be text. */
  async readBytes(digest: Digest): Promise<Buffer> {
    return this.#files.open(digest, async (file) => {
      const bytes = await file.all();
      const contentBytes = contentBytesIn(bytes);
      if (contentBytes === null) throw corrupt(digest);
      const content = bytes.subarray(0, contentBytes);
      const isWhole =
        this.digestOf(content) === digest && trailerOf(content).bytes.equals(bytes.subarray(contentBytes));
      if (!isWhole) throw corrupt(digest);
      return content;
    });
  }

  /** One window, proven by the frames it touches. Throws as `read`. */
  async window(name: BlobName, offset: number, maximumChars = WINDOW_CHARS): Promise<ContentWindow> {
    return this.#withFrames(name, async (table, read) => {
      const from = await table.frameOf("chars", Math.max(0, offset - PART_REACH_CHARS), read);
      const to = await table.frameOf("chars", offset + maximumChars + PART_REACH_CHARS, read);
      return windowIn(await this.#part(name, table, read, from, to), offset, maximumChars);
    });
  }

  /** Bytes `from` to `to` (excluded) of the content, proven by the frames they touch. Throws as `read`. */
  async range(name: BlobName, from: number, to: number): Promise<Uint8Array> {
    return this.#withFrames(name, async (table, read) => {
      if (table.frames === 0 || to <= from) return new Uint8Array();
      const first = await table.frameOf("bytes", from, read);
      const last = await table.frameOf("bytes", to - 1, read);
      const bytes = await table.content(first, last, read);
      if (bytes === null) throw corrupt(name.sha256);
      const start = (await table.startOf(first, read)).bytes;
      return bytes.subarray(from - start, to - start);
    });
  }

  /** The char at which line `line` (from 1) starts; the end of the content where there is no such line. */
  async charOfLine(name: BlobName, line: number): Promise<number> {
    return this.#withFrames(name, async (table, read) => {
      if (line <= 1 || table.frames === 0) return 0;
      const frame = await table.frameOf("lineEnds", line - 2, read);
      const part = await this.#part(name, table, read, frame, Math.min(frame + 1, table.frames - 1));
      return charOfLine(part, line - 1 - (await table.startOf(frame, read)).lineEnds);
    });
  }

  /** The line, from 1, that the char `offset` stands in. */
  async lineOf(name: BlobName, offset: number): Promise<number> {
    return this.#withFrames(name, async (table, read) => {
      if (table.frames === 0) return 1;
      const frame = await table.frameOf("chars", offset, read);
      const part = await this.#part(name, table, read, frame, frame);
      return 1 + (await table.startOf(frame, read)).lineEnds + lineEndsBefore(part, offset);
    });
  }

  /** Looks through the whole content, letter for letter, a stretch at a time. Throws as `read`. */
  async search(name: BlobName, needle: string): Promise<Matches> {
    return this.#withFrames(name, async (table, read) => {
      const search = new Search(needle);
      for (let frame = 0; frame < table.frames && !search.isFull; frame += SEARCH_FRAMES) {
        const last = Math.min(frame + SEARCH_FRAMES, table.frames) - 1;
        search.feed((await this.#part(name, table, read, frame, last)).text, last === table.frames - 1);
      }
      return search.result;
    });
  }

  /**
   * Where the text stands next at or after the char `from`, or last before it, in any case; null: nowhere. Throws as
   * `read`.
   */
  async find(name: BlobName, needle: string, from: number, direction: Direction): Promise<Found | null> {
    return this.#withFrames(name, async (table, read) => {
      if (table.frames === 0) return null;
      const isNext = direction === "next";
      const search = isNext ? new NextMatch(needle, from) : new PreviousMatch(needle, from);
      const many = framesFor(needle);
      let frame = await table.frameOf("chars", from, read);
      while (frame >= 0 && frame < table.frames) {
        const [first, last] = isNext ? [frame, frame + many - 1] : [frame - many + 1, frame];
        const part = this.#part(name, table, read, Math.max(0, first), Math.min(last, table.frames - 1));
        const found = search.feed(await part);
        if (found) return found;
        frame = isNext ? last + 1 : first - 1;
      }
      return null;
    });
  }

  async #holds(digest: Digest): Promise<boolean> {
    try {
      await this.readBytes(digest);
      return true;
    } catch (cause) {
      if (isLost(cause)) return false;
      throw cause;
    }
  }

  /** Opens the blob with its frame table, whose root is read and proven once, then kept. */
  async #withFrames<T>(name: BlobName, use: (table: FrameTable, read: ReadAt) => Promise<T>): Promise<T> {
    return this.#files.open(name.sha256, async ({ read }: BlobFile) => {
      const table = this.#tables.get(name.frames) ?? (await this.#load(name, read));
      try {
        return await use(table, read);
      } catch (cause) {
        if (cause instanceof RowsAltered) throw corrupt(name.sha256);
        throw cause;
      }
    });
  }

  async #load({ sha256, frames, bytes }: BlobName, read: ReadAt): Promise<FrameTable> {
    const { position, length } = tailOf(bytes);
    const table = FrameTable.of(await read(position, length), bytes, frames, this.digestOf);
    if (table === null) throw corrupt(sha256);
    this.#tables.set(frames, table);
    const [oldest] = this.#tables.keys();
    if (this.#tables.size > CACHED_TABLES && oldest !== undefined) this.#tables.delete(oldest);
    return table;
  }

  /** Frames `from` to `to`, both read and proven, as text. */
  async #part(
    name: BlobName,
    table: FrameTable,
    read: ReadAt,
    from: number,
    to: number,
  ): Promise<ContentPart> {
    const totalChars = table.total.chars;
    if (table.frames === 0) return { text: "", startChar: 0, totalChars };
    const bytes = await table.content(from, to, read);
    if (bytes === null) throw corrupt(name.sha256);
    return { text: bytes.toString("utf8"), startChar: (await table.startOf(from, read)).chars, totalChars };
  }
}

/** Looking for a long text may compare all of it at every place: less is read at once. */
const framesFor = (needle: string): number =>
  Math.max(1, Math.floor(SEARCH_FRAMES / Math.ceil(needle.length / 16)));

/** A session's blobs in a folder of its own, named by SHA-256. */
export const blobsIn = (folder: string, disk?: Disk): Blobs => new Blobs(folderFiles(folder, disk));

/** What was stored is not there, or not as it was: trying again does not bring it back. */
export const isLost = (cause: unknown): cause is Failure =>
  cause instanceof Failure && (cause.code === "blob-missing" || cause.code === "blob-corrupt");

/** What plain content is named, wherever it lies. */
export function plainNameOf(content: Buffer): BlobName {
  return { sha256: digest(content), frames: digest(trailerOf(content).root), bytes: content.length };
}

const digest = (bytes: Buffer): Digest => hash("sha256", bytes, "hex") as Digest;

export function corrupt(digest: Digest): Failure {
  return new Failure(
    "blob-corrupt",
    "This stored result was altered on disk, so it is not shown. Run its tool again if you need it.",
    { digest },
  );
}
