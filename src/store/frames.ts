/**
 * Stored content in frames, so that a window can be read and proven without reading the rest. A blob file is
 *   content · rows · root · footer
 * A row per frame has its sizes and its SHA-256; the root has the same for every group of rows. The claim names the
 * content by the digest of the whole, and the root by a digest of its own: root → rows → frame, each proves the next.
 */
import { hash } from "node:crypto";

/** A frame has at most this many bytes and ends on a code point. */
export const FRAME_BYTES = 16_384;
const GROUP_FRAMES = 64;
const ROW_BYTES = 38; // bytes u16 · chars u16 · line ends u16 · SHA-256
const GROUP_BYTES = 44; // bytes u32 · chars u32 · line ends u32 · SHA-256 of the group's rows
const DIGEST_BYTES = 32;
const FOOTER_BYTES = 24;
const MAGIC = "CLKFRAM1";
const LF = 10;
const CR = 13;

/** Sizes in bytes, code points, and line ends: LF, and CR without LF; a CRLF counts at its LF. */
type Sizes = { readonly bytes: number; readonly chars: number; readonly lineEnds: number };

/** What stands behind the content in a blob file. `root` is what the claim names by its digest. */
export type Trailer = { readonly bytes: Buffer; readonly root: Buffer };

/** `content` is `text` as UTF-8. Without `text` the content alone says the same, more slowly. */
export function trailerOf(content: Buffer, text?: string): Trailer {
  const bytes = Buffer.allocUnsafeSlow(fileBytesOf(content.length) - content.length);
  const isPlain = content.length === text?.length && !text.includes("\r"); // ASCII with LF alone: most of what tools print
  const rowsEnd = isPlain ? writePlainRows(text, content, bytes) : writeRows(content, bytes);
  const rootEnd = writeRoot(bytes.subarray(0, rowsEnd), bytes, rowsEnd);
  writeFooter(bytes.subarray(rootEnd, rootEnd + FOOTER_BYTES), content.length, rowsEnd / ROW_BYTES);
  return { bytes: bytes.subarray(0, rootEnd + FOOTER_BYTES), root: bytes.subarray(rowsEnd, rootEnd) };
}

/** No blob file of so many bytes of content is larger: a frame gives up at most three bytes to end on a code point. */
export function fileBytesOf(contentBytes: number): number {
  const frames = Math.ceil(contentBytes / (FRAME_BYTES - 3));
  return contentBytes + frames * ROW_BYTES + groupsOf(frames) * GROUP_BYTES + FOOTER_BYTES;
}

/** Where the end of a blob file is to be read from: root and footer stand in it, however many frames there are. */
export function tailOf(contentBytes: number): { readonly position: number; readonly length: number } {
  const position = contentBytes + Math.ceil(contentBytes / FRAME_BYTES) * ROW_BYTES;
  return { position, length: fileBytesOf(contentBytes) - position };
}

/** Reads bytes of the file; fewer where it ends. */
export type ReadAt = (position: number, length: number) => Promise<Buffer>;

/** The frames of one blob: its root, proven, and the rows of the groups that were asked for. */
export class FrameTable {
  readonly #root: Buffer;
  readonly #contentBytes: number;
  readonly #groups = new Map<number, Buffer>(); // rows that the root proved
  readonly frames: number;
  readonly total: Sizes;

  private constructor(root: Buffer, contentBytes: number, frames: number) {
    this.#root = root;
    this.#contentBytes = contentBytes;
    this.frames = frames;
    this.total = this.#before(groupsOf(frames));
  }

  /** Null where `tail` (see `tailOf`) is not the end of a blob of that size, or `digest` is not its root's. */
  static of(
    tail: Buffer,
    contentBytes: number,
    digest: string,
    digestOf: (bytes: Buffer) => string,
  ): FrameTable | null {
    const footer = tail.subarray(Math.max(0, tail.length - FOOTER_BYTES));
    const frames = readFooter(footer, contentBytes);
    if (frames === null) return null;
    const rootAt = contentBytes + frames * ROW_BYTES - tailOf(contentBytes).position;
    const root = tail.subarray(Math.max(0, rootAt), tail.length - FOOTER_BYTES);
    if (root.length !== groupsOf(frames) * GROUP_BYTES || digestOf(root) !== digest) return null;
    const table = new FrameTable(Buffer.from(root), contentBytes, frames);
    return table.total.bytes === contentBytes ? table : null;
  }

