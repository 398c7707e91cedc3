/**
 * A list's pages, decided once for a budget: what each begins with and where its bytes lie in the source, so that a page
 * is read without the rest (CONFORMANCE §6).
 */
import type { Handle, Hash } from "../schema/claim";
import {
  type Completeness,
  type CoverageRefused,
  type ListFormat,
  type Reference,
  SnapshotId,
} from "../schema/coverage";
import { pageCursor } from "./cursor";
import { type EnvelopeFrame, emptyBytes, headBytes, referenceBytes } from "./envelope";
import type { ListIndex } from "./indexList";
import type { Span } from "./scan";

/** UTF-8 bytes of a whole page in the conversation, envelope included (CONFORMANCE §6). */
export const PAGE_BYTES = 4096;

/** Bytes of the source, `to` excluded. */
export type ByteRange = { readonly from: number; readonly to: number };

export type PlacedReference = Reference & ByteRange;

/** Records `first` to `last`: those in `runs` stand in the page, in order; the others are its references. */
export type PageEntry = {
  readonly first: number;
  readonly last: number;
  readonly returned: number;
  readonly bytes: number; // of the whole envelope
  readonly runs: readonly (ByteRange & { readonly count: number })[];
  readonly references: readonly PlacedReference[];
};

/** Plain data: it may be kept beside the claim, or made again from the stored text. */
export type Snapshot = EnvelopeFrame & {
  readonly kind: "snapshot";
  readonly format: ListFormat;
  readonly complete: Completeness; // what the last page says
  readonly leftOutBytes: number;
  readonly budgetBytes: number;
  readonly pages: readonly PageEntry[];
};

/**
 * Scope: another session's salt makes another handle of the same content, so another snapshot. A fork keeps the handles
 * that it takes over, and with them their snapshots.
 */
export const snapshotIdOf = (handle: Handle): SnapshotId =>
  SnapshotId.parse(handle.slice(HANDLE_PREFIX.length).slice(0, 16));
const HANDLE_PREFIX = "claim:";

/**
 * Decides the pages of `text`. `budgetBytes` is for each whole envelope.
 *
 * Contract: `index` is of `text`. Invariant: pages cover the records in order, each once; a record is a reference exactly
 * where it fits no page of its own.
 */
export function snapshotOf(
  text: string,
  index: ListIndex,
  { id, budgetBytes, hash }: { readonly id: SnapshotId; readonly budgetBytes: number; readonly hash: Hash },
): Snapshot | CoverageRefused {
  const total = index.records.count;
  const source = `{${index.source.map(({ key, text: value }) => `${key}:${value}`).join(",")}}`;
  const frame: EnvelopeFrame = { snapshot: id, source, total };
  const minimumBytes = minimumOf(frame, index);
  if (budgetBytes < minimumBytes) return { kind: "refused", reason: "budget_too_small", minimumBytes };
  const packer = new Packer(frame, index.complete, budgetBytes);
  let number = 0;
  for (const span of index.records) {
    number++;
    const costBytes = isJson(index.format) ? span.endByte - span.startByte : quotedBytes(text, span);
    if (packer.fitsAlone(number, costBytes)) packer.record(number, span, costBytes);
    else packer.reference(number, span, hash(text.slice(span.start, span.end)));
  }
  const { complete, format, leftOutBytes } = index;
  return {
    kind: "snapshot",
    ...frame,
    format,
    complete,
    leftOutBytes,
    budgetBytes,
    pages: packer.pages(),
  };
}

/** Records that are JSON values stand in a page as they are; lines as JSON strings. */
export const isJson = (format: ListFormat): boolean => format === "json" || format === "jsonl";

/** The page that begins with record `first`, the first page of a list of nothing included; null: no page does. */
export function pageFrom({ pages }: Snapshot, first: number): PageEntry | null {
  const page = pages[positionOf(pages, first)];
  return page?.first === first ? page : null;
}

/** The page that has record `index`, as a record or as a reference; null: there is no such record. */
export function pageOf({ pages, total }: Snapshot, index: number): PageEntry | null {
  return index >= 1 && index <= total ? (pages[positionOf(pages, index)] ?? null) : null;
}

/** The last page that begins at `first` or before. */
function positionOf(pages: readonly PageEntry[], first: number): number {
  let low = 0;
  let high = pages.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.first ?? 0) <= first) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What a page says behind its last record. */
export const restOf = (last: number, total: number, complete: Completeness) => ({
  remaining: total - last,
  complete: last < total ? false : complete,
  cursor: last < total ? pageCursor(last + 1) : null,
});

