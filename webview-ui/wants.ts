// The inspector's browser side: what the page asks the host for, so that what is in sight is there. Pure.
import type { FromView, ROWS_AT_ONCE, TURNS_AT_ONCE } from "../src/schema/inspector";
import type { Places } from "./loaded";
import type { PageModel } from "./model";

/** The same figures as the schema's: of it the page imports types only. */
const ROWS: typeof ROWS_AT_ONCE = 200;
const TURNS: typeof TURNS_AT_ONCE = 40;

/** Rows are there before they are scrolled to. */
const ROWS_AROUND = 100;

/**
 * What is in sight: turns by place (in the order of the tree: with a filter they are not neighbours), which of them are
 * open, and the rows whose details are shown. `around`: places whose neighbours may come into sight next.
 */
export type Sight = {
  readonly around: Places | null; // null: only `closed`
  readonly closed: readonly number[];
  readonly open: readonly number[];
  readonly details: string | null;
};

export type Wanted = { readonly model: PageModel; readonly messages: readonly FromView[] };

/** The messages to be posted now, and the model that remembers them: none is posted again before its answer. */
export function wants(model: PageModel, sight: Sight): Wanted {
  const session = model.head?.session;
  if (session === undefined) return { model, messages: [] };
  const rows = missingRows(model, sight);
  const turns = missingTurns(model, sight).slice(0, TURNS);
  const details = missingDetails(model, sight);
  if (rows.length + turns.length + details.length === 0) return { model, messages: [] };
  const { asked, loaded } = model;
  return {
    model: {
      ...model,
      loaded: { ...loaded, stale: new Set([...loaded.stale].filter((at) => !turns.includes(at))) },
      asked: {
        ...asked,
        rows: new Set([...asked.rows, ...rows]),
        turns: new Set([...asked.turns, ...turns]),
        details: new Set([...asked.details, ...details]),
        staleDetails: new Set([...asked.staleDetails].filter((key) => !details.includes(key))),
      },
    },
    messages: [
      ...rangesOf(rows).map((range) => ({ type: "wantRows" as const, session, ...range })),
      ...(turns.length === 0 ? [] : [{ type: "wantTurns" as const, session, places: turns }]),
      ...details.map((key) => ({ type: "wantDetails" as const, session, key })),
    ],
  };
}

/** As soon as one row in sight is missing, or nearly is, its neighbours are asked for too: not one row at a time. */
function missingRows({ loaded, asked }: PageModel, { around, closed }: Sight): number[] {
  const isMissing = (at: number) =>
    at >= 0 && at < loaded.turnCount && !loaded.rows.has(at) && !asked.rows.has(at);
  const near = around === null ? [] : placesAround(around, ROWS_AROUND / 2);
  const wanted = new Set([...closed, ...near].filter(isMissing));
  if (around !== null && wanted.size > 0)
    for (const at of placesAround(around, ROWS_AROUND)) if (isMissing(at)) wanted.add(at);
  return [...wanted].sort((a, b) => a - b);
}

const placesAround = ({ from, to }: Places, more: number): number[] =>
  Array.from({ length: Math.max(0, to - from) + 2 * more }, (_, at) => from - more + at);

/** Places that follow one another, in ranges that the host takes. */
function rangesOf(places: readonly number[]): { from: number; count: number }[] {
  const ranges: { from: number; count: number }[] = [];
  for (const at of places) {
    const last = ranges.at(-1);
    if (last !== undefined && last.from + last.count === at && last.count < ROWS) last.count++;
    else ranges.push({ from: at, count: 1 });
  }
  return ranges;
}

const missingTurns = ({ loaded, asked }: PageModel, { open }: Sight): number[] =>
  [...new Set(open)].filter(
    (at) => at < loaded.turnCount && !asked.turns.has(at) && (!loaded.turns.has(at) || loaded.stale.has(at)),
  );

function missingDetails({ details, asked }: PageModel, { details: key }: Sight): string[] {
  if (key === null || asked.details.has(key)) return [];
  return details.has(key) && !asked.staleDetails.has(key) ? [] : [key];
}