  /** The frame with byte or code point number `value`, or that passes line end number `value`; the last one past the end. */
  async frameOf(unit: "bytes" | "chars" | "lineEnds", value: number, read: ReadAt): Promise<number> {
    let group = 0;
    let before = 0;
    for (; group < groupsOf(this.frames) - 1; group++) {
      const next = before + this.#groupSizes(group)[unit];
      if (next > value) break;
      before = next;
    }
    const rows = await this.#rows(group, read);
    const last = rows.length / ROW_BYTES - 1;
    let frame = 0;
    for (; frame < last; frame++) {
      before += sizesOfRow(rows, frame)[unit];
      if (before > value) break;
    }
    return group * GROUP_FRAMES + frame;
  }

  /** What stands before a frame; for the number of frames, the whole. */
  async startOf(frame: number, read: ReadAt): Promise<Sizes> {
    const group = Math.floor(frame / GROUP_FRAMES);
    let { bytes, chars, lineEnds } = this.#before(group);
    if (frame % GROUP_FRAMES === 0) return { bytes, chars, lineEnds };
    const rows = await this.#rows(group, read);
    for (let i = 0; i < frame % GROUP_FRAMES; i++) {
      const row = sizesOfRow(rows, i);
      bytes += row.bytes;
      chars += row.chars;
      lineEnds += row.lineEnds;
    }
    return { bytes, chars, lineEnds };
  }

  /** The bytes of frames `from` to `to`, both read and proven. Null where one does not match its row, or rows the root. */
  async content(from: number, to: number, read: ReadAt): Promise<Buffer | null> {
    const start = (await this.startOf(from, read)).bytes;
    const bytes = await read(start, (await this.startOf(to + 1, read)).bytes - start);
    for (let frame = from, at = 0; frame <= to; frame++) {
      const rows = await this.#rows(Math.floor(frame / GROUP_FRAMES), read);
      const row = frame % GROUP_FRAMES;
      const end = at + sizesOfRow(rows, row).bytes;
      const digestAt = row * ROW_BYTES + ROW_BYTES - DIGEST_BYTES;
      const digest = rows.toString("hex", digestAt, digestAt + DIGEST_BYTES);
      if (hash("sha256", bytes.subarray(at, end), "hex") !== digest) return null;
      at = end;
    }
    return bytes;
  }

  /** Rows of a group, read and proven once. Rows that the root does not prove read as frames that nothing matches. */
  async #rows(group: number, read: ReadAt): Promise<Buffer> {
    const kept = this.#groups.get(group);
    if (kept) return kept;
    const first = group * GROUP_FRAMES;
    const count = Math.max(0, Math.min(GROUP_FRAMES, this.frames - first));
    const rows = await read(this.#contentBytes + first * ROW_BYTES, count * ROW_BYTES);
    const at = group * GROUP_BYTES + GROUP_BYTES - DIGEST_BYTES;
    const isProven = hash("sha256", rows, "hex") === this.#root.toString("hex", at, at + DIGEST_BYTES);
    if (!isProven && count > 0) throw new RowsAltered();
    this.#groups.set(group, rows);
    return rows;
  }

  #groupSizes(group: number): Sizes {
    const at = group * GROUP_BYTES;
    return {
      bytes: this.#root.readUInt32LE(at),
      chars: this.#root.readUInt32LE(at + 4),
      lineEnds: this.#root.readUInt32LE(at + 8),
    };
  }

  #before(group: number): Sizes {
    let [bytes, chars, lineEnds] = [0, 0, 0];
    for (let i = 0; i < group; i++) {
      const sizes = this.#groupSizes(i);
      bytes += sizes.bytes;
      chars += sizes.chars;
      lineEnds += sizes.lineEnds;
    }
    return { bytes, chars, lineEnds };
  }
}

/** The rows of a group are not what the root says. Whoever reads a blob turns it into its own failure. */
export class RowsAltered extends Error {}

const groupsOf = (frames: number): number => Math.ceil(frames / GROUP_FRAMES);

function sizesOfRow(rows: Buffer, row: number): Sizes {
  const at = row * ROW_BYTES;
  return {
    bytes: rows.readUInt16LE(at),
    chars: rows.readUInt16LE(at + 2),
    lineEnds: rows.readUInt16LE(at + 4),
  };
}