/** An envelope with nothing but one reference, of the largest record and wherever it stands. */
function minimumOf(frame: EnvelopeFrame, { records, complete }: ListIndex): number {
  const head = headBytes(frame);
  const { total } = frame;
  const last = emptyBytes(head, { returned: 0, ...restOf(total, total, complete) });
  if (total === 0) return last;
  let largest = 0;
  for (const { startByte, endByte } of records) largest = Math.max(largest, endByte - startByte);
  const wide = emptyBytes(head, { returned: 0, ...restOf(total - 1, total, complete), remaining: total - 1 });
  return Math.max(last, wide) + referenceBytes({ index: total, bytes: largest });
}

const NO_REFERENCES: readonly PlacedReference[] = [];

/** Fills pages in order: each takes what comes next as long as its whole envelope fits. */
class Packer {
  readonly #head: number;
  readonly #total: number;
  readonly #complete: Completeness;
  readonly #budget: number;
  readonly #pages: PageEntry[] = [];
  #first = 1;
  #last = 0;
  #returned = 0;
  #content = 0; // bytes of records and references, with their commas
  #bytes = 0;
  #runs: { from: number; to: number; count: number }[] = [];
  #isRunOpen = false;
  #references: PlacedReference[] = [];

  constructor(frame: EnvelopeFrame, complete: Completeness, budgetBytes: number) {
    this.#head = headBytes(frame);
    this.#total = frame.total;
    this.#complete = complete;
    this.#budget = budgetBytes;
  }

  fitsAlone(number: number, bytes: number): boolean {
    return this.#size(number, 1, bytes) <= this.#budget;
  }

  record(number: number, { startByte, endByte }: Span, bytes: number): void {
    this.#place(number, bytes + (this.#returned > 0 ? 1 : 0), bytes, 1);
    const run = this.#isRunOpen ? this.#runs.at(-1) : undefined;
    if (run === undefined) this.#runs.push({ from: startByte, to: endByte, count: 1 });
    else {
      run.to = endByte;
      run.count++;
    }
    this.#isRunOpen = true;
  }

  reference(number: number, { startByte, endByte }: Span, sha256: Reference["sha256"]): void {
    const facts = { index: number, bytes: endByte - startByte };
    const bytes = referenceBytes(facts);
    this.#place(number, bytes + (this.#references.length > 0 ? 1 : 0), bytes, 0);
    this.#references.push({ ...facts, sha256, from: startByte, to: endByte });
    this.#isRunOpen = false;
  }

  /** A list of nothing has one page, which says so. */
  pages(): readonly PageEntry[] {
    if (this.#total === 0) this.#bytes = this.#size(0, 0, 0);
    this.#close();
    return this.#pages;
  }

  /** The envelope's bytes with `content` in it, where `last` is its last record. */
  #size(last: number, returned: number, content: number): number {
    const counts = { returned, ...restOf(last, this.#total, this.#complete) };
    return emptyBytes(this.#head, counts) + content;
  }

  /**
   * Record `number` comes next: on this page, where it takes `more` bytes, or where the page would be too large on a new
   * one, where it takes `alone`. `returned`: 1 for a record, 0 for a reference.
   */
  #place(number: number, more: number, alone: number, returned: 0 | 1): void {
    let content = this.#content + more;
    let bytes = this.#size(number, this.#returned + returned, content);
    if (bytes > this.#budget && number > this.#first) {
      this.#close();
      content = alone;
      bytes = this.#size(number, returned, content);
    }
    this.#content = content;
    this.#returned += returned;
    this.#bytes = bytes;
    this.#last = number;
  }

  #close(): void {
    this.#pages.push({
      first: this.#first,
      last: this.#last,
      returned: this.#returned,
      bytes: this.#bytes,
      runs: this.#runs.slice(), // an array that grew has room to spare, and there may be many pages
      references: this.#references.length === 0 ? NO_REFERENCES : this.#references.slice(),
    });
    this.#first = this.#last + 1;
    this.#returned = this.#content = 0;
    this.#runs = [];
    this.#references = [];
    this.#isRunOpen = false;
  }
}

/** UTF-8 bytes of a line as a JSON string. */
function quotedBytes(text: string, { start, end, startByte, endByte }: Span): number {
  let bytes = endByte - startByte + 2;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22 || unit === 0x5c) bytes++;
    else if (unit < 0x20) bytes += SHORT_ESCAPES.has(unit) ? 1 : 5;
  }
  return bytes;
}
const SHORT_ESCAPES: ReadonlySet<number> = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d]);
