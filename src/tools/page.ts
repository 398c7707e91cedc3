/** The first line of every list: how many there are, which of them follow, and whether that is all. */
import type { LineHint } from "../schema/coverage";

/** Part of a list. `total` counts all there are; where `exact` is false there are more than `total`, and counting stopped. */
export type Page = {
  readonly noun: "Files" | "Matches";
  readonly offset: number;
  readonly returned: number;
  readonly total: number;
  readonly exact: boolean;
  readonly missing: string; // what could not be looked at, as a clause; "" when all was
};

/** One bracketed line without its line break. It says "complete" only for a whole list with nothing missing. */
export function pageHeader(page: Page): string {
  const { noun, offset, returned, total, exact } = page;
  const end = offset + returned;
  const missing = page.missing === "" ? "" : `; ${page.missing}`;
  const all = exact ? `${total}` : `more than ${total}`;
  if (total === 0) return `[${noun} 0 of 0; ${page.missing === "" ? "complete" : page.missing}.]`;
  if (returned === 0) return `[${noun} 0 of ${all}; offset ${offset} is past the end${missing}.]`;
  const range = `${noun} ${offset + 1}–${end} of ${all}`;
  if (end < total) {
    const more = exact ? `; ${total - end} more` : "";
    return `[${range}${more}${missing}. Continue with offset=${end}.]`;
  }
  if (!exact) return `[${range}; later ones are not counted${missing}. Narrow the query or the glob.]`;
  if (missing !== "") return `[${range}${missing}.]`;
  return offset === 0 ? `[${range}; complete.]` : `[${range}; the list ends here.]`;
}

/** What the lines behind that header are, for whoever shows the list in pages: whether it ends with them. */
export function linesOf({ offset, returned, total, exact, missing }: Page): LineHint {
  const isWhole = exact && missing === "";
  return { headerLines: 1, complete: offset + returned < total ? false : isWhole ? true : "unknown" };
}

/** A clause for folders that could not be read. */
export function unreadableFolders(count: number): string {
  if (count === 0) return "";
  return `${count} ${count === 1 ? "folder" : "folders"} could not be read`;
}

/** A path on one line: control characters, which could end the line, are shown as JSON would. */
export function onOneLine(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path;
}
