// The inspector's browser side: from one row that was looked for to the next, in the order in which they stand. Pure.
import type { Direction } from "../src/schema/claim";
import type { Found } from "../src/schema/inspector";
import type { Spot } from "./place";

export type Match = Spot & { readonly at: number };

/** In a turn, rows stand in this order; calls, whose keys are their ids, last. */
const ORDER = ["asked", "note", "recovery", "repair", "reply"];

const rankOf = (key: string): number => {
  const name = (key.split("/")[2] ?? "").replace(/\d+$/, "");
  const rank = ORDER.indexOf(name);
  return rank < 0 ? ORDER.length : rank;
};

const known = new WeakMap<Found, readonly Match[]>();

/** All rows that are named, which are not all where `isCut`. */
export function matchesOf(found: Found): readonly Match[] {
  const kept = known.get(found);
  if (kept !== undefined) return kept;
  const matches = [...found.turns]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ at, keys }) =>
      [...keys].sort((a, b) => rankOf(a) - rankOf(b)).map((key): Match => ({ key, at })),
    );
  known.set(found, matches);
  return matches;
}

/** The place among the matches of the row at `spot`, from 0; -1: it is none. */
export const matchAt = (matches: readonly Match[], spot: Spot | null): number =>
  spot === null ? -1 : matches.findIndex(({ key, at }) => key === spot.key && at === spot.at);

/** The match after or before the row at `spot`, around the ends; null: there is none. */
export function matchFrom(matches: readonly Match[], spot: Spot | null, direction: Direction): Match | null {
  const here = matchAt(matches, spot);
  const step = direction === "next" ? 1 : -1;
  if (here >= 0) return matches[(here + step + matches.length) % matches.length] ?? null;
  const from = spot?.at ?? -1; // above the turns
  return direction === "next"
    ? (matches.find(({ at }) => at >= from) ?? matches[0] ?? null)
    : (matches.findLast(({ at }) => at < from) ?? matches.at(-1) ?? null);
}
