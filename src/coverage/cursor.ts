/** Cursors: `@13` is the page that begins with record 13, `#7` is record 7. Behind a handle they are handles (CONFORMANCE §1). */
import { Handle } from "../schema/claim";
import { type CoverageRefused, PageCursor, RecordCursor } from "../schema/coverage";

export type Cursor =
  | { readonly kind: "page"; readonly first: number }
  | { readonly kind: "record"; readonly index: number };

export const pageCursor = (first: number): PageCursor => `@${first}` as PageCursor;
export const recordCursor = (index: number): RecordCursor => `#${index}` as RecordCursor;

const LONGEST = 64; // a handle and a cursor have 54 characters

/** What a cursor says; whether it was issued is for its snapshot to tell. No spelling but ours is a cursor. */
export function parseCursor(given: string): Cursor | CoverageRefused {
  if (given === "") return { kind: "refused", reason: "empty_cursor" };
  if (PageCursor.safeParse(given).success) return { kind: "page", first: Number(given.slice(1)) };
  if (RecordCursor.safeParse(given).success) return { kind: "record", index: Number(given.slice(1)) };
  return { kind: "refused", reason: "malformed_cursor" };
}

/** A handle with a cursor behind it, such as `claim:…@13`; null where it is anything else. */
export function parseCursorHandle(
  given: string,
): { readonly handle: Handle; readonly cursor: Cursor } | null {
  if (given.length > LONGEST) return null;
  const at = given.search(/[@#]/);
  const handle = Handle.safeParse(given.slice(0, at));
  const cursor = parseCursor(given.slice(at));
  return at < 0 || !handle.success || cursor.kind === "refused" ? null : { handle: handle.data, cursor };
}
