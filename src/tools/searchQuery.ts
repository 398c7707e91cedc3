/** What is searched for and what comes back, whichever engine does the work. */
import type { Listed } from "./listWorkspace";
import type { Workspace } from "./ports";

export type SearchQuery = {
  readonly text: string; // one line: literal, or a regular expression
  readonly isRegex: boolean;
  readonly caseSensitive: boolean;
};

/** A line with at least one match. `line` counts from 1; `text` is the line without its end, cut if it is long. */
export type Hit = { readonly file: Listed; readonly line: number; readonly text: string };

/** `exact` is false when there were more hits than were asked for. */
export type Found =
  | { readonly kind: "found"; readonly hits: readonly Hit[]; readonly exact: boolean }
  | {
      readonly kind: "failed";
      readonly code: "invalid_regex" | "search_failed" | "too_slow";
      readonly text: string;
    };

export type Search = {
  readonly files: readonly Listed[];
  readonly query: SearchQuery;
  readonly maxHits: number;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
};
