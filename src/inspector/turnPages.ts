/**
 * The turns of a session as the inspector keeps them: in pages, so that opening a snapshot of a long session reads only
 * the turns that are shown. A page that was not looked at since stays JSON text, in bytes: a string of it would be copied
 * whenever a snapshot is read, and take two bytes for each character as soon as one of them is not Latin.
 */
import type { TurnView } from "../schema/view";

export const TURNS_PER_PAGE = 64;

/**
 * Contract: read-only to all but the fold. `numbers`: of the turns, each once, as they began; they ascend, unless
 * somebody else wrote the log.
 */
export type TurnPages = {
  readonly numbers: number[];
  readonly pages: (TurnView[] | Uint8Array)[];
  isUnordered?: true;
};

export const noTurns = (): TurnPages => ({ numbers: [], pages: [] });

/** The place of a turn by its number; -1 where there is none. */
export function placeOfTurn({ numbers, isUnordered }: TurnPages, turn: number): number {
  if (numbers.at(-1) === turn) return numbers.length - 1; // nearly always
  let low = 0;
  let high = numbers.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = numbers[middle] as number;
    if (found === turn) return middle;
    if (found < turn) low = middle + 1;
    else high = middle - 1;
  }
  return isUnordered ? numbers.lastIndexOf(turn) : -1;
}

export function turnAt(turns: TurnPages, place: number): TurnView | undefined {
  return pageAt(turns, Math.floor(place / TURNS_PER_PAGE))?.[place % TURNS_PER_PAGE];
}

/** Appends a turn; its place. */
export function addTurn(turns: TurnPages, turn: TurnView): number {
  const place = turns.numbers.length;
  if (turn.turn < (turns.numbers.at(-1) ?? 0)) turns.isUnordered = true;
  turns.numbers.push(turn.turn);
  if (place % TURNS_PER_PAGE === 0) turns.pages.push([turn]);
  else pageAt(turns, turns.pages.length - 1)?.push(turn);
  return place;
}

export function allTurns(turns: TurnPages): TurnView[] {
  return turns.pages.flatMap((_, page) => pageAt(turns, page) ?? []);
}

/** For a snapshot: all but the last page become text; those that are text already cost nothing. */
export function freezeTurns({ pages }: TurnPages): void {
  const encoder = new TextEncoder();
  for (const [at, page] of pages.slice(0, -1).entries())
    if (Array.isArray(page)) pages[at] = encoder.encode(JSON.stringify(page));
}

function pageAt({ pages }: TurnPages, page: number): TurnView[] | undefined {
  const found = pages[page];
  if (found === undefined || Array.isArray(found)) return found;
  const thawed = JSON.parse(new TextDecoder().decode(found)) as TurnView[];
  pages[page] = thawed;
  return thawed;
}
