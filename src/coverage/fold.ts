/** What a session knows of its lists: how to make their pages again, and what of them was seen. A fold of the log. */
import type { Handle } from "../schema/claim";
import type { ListHints } from "../schema/coverage";
import type { EventOf, Fold } from "../schema/event";
import { type GateMove, type GateState, openGate, throughGate } from "./gate";
import { type Range, type Ranges, withoutRange, withRange } from "./ranges";

/** A window of one record: characters from 1, as ranges count. */
type RecordWindow = { readonly handle: Handle; readonly index: number; readonly chars: Range };

/** What a call brings into the conversation, since the last reply. Nothing of it counts before its result is remembered. */
type Shown = {
  readonly moves: readonly GateMove[];
  readonly window: (RecordWindow & { readonly totalChars: number }) | null;
  readonly isRemembered: boolean;
};

export type CoverageState = {
  readonly lists: Readonly<Record<Handle, { readonly hints: ListHints; readonly budgetBytes: number }>>;
  readonly gate: GateState;
  /** By call; emptied by a reply. */
  readonly shown: Readonly<Record<string, Shown>>;
  /** What was shown of records that are read in windows, by record: such a record counts once all of it was. */
  readonly windows: Readonly<Record<string, Ranges>>;
};

export const coverageFold: Fold<CoverageState> = {
  begin: () => ({ lists: {}, gate: openGate, shown: {}, windows: {} }),
  reduce(state, event) {
    switch (event.type) {
      case "covered": {
        const { handle, hints, budgetBytes, total, complete, skipped, page } = event;
        const listed: GateMove = { kind: "listed", handle, tool: event.tool, total, complete, skipped };
        const next = offered(state, event.call, [listed, { kind: "paged", handle, ...page }]);
        return { ...next, lists: { ...state.lists, [handle]: { hints, budgetBytes } } };
      }
      case "paged": {
        const { call, handle, first, last, references } = event;
        return offered(state, call, [{ kind: "paged", handle, first, last, references }]);
      }
      case "redeemed":
        return event.record === undefined ? state : offered(state, event.call, [], windowIn(event));
      case "remembered": {
        const shown = shownBy(state, event.call);
        if (shown === null || event.shown === "refusal") return state;
        return show(state, event.call, shown);
      }
      case "aged":
        return withdrawn(state, event.decisions);
      case "budgeted":
        return withdrawn(state, event.cuts);
      case "replied":
        if (event.end !== "answered" && event.end !== "calls") return state;
        return { ...state, gate: throughGate(state.gate, { kind: "replied" }), shown: {} };
      case "gated":
        return event.verdict === "say"
          ? { ...state, gate: throughGate(state.gate, { kind: "said" }) }
          : state;
      case "asked": // another question begins anew
        return { ...state, gate: { ...state.gate, said: false } };
      default:
        return state;
    }
  },
};

const shownBy = ({ shown }: CoverageState, call: string): Shown | null =>
  Object.hasOwn(shown, call) ? (shown[call] ?? null) : null;

function offered(
  state: CoverageState,
  call: string,
  moves: Shown["moves"],
  window: Shown["window"] = null,
): CoverageState {
  return { ...state, shown: { ...state.shown, [call]: { moves, window, isRemembered: false } } };
}

/** A record without text has no range, and is whole with its first window. */
function windowIn({ handle, record = 0, offset, chars, totalChars }: EventOf<"redeemed">): Shown["window"] {
  return { handle, index: record, chars: [offset + 1, offset + chars], totalChars };
}

function show(state: CoverageState, call: string, shown: Shown): CoverageState {
  const next = { ...state, shown: { ...state.shown, [call]: { ...shown, isRemembered: true } } };
  const gate = shown.moves.reduce(throughGate, state.gate);
  if (shown.window === null) return { ...next, gate };
  const { handle, index, chars, totalChars } = shown.window;
  const key = `${handle}#${index}`;
  const before = state.windows[key] ?? [];
  const windows = chars[1] < chars[0] ? before : withRange(before, chars);
  const [first] = windows;
  const isWhole = totalChars === 0 || (first?.[0] === 1 && first[1] >= totalChars);
  return {
    ...next,
    gate: isWhole ? throughGate(gate, { kind: "record", handle, index }) : gate,
    windows: { ...state.windows, [key]: windows },
  };
}

/**
 * What was cut before any request with it got a reply was not seen. What other results of the same turn show of the same
 * list stays.
 */
function withdrawn(state: CoverageState, cuts: readonly { readonly call: string }[]): CoverageState {
  const gone = cuts.flatMap(({ call }) => {
    const shown = shownBy(state, call);
    return shown?.isRemembered ? [{ call, shown }] : [];
  });
  if (gone.length === 0) return state;
  let { gate } = state;
  const windows = { ...state.windows };
  const left = { ...state.shown };
  for (const { call, shown } of gone) {
    delete left[call];
    for (const move of shown.moves)
      if (move.kind === "paged" && move.first <= move.last)
        gate = throughGate(gate, {
          kind: "withdrawn",
          handle: move.handle,
          first: move.first,
          last: move.last,
        });
    if (shown.window === null) continue;
    const { handle, index, chars } = shown.window;
    const key = `${handle}#${index}`;
    windows[key] = withoutRange(windows[key] ?? [], chars);
    gate = throughGate(gate, { kind: "record_withdrawn", handle, index });
  }
  const without: CoverageState = { ...state, gate, windows, shown: left };
  return Object.entries(left)
    .filter(([, shown]) => shown.isRemembered)
    .reduce((next, [call, shown]) => show(next, call, shown), without);
}
