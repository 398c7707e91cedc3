/** What if: sets of code units, as ranges in order that neither touch nor overlap. */
import type { Range } from "./types";

export function union(ranges: readonly Range[]): readonly Range[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].filter(([a, b]) => a < b).sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** What is in `all` and not in `taken`; both are unions. */
export function without(all: readonly Range[], taken: readonly Range[]): readonly Range[] {
  const left: Range[] = [];
  for (const [from, to] of all) {
    let at = from;
    for (const [start, end] of taken) {
      if (end <= at || start >= to) continue;
      if (start > at) left.push([at, start]);
      at = end;
    }
    if (at < to) left.push([at, to]);
  }
  return left;
}

/** Whether one of these, a union, has all of it. */
export const contains = (all: readonly Range[], [from, to]: Range): boolean =>
  all.some(([start, end]) => start <= from && to <= end);
