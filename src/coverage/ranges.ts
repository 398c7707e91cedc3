/** Sets of record numbers as ranges, both ends included, in order, never touching one another. */
export type Range = readonly [first: number, last: number];
export type Ranges = readonly Range[];

/** Contract: `first <= last`. */
export function withRange(ranges: Ranges, [first, last]: Range): Ranges {
  const before = ranges.filter((range) => range[1] < first - 1);
  const after = ranges.filter((range) => range[0] > last + 1);
  const joined = ranges.filter((range) => range[1] >= first - 1 && range[0] <= last + 1);
  const start = Math.min(first, ...joined.map((range) => range[0]));
  const end = Math.max(last, ...joined.map((range) => range[1]));
  return [...before, [start, end], ...after];
}

export const withRanges = (ranges: Ranges, more: Ranges): Ranges => more.reduce(withRange, ranges);

export function withoutRange(ranges: Ranges, [first, last]: Range): Ranges {
  return ranges.flatMap(([start, end]): Range[] => {
    const left: Range[] = start < first ? [[start, Math.min(end, first - 1)]] : [];
    const right: Range[] = end > last ? [[Math.max(start, last + 1), end]] : [];
    return [...left, ...right];
  });
}

export const sizeOf = (ranges: Ranges): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