function writeRows(content: Uint8Array, target: Buffer): number {
  let row = 0;
  for (let start = 0; start < content.length; row += ROW_BYTES) {
    const end = frameEnd(content, start);
    let continuations = 0;
    let lineEnds = 0;
    for (let i = start; i < end; i++) {
      const byte = content[i] as number;
      if (byte >= 0x80) continuations += byte < 0xc0 ? 1 : 0;
      else if (byte === LF) lineEnds++;
      else if (byte === CR) lineEnds += content[i + 1] === LF ? 0 : 1;
    }
    writeRow(content.subarray(start, end), end - start - continuations, lineEnds, target, row);
    start = end;
  }
  return row;
}

/** The same where every byte is a char and every line ends in LF: looking for LF in the string is ten times as fast. */
function writePlainRows(text: string, content: Buffer, target: Buffer): number {
  let row = 0;
  let next = text.indexOf("\n");
  for (let start = 0; start < content.length; start += FRAME_BYTES, row += ROW_BYTES) {
    const end = Math.min(start + FRAME_BYTES, content.length);
    let lineEnds = 0;
    for (; next >= 0 && next < end; next = text.indexOf("\n", next + 1)) lineEnds++;
    writeRow(content.subarray(start, end), end - start, lineEnds, target, row);
  }
  return row;
}

function frameEnd(content: Uint8Array, start: number): number {
  const most = Math.min(start + FRAME_BYTES, content.length);
  let end = most;
  while (end < content.length && end > most - 3 && ((content[end] ?? 0) & 0xc0) === 0x80) end--; // not inside a code point
  return end; // bounded: content that is no text may have no other place
}

function writeRow(frame: Uint8Array, chars: number, lineEnds: number, target: Buffer, at: number): void {
  target.writeUInt16LE(frame.length, at);
  target.writeUInt16LE(chars, at + 2);
  target.writeUInt16LE(lineEnds, at + 4);
  target.write(hash("sha256", frame, "hex"), at + ROW_BYTES - DIGEST_BYTES, "hex");
}

function writeRoot(rows: Buffer, target: Buffer, from: number): number {
  let at = from;
  for (let start = 0; start < rows.length; start += GROUP_FRAMES * ROW_BYTES, at += GROUP_BYTES) {
    const group = rows.subarray(start, start + GROUP_FRAMES * ROW_BYTES);
    let [bytes, chars, lineEnds] = [0, 0, 0];
    for (let row = 0; row < group.length / ROW_BYTES; row++) {
      const sizes = sizesOfRow(group, row);
      bytes += sizes.bytes;
      chars += sizes.chars;
      lineEnds += sizes.lineEnds;
    }
    target.writeUInt32LE(bytes, at);
    target.writeUInt32LE(chars, at + 4);
    target.writeUInt32LE(lineEnds, at + 8);
    target.write(hash("sha256", group, "hex"), at + GROUP_BYTES - DIGEST_BYTES, "hex");
  }
  return at;
}

function writeFooter(footer: Buffer, contentBytes: number, frames: number): void {
  footer.write(MAGIC, 0, "latin1");
  footer.writeBigUInt64LE(BigInt(contentBytes), 8);
  footer.writeBigUInt64LE(BigInt(frames), 16);
}

/** How many frames there are; null where these bytes are not the footer of so much content. */
function readFooter(footer: Buffer, contentBytes: number): number | null {
  if (footer.length !== FOOTER_BYTES || footer.toString("latin1", 0, MAGIC.length) !== MAGIC) return null;
  if (footer.readBigUInt64LE(8) !== BigInt(contentBytes)) return null;
  const frames = Number(footer.readBigUInt64LE(16));
  return frames >= Math.ceil(contentBytes / FRAME_BYTES) &&
    frames <= Math.ceil(contentBytes / (FRAME_BYTES - 3))
    ? frames
    : null;
}

/** The bytes of content in a whole blob file; null where it is none. */
export function contentBytesIn(file: Buffer): number | null {
  const footer = file.subarray(Math.max(0, file.length - FOOTER_BYTES));
  if (footer.length !== FOOTER_BYTES) return null;
  const contentBytes = footer.readBigUInt64LE(8);
  return contentBytes <= BigInt(file.length) ? Number(contentBytes) : null;
}
