// The inspector's browser side: the plot's geometry and its keys. Pure. A column is one unit wide, the plot PLOT_HEIGHT high.
import type { PlotColumn } from "../src/schema/inspector";
import { sumOf } from "./fillParts";

export const PLOT_HEIGHT = 100;
/** Few turns do not become a wall: the plot is at least so many columns wide. */
const LEAST_COLUMNS = 8;
const PAGE = 10;

export type Columns = readonly (PlotColumn | null)[];

export const plotWidth = (columns: Columns): number => Math.max(LEAST_COLUMNS, columns.length);

/** The highest figure of all that is drawn, at least 1. */
export const plotTop = (columns: Columns, line: readonly (number | null)[] = []): number =>
  [...columns.map((column) => (column === null ? 0 : Math.max(sumOf(column.tokens), column.naive))), ...line]
    .map((value) => value ?? 0)
    .reduce((top, value) => Math.max(top, value), 1);

const yOf = (value: number, top: number): string => (PLOT_HEIGHT * (1 - value / top)).toFixed(2);

/** One path per kind, bottom kind first: between what is below it and its own upper edge, in steps. */
export function stackedPaths(columns: Columns, kinds: number, top: number): string[] {
  const below = columns.map(() => 0);
  return Array.from({ length: kinds }, (_, kind) => {
    const above = below.map((base, at) => base + (columns[at]?.tokens[kind] ?? 0));
    const path = areaPath(below, above, top);
    for (const [at, value] of above.entries()) below[at] = value;
    return path;
  });
}

/** Columns in which nothing lies between the edges are left out; others that touch become one shape. */
function areaPath(below: readonly number[], above: readonly number[], top: number): string {
  let path = "";
  for (let from = 0; from < above.length; from++) {
    if (above[from] === below[from]) continue;
    let end = from;
    while (end < above.length && above[end] !== below[end]) end++;
    path += shapePath(below, above, from, end, top);
    from = end;
  }
  return path;
}

function shapePath(
  below: readonly number[],
  above: readonly number[],
  from: number,
  end: number,
  top: number,
): string {
  let path = `M${from} ${yOf(below[from] ?? 0, top)}`;
  for (let at = from; at < end; at++) path += `V${yOf(above[at] ?? 0, top)}H${at + 1}`;
  for (let at = end - 1; at >= from; at--) path += `V${yOf(below[at] ?? 0, top)}H${at}`;
  return `${path}Z`;
}

/** A line in steps; null interrupts it. */
export function linePath(values: readonly (number | null)[], top: number): string {
  let path = "";
  let isDown = false;
  for (const [at, value] of values.entries()) {
    if (value !== null) path += `${isDown ? "V" : `M${at} `}${yOf(value, top)}H${at + 1}`;
    isDown = value !== null;
  }
  return path;
}

/** The area under naive, behind everything: what of it stays visible was saved. */
export const naiveArea = (columns: Columns, top: number): string =>
  areaPath(
    columns.map(() => 0),
    columns.map((column) => column?.naive ?? 0),
    top,
  );

/** 0 says that a request was made only to read something back: naive has no such request. */
export const naiveLine = (columns: Columns): (number | null)[] =>
  columns.map((column) => (column === null || column.naive === 0 ? null : column.naive));

/** The column that stands for the turn at `place`, or the nearest that has a request; null where none has. */
export function columnNear(columns: Columns, at: number): number | null {
  for (let distance = 0; distance < columns.length + Math.abs(at); distance++) {
    for (const near of [at - distance, at + distance]) if (columns[near]) return near;
  }
  return null;
}

/** Where a key leads from column `at`; null: the key is not the plot's. */
export function columnFor(columns: Columns, at: number, key: string): number | null {
  const filled = columns.flatMap((column, place) => (column === null ? [] : [place]));
  const here = filled.findLastIndex((place) => place <= at);
  const to = (place: number) => filled[Math.min(Math.max(place, 0), filled.length - 1)] ?? null;
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return to(here + 1);
    case "ArrowLeft":
    case "ArrowDown":
      return to(here - 1);
    case "PageUp":
      return to(here + PAGE);
    case "PageDown":
      return to(here - PAGE);
    case "Home":
      return to(0);
    case "End":
      return to(filled.length - 1);
    default:
      return null;
  }
}
