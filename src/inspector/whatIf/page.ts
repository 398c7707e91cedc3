/** What-if: the first page of a list, as a result would be shown when it arrives (CONFORMANCE §6). */
import { FETCH_RESULT } from "../../claims/ticket";
import { envelopeText } from "../../coverage/envelope";
import { indexList } from "../../coverage/indexList";
import { pageLabel } from "../../coverage/label";
import { isJson, PAGE_BYTES, restOf, snapshotOf } from "../../coverage/snapshot";
import type { Digest, Handle } from "../../schema/claim";
import type { SnapshotId } from "../../schema/coverage";
import type { Range, Shown } from "./types";

/** As long as real ones. */
const NO_ID = "0".repeat(16) as SnapshotId;
const NO_DIGEST = "0".repeat(64) as Digest;

/** Null: the text is no list, or its pages cannot be so small. */
export function firstPageOf(text: string, handle: Handle): Shown | null {
  const index = indexList(text);
  if (index.kind === "text") return null;
  const snapshot = snapshotOf(text, index, { id: NO_ID, budgetBytes: PAGE_BYTES, hash: () => NO_DIGEST });
  if (snapshot.kind === "refused") return null;
  const [page] = snapshot.pages;
  if (!page) return null;
  const kept = page.runs.map(({ from, to }): Range => [unitAt(text, from), unitAt(text, to)]);
  const runs = kept.map(([from, to]) => text.slice(from, to));
  const records = isJson(snapshot.format)
    ? runs
    : runs.flatMap((run) => run.split(/\r?\n/).map((line) => JSON.stringify(line)));
  const { returned, references, last } = page;
  const rest = restOf(last, snapshot.total, snapshot.complete);
  const envelope = envelopeText(snapshot, { returned, ...rest, records, references });
  return {
    text: `${pageLabel(handle, snapshot, page, FETCH_RESULT)}\n${envelope}`,
    kept,
    isKept: true,
  };
}

/** The UTF-16 code unit at a UTF-8 byte. */
function unitAt(text: string, byte: number): number {
  let bytes = 0;
  let at = 0;
  while (bytes < byte && at < text.length) {
    const point = text.codePointAt(at) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x1_0000 ? 3 : 4;
    at += point < 0x1_0000 ? 1 : 2;
  }
  return at;
}
