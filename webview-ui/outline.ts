// The inspector's browser side: the tree as a list of rows that are made when they are looked at. Pure but for its memory.
import type { SessionHead, TurnView } from "../src/schema/view";
import { type FilterState, indexIn, isFiltered, matchesOpened } from "./filter";
import type { Format } from "./format";
import { belowHead, sessionRow } from "./headRows";
import type { Loaded } from "./loaded";
import { belowTurn } from "./partRows";
import type { Place, Spot } from "./place";
import type { Row } from "./row";
import { placeholderRow, placeKey, turnKey, turnRow } from "./turnRow";

/**
 * A row that can be seen. `level`, `position` and `setSize` are ARIA's: from 1. `at`: the place of the turn that it is,
 * or is in; null above the turns.
 */
export type VisibleRow = {
  readonly row: Row;
  readonly at: number | null;
  readonly level: number;
  readonly position: number;
  readonly setSize: number;
  readonly isOpen: boolean;
};

/** Contract: costs what is open, not what there is; `row` costs the logarithm of what is open. */
export type Outline = {
  readonly length: number;
  row(index: number): VisibleRow | undefined;
  /** -1: it cannot be seen, or is not there yet. */
  indexOf(spot: Spot | null): number;
  /** Places of the turns that are shown, or null: all of them. */
  readonly filtered: readonly number[] | null;
};

/** What is kept from one outline to the next: rows of turns that did not change, and how many rows a turn had. */
export type Memory = {
  readonly below: WeakMap<object, { open: Place["open"]; isRunning: boolean; rows: readonly VisibleRow[] }>;
  readonly turns: WeakMap<object, { turn: TurnView | undefined; isRunning: boolean; row: Row }>;
  readonly sizes: Map<number, number>;
};
export const createMemory = (): Memory => ({ below: new WeakMap(), turns: new WeakMap(), sizes: new Map() });

export type Given = {
  readonly head: SessionHead;
  readonly loaded: Loaded;
  readonly place: Place;
  readonly filter: FilterState;
  readonly memory: Memory;
  readonly f: Format;
};

/** An open turn: the index of its row, and the rows below it. */
type Section = {
  readonly at: number;
  readonly shownAt: number; // among the turns that are shown
  readonly index: number;
  readonly rows: readonly VisibleRow[];
};

export function outlineOf(given: Given): Outline {
  const { head, loaded, place, filter, f } = given;
  const filtered = isFiltered(filter) ? filter.turns : null;
  const turns = filtered?.length ?? loaded.turnCount;
  const below = filtered === null ? belowHead(head) : [];
  const isOpen = place.open[head.session] ?? true;
  const setSize = below.length + turns;
  const tops = topRows(sessionRow(head, setSize > 0, f), isOpen ? below : [], isOpen, setSize);
  const sections = isOpen ? sectionsOf(given, filtered, tops.length) : [];
  const length =
    tops.length + (isOpen ? turns : 0) + sections.reduce((sum, { rows }) => sum + rows.length, 0);
  const turnAt = (shownAt: number, index: number): VisibleRow | undefined => {
    const at = filtered === null ? shownAt : filtered[shownAt];
    if (at === undefined || index >= length) return undefined;
    const position = below.length + shownAt + 1;
    return { row: rowOfTurn(given, at), at, level: 2, position, setSize, isOpen: isTurnOpen(given, at) };
  };
  return {
    length,
    filtered,
    row: (index) => {
      if (index < tops.length) return tops[index];
      const section = lastBefore(sections, index);
      if (section === undefined) return turnAt(index - tops.length, index);
      const inside = index - section.index - 1;
      if (inside >= 0 && inside < section.rows.length) return section.rows[inside];
      return turnAt(section.shownAt + (inside < 0 ? 0 : inside - section.rows.length + 1), index);
    },
    indexOf: (spot) => (spot === null ? -1 : indexOf(spot, { given, tops, sections, filtered, isOpen })),
  };
}

function topRows(session: Row, below: readonly Row[], isOpen: boolean, setSize: number): VisibleRow[] {
  const top = { at: null, isOpen: false };
  return [
    { ...top, row: session, level: 1, position: 1, setSize: 1, isOpen: session.isParent && isOpen },
    ...below.map((row, at) => ({ ...top, row, level: 2, position: at + 1, setSize })),
  ];
}

/** The newest turn is open, and what is found where that is little; what the person opened or closed wins. */
export function isTurnOpen({ loaded, place, filter }: Given, at: number): boolean {
  return place.turns[at] ?? (isFiltered(filter) ? filter.startsOpen : at === loaded.turnCount - 1);
}

