/** The envelope's bytes: one order of fields, one layout (CONFORMANCE §6). Nothing else writes or measures it. */
import type { Completeness, PageCursor, Reference, SnapshotId } from "../schema/coverage";
import { byteLength } from "../schema/text";

/** The same on every page of a snapshot. `source` is a JSON object's text. */
export type EnvelopeFrame = {
  readonly snapshot: SnapshotId;
  readonly source: string;
  readonly total: number;
};

/** `records` are JSON texts, the source's own slices. */
export type EnvelopeParts = {
  readonly returned: number;
  readonly remaining: number;
  readonly complete: Completeness;
  readonly cursor: PageCursor | null;
  readonly records: readonly string[];
  readonly references: readonly Reference[];
};

export function envelopeText(frame: EnvelopeFrame, parts: EnvelopeParts): string {
  const { records, references } = parts;
  return (
    `${headText(frame)}${countsText(parts)},"records":[${records.join(",")}],` +
    `"references":[${references.map(referenceText).join(",")}]}`
  );
}

/** The envelope in a result that shows a page; empty where there is none. Only for texts whose provenance is known. */
export const envelopeIn = (text: string): string =>
  text.slice(Math.max(0, text.indexOf('{"snapshot":"')), text.lastIndexOf("]}") + "]}".length);

const headText = ({ snapshot, source, total }: EnvelopeFrame): string =>
  `{"snapshot":"${snapshot}","source":${source},"total":${total}`;

type Counts = Pick<EnvelopeParts, "returned" | "remaining" | "complete" | "cursor">;

const countsText = ({ returned, remaining, complete, cursor }: Counts): string =>
  `,"returned":${returned},"remaining":${remaining},"complete":${JSON.stringify(complete)},"cursor":${JSON.stringify(cursor)}`;

export const referenceText = ({ index, bytes, sha256 }: Reference): string =>
  `{"index":${index},"bytes":${bytes},"sha256":"${sha256}"}`;

/** UTF-8 bytes of an envelope's fixed part, then of one with these counts around nothing. */
export const headBytes = (frame: EnvelopeFrame): number => byteLength(headText(frame));
export const emptyBytes = (head: number, { returned, remaining, complete, cursor }: Counts): number =>
  head +
  COUNTS_BYTES +
  digits(returned) +
  digits(remaining) +
  (complete === true ? 4 : complete === false ? 5 : 9) +
  (cursor === null ? 4 : cursor.length + 2);

/** Of a reference's text: its digest always has 64 digits. */
export const referenceBytes = ({ index, bytes }: Pick<Reference, "index" | "bytes">): number =>
  REFERENCE_BYTES + digits(index) + digits(bytes);

// Asked for every record, so nothing is written to be measured: what stands around the figures, and their digits.
const COUNTS_BYTES = ',"returned":,"remaining":,"complete":,"cursor":,"records":[],"references":[]}'.length;
const REFERENCE_BYTES = '{"index":,"bytes":,"sha256":""}'.length + 64;

/** Contract: a whole number from 0 up. */
function digits(value: number): number {
  let count = 1;
  for (let limit = 10; value >= limit; limit *= 10) count++;
  return count;
}
