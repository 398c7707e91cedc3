/** Where the records of a list lie, in no more bytes than the list itself has. */
import type { Span } from "./scan";

const FIRST_CHUNK_BYTES = 1024;
const CHUNK_BYTES = 65_536;

/**
 * Spans in ascending order, as the gap to the one before and the length, each in as many bytes as it needs.
 *
 * Contract: what lies between two records is ASCII. Invariant: takes at most as many bytes as the records and what lies
 * between them (a length below 64 takes one byte, and a longer record has more bytes than its length takes).
 */
export class RecordTable {
  #count = 0;
  #origin = 0; // the first record's start in code units; all else is counted in bytes
  #originByte = 0;
  #endByte = 0;
  readonly #chunks: Uint8Array[] = [];
  #chunk = new Uint8Array(0);
  #used = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes that the table itself takes. */
  get tableBytes(): number {
    return this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  }

  add({ start, end, startByte, endByte }: Span): void {
    if (this.#count === 0) {
      this.#origin = start;
      this.#originByte = startByte;
      this.#endByte = startByte;
    }
    const bytes = endByte - startByte;
    const extra = bytes - (end - start);
    this.#write(startByte - this.#endByte);
    this.#write(bytes * 2 + (extra > 0 ? 1 : 0));
    if (extra > 0) this.#write(extra);
    this.#endByte = endByte;
    this.#count++;
  }

  *[Symbol.iterator](): Generator<Span> {
    const cursor = { chunk: 0, at: 0 };
    let end = this.#origin;
    let endByte = this.#originByte;
    for (let left = this.#count; left > 0; left--) {
      const gap = this.#read(cursor);
      const coded = this.#read(cursor);
      const bytes = Math.floor(coded / 2);
      const units = coded % 2 === 1 ? bytes - this.#read(cursor) : bytes;
      const span = {
        start: end + gap,
        end: end + gap + units,
        startByte: endByte + gap,
        endByte: endByte + gap + bytes,
      };
      ({ end, endByte } = span);
      yield span;
    }
  }

  #write(value: number): void {
    let left = value;
    while (left >= 0x80) {
      this.#byte((left % 0x80) + 0x80);
      left = Math.floor(left / 0x80);
    }
    this.#byte(left);
  }

  #byte(value: number): void {
    if (this.#used === this.#chunk.length) {
      const length = Math.min(FIRST_CHUNK_BYTES * 2 ** this.#chunks.length, CHUNK_BYTES);
      this.#chunk = new Uint8Array(length);
      this.#chunks.push(this.#chunk);
      this.#used = 0;
    }
    this.#chunk[this.#used++] = value;
  }

  #read(cursor: { chunk: number; at: number }): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      let chunk = this.#chunks[cursor.chunk];
      if (chunk !== undefined && cursor.at === chunk.length) {
        chunk = this.#chunks[++cursor.chunk];
        cursor.at = 0;
      }
      const byte = chunk?.[cursor.at++] ?? 0;
      if (byte < 0x80) return value + byte * scale;
      value += (byte - 0x80) * scale;
    }
  }
}
