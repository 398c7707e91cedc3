// The inspector's browser side: what is looked for in a session, and the turns that have it. Pure.
import type { FindQuery, Found } from "../src/schema/inspector";
import type { Place } from "./place";

export const NO_QUERY: FindQuery = { text: "", tool: null, state: null, kind: null, minimumChars: null };

export const isLookedFor = ({ text, tool, state, kind, minimumChars }: FindQuery): boolean =>
  text !== "" || tool !== null || state !== null || kind !== null || minimumChars !== null;

/** The turns that are shown, in their order; `startsOpen`: they are so few that they are open. */
export type FilterState =
  | {
      readonly turns: readonly number[];
      readonly startsOpen: boolean;
      readonly keys: ReadonlySet<string>;
      /** Rows that are open because a match is below them. */
      readonly opened: Readonly<Record<string, boolean>>;
    }
  | "none";

export const isFiltered = (filter: FilterState): filter is Exclude<FilterState, "none"> => filter !== "none";

const FEW = 20;

export function filterOf({ turns }: Found): FilterState {
  const startsOpen = turns.length <= FEW;
  const keys = new Set(turns.flatMap((turn) => turn.keys));
  return {
    turns: turns.map(({ at }) => at).sort((a, b) => a - b),
    startsOpen,
    keys,
    opened: startsOpen ? Object.fromEntries([...keys].flatMap(above).map((key) => [key, true])) : {},
  };
}

/** The keys of the rows that a row is below, without its turn's and its session's. */
function above(key: string): string[] {
  const parts = key.split("/");
  return parts.slice(3).map((_, at) => parts.slice(0, at + 3).join("/"));
}

const merged = new WeakMap<object, WeakMap<object, Place["open"]>>();

/** What is open with a filter. The same object for the same arguments: rows are made anew only when it is another. */
export function matchesOpened(filter: FilterState, open: Place["open"]): Place["open"] {
  if (!isFiltered(filter)) return open;
  const known = merged.get(filter.opened) ?? new WeakMap<object, Place["open"]>();
  merged.set(filter.opened, known);
  const both = known.get(open) ?? { ...filter.opened, ...open };
  known.set(open, both);
  return both;
}

/** Where `value` is in ascending `values`; -1: nowhere. */
export function indexIn(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const there = values[middle] ?? 0;
    if (there === value) return middle;
    if (there < value) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
