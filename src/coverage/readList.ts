/** Pages and records read back out of the stored source: only the bytes of what is asked for (CONFORMANCE §6). */
import type { Hash } from "../schema/claim";
import type { Completeness, CoverageRefused, ListFormat } from "../schema/coverage";
import { byteLength } from "../schema/text";
import type { Cursor } from "./cursor";
import { envelopeText } from "./envelope";
import { beginTrail, followPage } from "./follow";
import { linesOf } from "./lineList";
import { isJson, type PageEntry, pageFrom, pageOf, restOf, type Snapshot } from "./snapshot";

/** The source's UTF-8 bytes, `to` excluded. A store that proves what it reads throws what it throws. */
export type ReadBytes = (from: number, to: number) => Uint8Array | Promise<Uint8Array>;

export type ReadPage = {
  readonly kind: "page";
  readonly page: PageEntry;
  /** The envelope, within the snapshot's budget. */
  readonly text: string;
};

/** `text` is the record as it stands in the source. */
export type ReadRecord = { readonly kind: "record"; readonly index: number; readonly text: string };

const refused = (reason: CoverageRefused["reason"]): CoverageRefused => ({ kind: "refused", reason });

/** The page that `cursor` names, the same bytes each time; null: the first. */
export async function readPage(
  snapshot: Snapshot,
  cursor: Cursor | null,
  read: ReadBytes,
): Promise<ReadPage | CoverageRefused> {
  const page = cursor?.kind === "record" ? null : pageFrom(snapshot, cursor?.first ?? 1);
  if (page === null) return refused("unknown_cursor");
  const slices = await slicesOf(snapshot, page, read);
  if (slices === null) return refused("corrupt_page");
  const text = envelopeText(snapshot, {
    returned: page.returned,
    ...restOf(page.last, snapshot.total, snapshot.complete),
    records: isJson(snapshot.format) ? slices : slices.map((line) => JSON.stringify(line)),
    references: page.references,
  });
  return byteLength(text) === page.bytes ? { kind: "page", page, text } : refused("corrupt_page");
}

/** One record, whole; where its page has it as a reference, proved by the reference's digest. */
export async function readRecord(
  snapshot: Snapshot,
  index: number,
  read: ReadBytes,
  hash: Hash,
): Promise<ReadRecord | CoverageRefused> {
  const page = pageOf(snapshot, index);
  if (page === null) return refused("unknown_cursor");
  const reference = page.references.find((one) => one.index === index);
  if (reference === undefined) {
    const slices = await slicesOf(snapshot, page, read);
    const before = page.references.filter((one) => one.index < index).length;
    const text = slices?.[index - page.first - before];
    return text === undefined ? refused("corrupt_page") : { kind: "record", index, text };
  }
  const text = textOf(await read(reference.from, reference.to));
  return text !== null && byteLength(text) === reference.bytes && hash(text) === reference.sha256
    ? { kind: "record", index, text }
    : refused("corrupt_record");
}

export type ReadList = {
  readonly kind: "all";
  readonly records: readonly string[];
  readonly source: string; // a JSON object's text, as on every page
  readonly complete: Completeness;
  readonly pages: number;
  readonly reads: number; // of references
};

/** Every record of a snapshot, page by page and reference by reference, in order and proved; or why not. */
export async function readAll(
  snapshot: Snapshot,
  read: ReadBytes,
  hash: Hash,
): Promise<ReadList | CoverageRefused> {
  const records: string[] = [];
  let reads = 0;
  let pages = 0;
  let trail = beginTrail();
  for (let first: number | null = 1; first !== null; ) {
    const page = pageFrom(snapshot, first);
    if (page === null) return refused("unknown_cursor");
    const rest = restOf(page.last, snapshot.total, snapshot.complete);
    const { returned, references } = page;
    const followed = followPage(trail, { ...snapshot, ...rest, returned, references: references.length });
    if (followed.kind === "refused") return followed;
    trail = followed;
    const slices = await slicesOf(snapshot, page, read);
    if (slices === null) return refused("corrupt_page");
    let inline = 0;
    for (let index = page.first; index <= page.last; index++) {
      const isReference = page.references[index - page.first - inline]?.index === index;
      if (!isReference) records.push(slices[inline++] ?? "");
      else {
        const record = await readRecord(snapshot, index, read, hash);
        if (record.kind === "refused") return record;
        records.push(record.text);
        reads++;
      }
    }
    pages++;
    first = rest.cursor === null ? null : page.last + 1;
  }
  const { source, complete } = snapshot;
  return { kind: "all", records, source, complete, pages, reads };
}

/** For a source that is in memory. */
export function bytesOf(text: string): ReadBytes {
  const bytes = new TextEncoder().encode(text);
  return (from, to) => bytes.subarray(from, to);
}

/** The records that stand in a page, as they are in the source; null where its bytes are not what was indexed. */
async function slicesOf(
  { format }: Snapshot,
  { runs, returned }: PageEntry,
  read: ReadBytes,
): Promise<string[] | null> {
  const slices: string[] = [];
  for (const { from, to, count } of runs) {
    const text = textOf(await read(from, to));
    if (text === null || byteLength(text) !== to - from) return null;
    const before = slices.length;
    for (const slice of partsOf(text, format)) slices.push(slice);
    if (slices.length - before !== count) return null;
  }
  return slices.length === returned ? slices : null;
}

/** Null: not UTF-8. A byte order mark inside is content. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** The records of a run: what stands between commas of an array, or on lines. */
function* partsOf(text: string, format: ListFormat): Generator<string> {
  if (format !== "json") {
    for (const { start, end } of linesOf(text)) {
      const line = text.slice(start, end);
      yield format === "jsonl" ? trimmed(line) : line;
    }
    return;
  }
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) at = closingQuote(text, at);
    else if (unit === 0x7b || unit === 0x5b) depth++;
    else if (unit === 0x7d || unit === 0x5d) depth--;
    else if (unit === 0x2c && depth === 0) {
      yield trimmed(text.slice(start, at));
      start = at + 1;
    }
  }
  yield trimmed(text.slice(start));
}

/** Without JSON's blanks around it, and no others. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;

/** `from` is an opening quote; the text's end where none closes it. */
function closingQuote(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
