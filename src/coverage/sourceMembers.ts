/** What a source says of its own list: status, total, cursor, next page. Copied as its own bytes, never made up. */
import type { Completeness } from "../schema/coverage";

/** `key` and `text` are JSON texts: the member's own name and value; below the root the name is a JSON pointer. */
export type SourceMember = { readonly key: string; readonly text: string };

export type Role = "status" | "total" | "cursor" | "more" | "cut" | "last" | "echo" | "holder";

/** Longer members are left out, and counted as left out; a status never is. */
export const MEMBER_BYTES = 512;

const NAMES: Readonly<Record<Role, readonly string[]>> = {
  status: ["status", "state"],
  total: ["total", "total_count", "totalCount", "total_results", "totalResults", "totalItems", "total_items"],
  cursor: [
    "cursor",
    "next_cursor",
    "nextCursor",
    "endCursor",
    "end_cursor",
    "next_token",
    "nextToken",
    "next_page_token",
    "nextPageToken",
    "continuation",
    "continuationToken",
    "next",
    "next_page",
    "nextPage",
    "next_url",
    "nextUrl",
    "nextLink",
    "@odata.nextLink",
  ],
  more: ["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage"],
  cut: ["truncated", "isTruncated", "is_truncated", "incomplete_results", "incomplete"],
  last: ["isLast", "is_last", "lastPage", "last_page"],
  echo: [
    "count",
    "page",
    "per_page",
    "perPage",
    "page_size",
    "pageSize",
    "offset",
    "limit",
    "startAt",
    "maxResults",
  ],
  holder: ["pageInfo", "page_info", "paging", "pagination", "response_metadata", "meta", "_links", "links"],
};
const ROLES: ReadonlyMap<string, Role> = new Map(
  (Object.entries(NAMES) as [Role, readonly string[]][]).flatMap(([role, names]) =>
    names.map((name) => [name, role] as const),
  ),
);
export const LONGEST_NAME = Math.max(...[...ROLES.keys()].map((name) => name.length));

export const roleOf = (name: string): Role | undefined => ROLES.get(name);

/** What one member says of the list's end. */
type Say = { readonly role: Role; readonly value: unknown };

/** The members of a holder such as `pageInfo` say what they would say beside the list. */
export function* saysOf(role: Role, text: string): Generator<Say> {
  if (role === "status" || role === "echo") return; // nothing of the end, and a status may be long
  const value: unknown = JSON.parse(text);
  if (role !== "holder") yield { role, value };
  else if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const innerRole = roleOf(name);
      if (innerRole && innerRole !== "holder") yield { role: innerRole, value: inner };
    }
  }
}

/**
 * Whether the list ends with these records, by its source's own word: it says whether something follows; or that it cut
 * the list; or it has a cursor (`""` is one, null and absence are none); or a total above what is here. A source that
 * says nothing of the kind has ended; one that contradicts itself is unknown.
 */
export function endOf(says: readonly Say[], records: number): Completeness {
  const has = (role: Role, is: (value: unknown) => boolean): boolean =>
    says.some((say) => say.role === role && is(say.value));
  const isTrue = (value: unknown) => value === true;
  const isFalse = (value: unknown) => value === false;
  const saysMore = has("more", isTrue) || has("last", isFalse) || has("cut", isTrue);
  const saysEnd = has("more", isFalse) || has("last", isTrue);
  if (saysMore) return saysEnd ? "unknown" : false;
  if (saysEnd) return true; // also beside a cursor: `endCursor` stands on last pages
  if (has("cursor", isCursor)) return false;
  return !has("total", (total) => typeof total === "number" && total > records);
}

const isCursor = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || (value !== null && typeof value === "object");
