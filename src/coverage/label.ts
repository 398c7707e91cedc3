/**
 * The line before an envelope, generated and parsed here (CONFORMANCE §6). A text of this shape means something only
 * where this session issued it (§0.2). The retrieval tool's name is `claims`' word, so it arrives as a parameter.
 */
import { Handle } from "../schema/claim";
import type { Completeness } from "../schema/coverage";
import { type PageEntry, restOf, type Snapshot } from "./snapshot";

export type LabelFacts = {
  readonly handle: Handle;
  readonly first: number;
  readonly last: number; // below `first`: no records
  readonly total: number;
  readonly references: readonly number[];
  readonly complete: Completeness; // what the envelope says
  readonly leftOutBytes: number;
};

/** `[Records 1–12 of 241; 229 more. Next: fetch_result with handle='claim:…@13'.]` */
export function labelOf(facts: LabelFacts, fetchTool: string): string {
  const { handle, first, last, total, references, leftOutBytes } = facts;
  const range = last < first ? `No records of ${total}` : `Records ${first}–${last} of ${total}`;
  const rest = total - last;
  const [reference] = references;
  const large =
    reference === undefined
      ? ""
      : ` ${references.length} of them too large to show: read one with ${fetchTool}, handle='${handle}#${reference}'.`;
  const beside =
    leftOutBytes === 0
      ? ""
      : ` ${leftOutBytes} bytes beside the list are not in its pages: ${fetchTool} with handle='${handle}'.`;
  const next =
    rest > 0
      ? `${rest} more. Next: ${fetchTool} with handle='${handle}@${last + 1}'.`
      : `${ENDS[String(facts.complete)]}.`;
  return `[${range}; ${next}${large}${beside}]`;
}

/** The same for a page of a snapshot. */
export function pageLabel(handle: Handle, snapshot: Snapshot, page: PageEntry, fetchTool: string): string {
  const { first, last } = page;
  const { total, leftOutBytes } = snapshot;
  const { complete } = restOf(last, total, snapshot.complete);
  const references = page.references.map(({ index }) => index);
  return labelOf({ handle, first, last, total, references, complete, leftOutBytes }, fetchTool);
}

const ENDS: Readonly<Record<string, string>> = {
  true: "this is the end",
  false: "the source has more",
  unknown: "whether the source has more is unknown",
};

const LABEL =
  /^\[(?:Records (?<first>\d+)–(?<last>\d+)|No records) of (?<total>\d+); (?:\d+ more\. Next: \S+ with handle='(?<handle>claim:[0-9a-f]{32})@(?<next>\d+)'|(?<end>this is the end|the source has more|whether the source has more is unknown))\..*\]$/m;

/** The first label in a text, read back: `next` null on a last page. Only for texts whose provenance is known. */
export function parseLabel(text: string): {
  readonly first: number;
  readonly last: number;
  readonly total: number;
  readonly next: { readonly handle: Handle; readonly first: number } | null;
  readonly complete: Completeness;
} | null {
  const { first = "1", last = "0", total, handle, next, end } = LABEL.exec(text)?.groups ?? {};
  if (total === undefined) return null;
  const said = Object.keys(ENDS).find((key) => ENDS[key] === end);
  return {
    first: Number(first),
    last: Number(last),
    total: Number(total),
    next: handle === undefined ? null : { handle: Handle.parse(handle), first: Number(next) },
    complete: said === "true" ? true : said === "unknown" ? said : false,
  };
}