function sectionsOf(given: Given, filtered: readonly number[] | null, from: number): Section[] {
  const { loaded, place, filter } = given;
  const candidates = new Set([
    ...Object.keys(place.turns).map(Number),
    loaded.turnCount - 1,
    ...(isFiltered(filter) && filter.startsOpen ? filter.turns : []),
  ]);
  const sections: Section[] = [];
  let rowsBefore = 0;
  for (const at of [...candidates].sort((a, b) => a - b)) {
    const shownAt = filtered === null ? at : indexIn(filtered, at);
    if (at < 0 || at >= loaded.turnCount || shownAt < 0 || !isTurnOpen(given, at)) continue;
    const rows = rowsBelow(given, at);
    sections.push({ at, shownAt, index: from + shownAt + rowsBefore, rows });
    rowsBefore += rows.length;
  }
  return sections;
}

/** The last section whose turn's row is at or before `index`. */
function lastBefore(sections: readonly Section[], index: number): Section | undefined {
  let low = 0;
  let high = sections.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sections[middle]?.index ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return sections[low - 1];
}

const isRunningAt = ({ head, loaded }: Given, at: number): boolean =>
  head.running && at === loaded.turnCount - 1;

/** Made once for what it is made of: a person who scrolls looks at it in every frame. */
function rowOfTurn(given: Given, at: number): Row {
  const { head, loaded, memory, f } = given;
  const known = { row: loaded.rows.get(at), turn: loaded.turns.get(at) };
  const isRunning = isRunningAt(given, at);
  const source = known.row ?? known.turn;
  const kept = source === undefined ? undefined : memory.turns.get(source);
  if (kept !== undefined && kept.turn === known.turn && kept.isRunning === isRunning) return kept.row;
  const row = turnRow(head.session, at, known, isRunning, f);
  if (source !== undefined) memory.turns.set(source, { turn: known.turn, isRunning, row });
  return row;
}

function rowsBelow(given: Given, at: number): readonly VisibleRow[] {
  const { head, loaded, place, filter, memory, f } = given;
  const turn = loaded.turns.get(at);
  if (turn === undefined) return placeholders(given, at);
  const isRunning = isRunningAt(given, at);
  const open = matchesOpened(filter, place.open);
  const kept = memory.below.get(turn);
  if (kept !== undefined && kept.open === open && kept.isRunning === isRunning) return kept.rows;
  const rows = visibleRows(belowTurn(turnKey(head.session, turn.turn), turn, isRunning, f), open, at);
  memory.below.set(turn, { open, isRunning, rows });
  memory.sizes.set(at, rows.length);
  return rows;
}

/** As many as the turn had, or is likely to have: what is below it then hardly moves. */
function placeholders({ head, loaded, memory }: Given, at: number): VisibleRow[] {
  const row = loaded.rows.get(at);
  const setSize = memory.sizes.get(at) ?? 2 + (row?.isAsked ? 1 : 0) + (row?.calls ?? 1);
  return Array.from({ length: setSize }, (_, index) => ({
    row: placeholderRow(`${placeKey(head.session, at)}/${index}`, false),
    at,
    level: 3,
    position: index + 1,
    setSize,
    isOpen: false,
  }));
}

/** The rows that can be seen of `rows`, from top to bottom. Rows below a closed one are not even made. */
export function visibleRows(
  rows: readonly Row[],
  open: Place["open"],
  at: number | null = null,
  level = 3,
): VisibleRow[] {
  return rows.flatMap((row, index) => {
    const isOpen = row.isParent && (open[row.key] ?? row.startsOpen);
    const visible: VisibleRow = { row, at, level, position: index + 1, setSize: rows.length, isOpen };
    return isOpen ? [visible, ...visibleRows(row.children(), open, at, level + 1)] : [visible];
  });
}

type Parts = {
  readonly given: Given;
  readonly tops: readonly VisibleRow[];
  readonly sections: readonly Section[];
  readonly filtered: readonly number[] | null;
  readonly isOpen: boolean;
};

function indexOf({ key, at }: Spot, { tops, sections, filtered, isOpen, given }: Parts): number {
  if (at === null) return tops.findIndex(({ row }) => row.key === key);
  const shownAt = filtered === null ? at : indexIn(filtered, at);
  if (!isOpen || shownAt < 0 || at >= given.loaded.turnCount) return -1;
  const index = tops.length + shownAt + rowsUpTo(sections, at);
  if (isTurnKey(given.head.session, key)) return index;
  const inside = sections.find((section) => section.at === at)?.rows.findIndex(({ row }) => row.key === key);
  return inside === undefined || inside < 0 ? -1 : index + 1 + inside;
}

/** Rows below the open turns before the one at `at`. */
function rowsUpTo(sections: readonly Section[], at: number): number {
  let sum = 0;
  for (const section of sections) if (section.at < at) sum += section.rows.length;
  return sum;
}

/** Whether a row is a turn's own, known by its number or by its place. */
export const isTurnKey = (session: string, key: string): boolean =>
  key.startsWith(`${session}/`) && /^[t@]\d+$/.test(key.slice(session.length + 1));
