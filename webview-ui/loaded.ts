// The inspector's browser side: the turns that the page has: rows of closed ones, whole open ones. Never all of them. Pure.
import type { ToViewOf, TurnRow } from "../src/schema/inspector";
import type { CallView, TurnView } from "../src/schema/view";

/** Turns by their place. `stale`: loaded, and changed since. */
export type Loaded = {
  readonly turnCount: number;
  readonly rows: ReadonlyMap<number, TurnRow>;
  readonly turns: ReadonlyMap<number, TurnView>;
  readonly stale: ReadonlySet<number>;
};
export const NO_TURNS: Loaded = { turnCount: 0, rows: new Map(), turns: new Map(), stale: new Set() };

/** Places from `from` up to and without `to`. */
export type Places = { readonly from: number; readonly to: number };

/** More are not kept. */
export const MAXIMUM_ROWS = 400;
export const MAXIMUM_TURNS = 80;

export function withRows(loaded: Loaded, rows: readonly TurnRow[]): Loaded {
  if (rows.length === 0) return loaded;
  return { ...loaded, rows: new Map([...loaded.rows, ...rows.map((row) => [row.at, row] as const)]) };
}

export function withTurns(loaded: Loaded, turns: readonly { at: number; turn: TurnView }[]): Loaded {
  if (turns.length === 0) return loaded;
  const stale = new Set(loaded.stale);
  for (const { at } of turns) stale.delete(at);
  const whole = new Map([...loaded.turns, ...turns.map(({ at, turn }) => [at, turn] as const)]);
  return { ...loaded, turns: whole, stale };
}

/**
 * A turn that begins is there from its first increment on. A call that has no place in the turn that is here was missed:
 * the turn is stale.
 */
export function withChanges(loaded: Loaded, changed: ToViewOf<"changed">): Loaded {
  const { turns, calls, stale, turnCount } = changed;
  const whole = new Map(loaded.turns);
  const old = new Set(loaded.stale);
  for (const { at, turn } of turns) {
    const was = whole.get(at);
    if (was !== undefined || at >= loaded.turnCount) whole.set(at, { ...turn, calls: was?.calls ?? [] });
  }
  for (const { at, place, call } of calls) {
    const turn = whole.get(at);
    if (turn === undefined) continue;
    if (place > turn.calls.length) old.add(at);
    else whole.set(at, { ...turn, calls: withCall(turn.calls, place, call) });
  }
  for (const at of stale) if (whole.has(at)) old.add(at);
  return withRows({ ...loaded, turnCount, turns: whole, stale: old }, changed.rows);
}

const withCall = (calls: readonly CallView[], place: number, call: CallView): CallView[] => [
  ...calls.slice(0, place),
  call,
  ...calls.slice(place + 1),
];

/** The places of the turns that an increment tells of. */
export const placesIn = ({ turns, calls, stale }: ToViewOf<"changed">): ReadonlySet<number> =>
  new Set([...turns.map(({ at }) => at), ...calls.map(({ at }) => at), ...stale]);

export function keptRows(loaded: Loaded, near: Places, held: ReadonlySet<number>): Loaded {
  if (loaded.rows.size <= MAXIMUM_ROWS) return loaded;
  return { ...loaded, rows: nearest(loaded.rows, MAXIMUM_ROWS, near, heldIn(loaded, held)) };
}

export function keptTurns(loaded: Loaded, near: Places, held: ReadonlySet<number>): Loaded {
  if (loaded.turns.size <= MAXIMUM_TURNS) return loaded;
  const turns = nearest(loaded.turns, MAXIMUM_TURNS, near, heldIn(loaded, held));
  return { ...loaded, turns, stale: new Set([...loaded.stale].filter((at) => turns.has(at))) };
}

/** The newest turn is what an increment tells of: it always stays. */
const heldIn = ({ turnCount }: Loaded, held: ReadonlySet<number>): ReadonlySet<number> =>
  new Set([...held, turnCount - 1]);

function nearest<T>(
  all: ReadonlyMap<number, T>,
  maximum: number,
  { from, to }: Places,
  held: ReadonlySet<number>,
): ReadonlyMap<number, T> {
  const distance = (at: number) => (held.has(at) ? -1 : at < from ? from - at : Math.max(0, at - to + 1));
  return new Map([...all].sort(([a], [b]) => distance(a) - distance(b)).slice(0, maximum));
}

/** The number of the turn at a place, as far as anything here says it. */
export const turnAt = ({ rows, turns }: Loaded, at: number): number | null =>
  rows.get(at)?.turn ?? turns.get(at)?.turn ?? null;

/**
 * The place of a turn. Between two turns that are here, with as many turns as places, it is known without being here;
 * anywhere else it is guessed, and the row that is asked for then makes the next guess better.
 */
export function placeOf(
  loaded: Loaded,
  turn: number,
): { readonly at: number; readonly isExact: boolean } | null {
  let below: readonly [at: number, turn: number] = [-1, Number.NEGATIVE_INFINITY];
  let above: readonly [at: number, turn: number] = [loaded.turnCount, Number.POSITIVE_INFINITY];
  for (const here of [loaded.rows, loaded.turns])
    for (const [at, known] of here) {
      if (known.turn === turn) return { at, isExact: true };
      if (known.turn < turn && at > below[0]) below = [at, known.turn];
      if (known.turn > turn && at < above[0]) above = [at, known.turn];
    }
  if (above[0] - below[0] < 2) return null; // nothing is between them: there is no such turn
  const guess = Number.isFinite(above[1]) ? above[0] - (above[1] - turn) : below[0] + (turn - below[1]);
  if (!Number.isFinite(guess)) return { at: below[0] + 1, isExact: false };
  const isExact = above[0] - below[0] === above[1] - below[1];
  return { at: Math.min(Math.max(guess, below[0] + 1), above[0] - 1), isExact };
}
