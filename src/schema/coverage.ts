/** Coverage: pages of a list that say how complete they are (seed 004; CONFORMANCE §6). Records count from 1 everywhere. */
import * as z from "zod";
import { COVERAGE_REFUSALS, Digest } from "./claim";

/** The first 16 hex digits of a snapshot's handle: of its content's digest, in the scope of its session. */
export const SnapshotId = z
  .string()
  .regex(/^[0-9a-f]{16}$/)
  .brand<"SnapshotId">();
export type SnapshotId = z.infer<typeof SnapshotId>;

/** `@13`: the page that begins with record 13. At most 16 characters. */
export const PageCursor = z
  .string()
  .regex(/^@[1-9]\d{0,14}$/)
  .brand<"PageCursor">();
export type PageCursor = z.infer<typeof PageCursor>;

/** `#7`: record 7 alone, whole. */
export const RecordCursor = z
  .string()
  .regex(/^#[1-9]\d{0,14}$/)
  .brand<"RecordCursor">();
export type RecordCursor = z.infer<typeof RecordCursor>;

/** Whether a list ends with what is here: `unknown` where nothing says so. */
export const Completeness = z.union([z.boolean(), z.literal("unknown")]);
export type Completeness = z.infer<typeof Completeness>;

/** A record that fits no page: `bytes` and digest are of its own text in the source. */
export const Reference = z.strictObject({
  index: z.int().positive(),
  bytes: z.int().nonnegative(),
  sha256: Digest,
});
export type Reference = z.infer<typeof Reference>;

/**
 * A page, in this order of fields. `returned` counts `records`; `remaining` the records after this page, so that
 * total = records and references up to here + remaining. `cursor` is null exactly on the last page.
 */
export const Envelope = z.strictObject({
  snapshot: SnapshotId,
  source: z.record(z.string(), z.unknown()),
  total: z.int().nonnegative(),
  returned: z.int().nonnegative(),
  remaining: z.int().nonnegative(),
  complete: Completeness,
  cursor: PageCursor.nullable(),
  records: z.array(z.unknown()),
  references: z.array(Reference),
});
export type Envelope = z.infer<typeof Envelope>;

/** How a list is written. `lines` and `table`: each record is a line, and a JSON string in the envelope. */
export const ListFormat = z.enum(["json", "jsonl", "lines", "table"]);
export type ListFormat = z.infer<typeof ListFormat>;

/** What a tool says of its own text: each line behind the first `headerLines` is a record; whether they are all. */
export const LineHint = z.object({ headerLines: z.int().nonnegative(), complete: Completeness });
export type LineHint = z.infer<typeof LineHint>;

/**
 * What is known of a text before it is read: where a contract says the list is, or that a tool's lines are its records;
 * and how many records the tool was asked for, where a contract says which argument counts them.
 */
export const ListHints = z.object({
  pointer: z.string().nullable(),
  lines: LineHint.nullable(),
  asked: z.int().nullable(),
});
export type ListHints = z.infer<typeof ListHints>;

/** Why a text is no list, and stays a text. */
export const NotAList = z.enum([
  "malformed", // begins like JSON and is none
  "not_a_list", // no array, no lines of one form
  "ambiguous", // several arrays, or a name that decides occurs twice
  "pointer_missing",
  "not_an_array",
  "too_much_beside", // most of it is not in the array, and pages would hide it
  "too_deep",
  "not_utf8", // a lone surrogate: it has no bytes
]);
export type NotAList = z.infer<typeof NotAList>;

/** Why a cursor, a page or a record was not served. The model sees one refusal; this is for the log (CONFORMANCE §0.3). */
export const CoverageRefusal = z.enum(COVERAGE_REFUSALS);
export type CoverageRefusal = z.infer<typeof CoverageRefusal>;

/** `minimumBytes`: the smallest budget that this list has pages for; only with `budget_too_small`. */
export type CoverageRefused = {
  readonly kind: "refused";
  readonly reason: CoverageRefusal;
  readonly minimumBytes?: number;
};
