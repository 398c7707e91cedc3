/**
 * What one page is told of a session: first what it begins with, then only what changed. Invariant: no increment is
 * larger than INCREMENT_BYTES, whatever the session holds; what does not fit is named, and the page asks for it.
 */
import { INCREMENT_BYTES, type ToViewOf } from "../schema/inspector";
import { byteLength } from "../schema/text";
import type { SessionHead } from "../schema/view";
import type { InspectorFold, Touched } from "./draft";
import { columnOf, headOnWire, plotOf, rowOf, rowsFrom, turnOnWire } from "./rows";
import { turnAt } from "./turnPages";

const FIRST_ROWS = 60;
/** Turns whose details are sent without being asked for: where a session goes on. */
const LIVE_TURNS = 2;

type Changed = ToViewOf<"changed">;

export class Feed {
  #head: SessionHead | null = null; // as the page has it
  readonly #turns = new Set<number>();
  readonly #calls = new Map<string, { at: number; place: number }>();

  /** Null for a log without a beginning. */
  opened(fold: InspectorFold): ToViewOf<"opened"> | null {
    if (fold.head === null) return null;
    this.#turns.clear();
    this.#calls.clear();
    this.#head = copyOf(headOnWire(fold.head));
    const count = fold.turns.numbers.length;
    const newest = turnAt(fold.turns, count - 1);
    return {
      type: "opened",
      head: this.#head,
      turnCount: count,
      rows: rowsFrom(fold, Math.max(0, count - FIRST_ROWS), FIRST_ROWS),
      newest: newest ? turnOnWire(newest) : null,
      plot: plotOf(fold),
    };
  }

  /** After every event that the fold has taken. */
  note({ turns, calls }: Touched): void {
    for (const at of turns) this.#turns.add(at);
    for (const call of calls) this.#calls.set(`${call.at}/${call.place}`, call);
  }

  /**
   * What changed since the last time; nothing where nothing did. A configuration whose notices are too many for an
   * increment is told as at the beginning.
   */
  changes(fold: InspectorFold): readonly (Changed | ToViewOf<"opened">)[] {
    if (fold.head === null || this.#head === null) return [];
    const head = headOnWire(fold.head);
    const packed = new Packing(head.session, fold.turns.numbers.length);
    if (!packed.head(changesOf(this.#head, head))) {
      const anew = this.opened(fold);
      return anew ? [anew] : [];
    }
    this.#head = copyOf(head);
    const live = fold.turns.numbers.length - LIVE_TURNS;
    const stale = new Set<number>();
    const rows = new Set([...this.#turns, ...[...this.#calls.values()].map(({ at }) => at)]);
    for (const at of rows) {
      const turn = turnAt(fold.turns, at);
      if (!turn) continue;
      packed.add("rows", rowOf(fold, turn, at));
      if (at < live) stale.add(at);
      else if (this.#turns.has(at)) {
        const { calls: _calls, ...own } = turnOnWire(turn);
        if (!packed.add("turns", { at, turn: own })) stale.add(at);
        const column = columnOf(turn, at);
        if (column) packed.add("columns", column);
      }
    }
    for (const { at, place } of this.#calls.values()) {
      const call = turnAt(fold.turns, at)?.calls[place];
      if (!call || stale.has(at)) continue;
      if (!packed.add("calls", { at, place, call })) stale.add(at);
    }
    for (const at of stale) packed.add("stale", at);
    this.#turns.clear();
    this.#calls.clear();
    return packed.messages;
  }
}

/** Pieces in as few messages as they fit in. */
class Packing {
  readonly messages: Changed[] = [];
  readonly #session: string;
  readonly #turnCount: number;
  #bytes = 0;

  constructor(session: string, turnCount: number) {
    this.#session = session;
    this.#turnCount = turnCount;
  }

  /** False where a part of it fits in no message. */
  head(change: Partial<SessionHead> | null): boolean {
    if (change === null) return true;
    for (const [name, value] of Object.entries(change)) {
      const piece = { [name]: value };
      const bytes = byteLength(JSON.stringify(piece));
      const message = this.#messageFor(bytes);
      if (message === null) return false;
      message.head = { ...message.head, ...piece };
    }
    return true;
  }

  /** False where it fits in no message. */
  add<Name extends "rows" | "turns" | "calls" | "columns" | "stale">(
    name: Name,
    piece: Changed[Name][number],
  ): boolean {
    if (isSurelyLarge(piece)) return false;
    const message = this.#messageFor(byteLength(JSON.stringify(piece)));
    (message?.[name] as (typeof piece)[] | undefined)?.push(piece);
    return message !== null;
  }

  #messageFor(bytes: number): Changed | null {
    const empty = this.#empty();
    const around = byteLength(JSON.stringify(empty));
    if (around + bytes + 2 > INCREMENT_BYTES) return null;
    const last = this.messages.at(-1);
    if (last && this.#bytes + bytes + 2 <= INCREMENT_BYTES) {
      this.#bytes += bytes + 2;
      return last;
    }
    this.messages.push(empty);
    this.#bytes = around + bytes + 2;
    return empty;
  }

  #empty(): Changed {
    return {
      type: "changed",
      session: this.#session,
      head: null,
      turnCount: this.#turnCount,
      ...{ rows: [], turns: [], calls: [], columns: [], stale: [] },
    };
  }
}

/** An entry of a turn's or a call's list takes more than this. */
const ENTRY_BYTES = 16;

/** What is not written out only to be measured, after every event anew: a turn may have any number of notes. */
function isSurelyLarge(piece: Changed["rows" | "turns" | "calls" | "columns" | "stale"][number]): boolean {
  const own = Object.values(piece).flatMap((value) => (isObject(value) ? Object.values(value) : []));
  return own.some((value) => Array.isArray(value) && value.length * ENTRY_BYTES > INCREMENT_BYTES);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The fold changes its head in place. */
const copyOf = (head: SessionHead): SessionHead => JSON.parse(JSON.stringify(head)) as SessionHead;

function changesOf(before: SessionHead, now: SessionHead): Partial<SessionHead> | null {
  const changed = (Object.keys(now) as (keyof SessionHead)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]),
  );
  return changed.length === 0 ? null : Object.fromEntries(changed.map((key) => [key, now[key]]));
}
