/**
 * Stored content in frames, so that a window can be read and proven without reading the rest. A blob file is
 *   content · table · footer
 * with one table row per frame: its bytes, code points and line ends, and its SHA-256. The claim names the content by
 * the digest of the whole, and the table by a digest of its own. Pure but for hashing.
 */
import { hash } from "node:crypto";

/** A frame has at most this many bytes and ends on a code point. */
export const FRAME_BYTES = 16_384;

const ROW_BYTES = 38; // bytes u16 · chars u16 · line ends u16 · SHA-256
const DIGEST_AT = 6;
const DIGEST_BYTES = 32;
export const FOOTER_BYTES = 24;
const MAGIC = "CLKFRAM1";

const LF = 10;
const CR = 13;

/** A blob file in the making: `content` is the text as UTF-8, with room for the rest behind it in the same piece of memory. */
export type Encoded = { readonly text: string; readonly buffer: Buffer; readonly content: Buffer };

export function encoded(text: string): Encoded {
  const contentBytes = Buffer.byteLength(text, "utf8");
  const buffer = Buffer.allocUnsafeSlow(contentBytes + mostTableBytes(contentBytes) + FOOTER_BYTES);
  buffer.write(text, 0, contentBytes === text.length ? "latin1" : "utf8"); // ASCII is both, and one of them only copies
  return { text, buffer, content: buffer.subarray(0, contentBytes) };
}

/** Adds table and footer; `file` is what stands on disk. */
export function framed({ text, buffer, content }: Encoded): {
  readonly file: Buffer;
  readonly table: Buffer;
} {
  const isPlain = content.length === text.length && !text.includes("\r"); // ASCII with LF alone: most of what tools print
  const tableEnd = isPlain
    ? writePlainTable(text, content, buffer, content.length)
    : writeTable(content, buffer, content.length);
  const table = buffer.subarray(content.length, tableEnd);
  footerOf(content.length, table.length).copy(buffer, tableEnd);
  return { file: buffer.subarray(0, tableEnd + FOOTER_BYTES), table };
}

/** The table of `content`, which is valid UTF-8. A frame's line ends are LF, and CR without LF; a CRLF counts at its LF. */
export function tableOf(content: Uint8Array): Buffer {
  const table = Buffer.allocUnsafeSlow(mostTableBytes(content.length));
  return table.subarray(0, writeTable(content, table, 0));
}

/** No table of so many bytes of content is longer: a frame gives up at most three bytes to end on a code point. */
export const mostTableBytes = (contentBytes: number): number =>
  Math.ceil(contentBytes / (FRAME_BYTES - 3)) * ROW_BYTES;

/** The last bytes of a blob file: where the table is. */
export function footerOf(contentBytes: number, tableBytes: number): Buffer {
  const footer = Buffer.alloc(FOOTER_BYTES);
  footer.write(MAGIC, 0, "latin1");
  footer.writeBigUInt64LE(BigInt(contentBytes), 8);
  footer.writeUInt32LE(tableBytes, 16);
  return footer;
}

/** Null where these bytes are not a footer, or one of another file's size. */
export function readFooter(
  footer: Buffer,
  fileBytes: number,
): { contentBytes: number; tableBytes: number } | null {
  if (footer.length !== FOOTER_BYTES || footer.toString("latin1", 0, MAGIC.length) !== MAGIC) return null;
  const contentBytes = Number(footer.readBigUInt64LE(8));
  const tableBytes = footer.readUInt32LE(16);
  const isWhole = contentBytes + tableBytes + FOOTER_BYTES === fileBytes && tableBytes % ROW_BYTES === 0;
  return isWhole && footer.equals(footerOf(contentBytes, tableBytes)) ? { contentBytes, tableBytes } : null;
}

/** A table that was verified: where each frame starts, in bytes, code points and line ends before it. */
export class FrameTable {
  readonly #table: Buffer;
  readonly #byteStarts: Float64Array; // one more than there are frames
  readonly #charStarts: Float64Array;
  readonly #lineStarts: Float64Array;

  constructor(table: Buffer) {
    const frames = table.length / ROW_BYTES;
    this.#table = table;
    this.#byteStarts = new Float64Array(frames + 1);
    this.#charStarts = new Float64Array(frames + 1);
    this.#lineStarts = new Float64Array(frames + 1);
    const view = new DataView(table.buffer, table.byteOffset, table.length);
    let bytes = 0;
    let chars = 0;
    let lines = 0;
    for (let i = 0, at = 0; i < frames; i++, at += ROW_BYTES) {
      this.#byteStarts[i + 1] = bytes += view.getUint16(at, true);
      this.#charStarts[i + 1] = chars += view.getUint16(at + 2, true);
      this.#lineStarts[i + 1] = lines += view.getUint16(at + 4, true);
    }
  }

  get frames(): number {
    return this.#byteStarts.length - 1;
  }

  get totalBytes(): number {
    return this.byteStart(this.frames);
  }

  get totalChars(): number {
    return this.charStart(this.frames);
  }

  byteStart(frame: number): number {
    return this.#byteStarts[frame] ?? 0;
  }

  charStart(frame: number): number {
    return this.#charStarts[frame] ?? 0;
  }

  lineStart(frame: number): number {
    return this.#lineStarts[frame] ?? 0;
  }

  /** The frame that has this code point; the last one past the end. */
  frameOfChar(char: number): number {
    return this.#frameOf(this.#charStarts, char);
  }

  /** The first frame by whose end `lineEnds` line ends have been passed. */
  frameOfLine(lineEnds: number): number {
    return this.#frameOf(this.#lineStarts, lineEnds - 1);
  }

  /** Whether `bytes` are the frame's. */
  proves(frame: number, bytes: Uint8Array): boolean {
    const at = frame * ROW_BYTES + DIGEST_AT;
    return this.#table.toString("hex", at, at + DIGEST_BYTES) === hash("sha256", bytes, "hex");
  }

  #frameOf(starts: Float64Array, value: number): number {
    let low = 0;
    let high = this.frames - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle + 1] ?? 0) > value) high = middle;
      else low = middle + 1;
    }
    return Math.max(0, low);
  }
}

function frameEnd(content: Uint8Array, start: number): number {
  let end = Math.min(start + FRAME_BYTES, content.length);
  while (end < content.length && ((content[end] ?? 0) & 0xc0) === 0x80) end--; // not inside a code point
  return end;
}

/** Writes the rows of `content` into `target` from `at` on; returns where they end. */
function writeTable(content: Uint8Array, target: Buffer, at: number): number {
  let row = at;
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
function writePlainTable(text: string, content: Buffer, target: Buffer, at: number): number {
  let row = at;
  let next = text.indexOf("\n");
  for (let start = 0; start < content.length; start += FRAME_BYTES, row += ROW_BYTES) {
    const end = Math.min(start + FRAME_BYTES, content.length);
    let lineEnds = 0;
    for (; next >= 0 && next < end; next = text.indexOf("\n", next + 1)) lineEnds++;
    writeRow(content.subarray(start, end), end - start, lineEnds, target, row);
  }
  return row;
}

function writeRow(frame: Uint8Array, chars: number, lineEnds: number, target: Buffer, at: number): void {
  target.writeUInt16LE(frame.length, at);
  target.writeUInt16LE(chars, at + 2);
  target.writeUInt16LE(lineEnds, at + 4);
  target.write(hash("sha256", frame, "hex"), at + DIGEST_AT, "hex");
}
