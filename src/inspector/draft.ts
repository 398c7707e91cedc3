/** A session's view while events change it: in place, and every change is noted, so that pages are told only that. */
import type { CoverageState } from "../coverage/fold";
import { turnOfCall } from "../history/fold";
import type { Handle } from "../schema/claim";
import type { Attention, CallView, NoteView, SessionHead, Totals, TurnView } from "../schema/view";
import type { ReceiptState } from "../thimble/receipt";
import type { FillState } from "./fill";
import type { Series } from "./rows";
import { addTurn, placeOfTurn, type TurnPages, turnAt } from "./turnPages";

/** What the last event changed. Places count from 0: of turns among all, of calls in their turn. */
export type Touched = {
  head: boolean;
  readonly turns: Set<number>;
  readonly calls: { readonly at: number; readonly place: number }[];
};

/** `owners`: the call whose result is stored under a handle. `head` null: the log has no beginning yet. */
export type InspectorFold = {
  head: SessionHead | null;
  readonly turns: TurnPages;
  readonly owners: Map<Handle, string>;
  /** Results that were stored under a handle, each of so many characters; deleted are all of them. */
  readonly held: Map<Handle, { results: number; chars: number; isForgotten: boolean }>;
  readonly open: Set<string>; // calls that no result came to yet
  readonly fill: FillState;
  readonly series: Series;
  receipts: ReceiptState;
  coverage: CoverageState;
  touched: Touched;
};

/** The same once it has begun. */
export type Draft = InspectorFold & { head: SessionHead };

const ATTENTION_ROWS = 50;

export const untouched = (): Touched => ({ head: false, turns: new Set(), calls: [] });

/** A turn, begun where there is none yet. What the caller does to it is noted. */
export function turnOf(draft: Draft, turn: number): TurnView {
  const at = placeOfTurn(draft.turns, turn);
  const place = at < 0 ? addTurn(draft.turns, emptyTurn(turn)) : at;
  draft.touched.turns.add(place);
  return turnAt(draft.turns, place) as TurnView;
}

/** A call, if the log has one of that name; noted as changed, like `turnOf`. */
export function callOf(draft: Draft, call: string): CallView | undefined {
  const at = placeOfTurn(draft.turns, turnOfCall(call));
  const turn = turnAt(draft.turns, at);
  const place = turn ? placeOfCall(turn, call) : -1;
  if (place < 0) return undefined;
  draft.touched.calls.push({ at, place });
  return turn?.calls[place];
}

/** Where its name says; a reply may have thousands. */
function placeOfCall({ calls }: TurnView, call: string): number {
  const named = Number(call.slice(call.lastIndexOf("c") + 1));
  return calls[named]?.call === call ? named : calls.findIndex((candidate) => candidate.call === call);
}

/** Every call of a turn is noted as changed: new ones are told by themselves, not with their turn. */
export function noteCalls(draft: Draft, turn: number): void {
  const at = placeOfTurn(draft.turns, turn);
  const count = turnAt(draft.turns, at)?.calls.length ?? 0;
  for (let place = 0; place < count; place++) draft.touched.calls.push({ at, place });
}

export function changeCall(draft: Draft, call: string, change: (call: CallView) => Partial<CallView>): Draft {
  const found = callOf(draft, call);
  if (found) Object.assign(found, change(found));
  return draft;
}

export function total(draft: Draft, more: Partial<Totals>): Draft {
  draft.touched.head = true;
  const { totals } = draft.head;
  for (const [key, value] of Object.entries(more)) totals[key as keyof Totals] += value;
  return draft;
}

/** A sentence that stands in the turn that was under way; before the first turn it is the session's. */
export function note(draft: Draft, turn: number | null, entry: NoteView): Draft {
  const at = turn ?? draft.turns.numbers.at(-1) ?? null;
  if (at === null || (at === 0 && draft.turns.numbers.length === 0)) {
    draft.head.notices.push(entry.text);
    draft.touched.head = true;
  } else turnOf(draft, at).notes.push(entry);
  return draft;
}

export function attend(draft: Draft, entry: Attention): void {
  draft.head.attention = [...draft.head.attention, entry].slice(-ATTENTION_ROWS);
  draft.touched.head = true;
}

export const turnKey = ({ head }: Draft, turn: number): string => `${head.session}/t${turn}`;
export const rowKey = (draft: Draft, call: string): string => `${turnKey(draft, turnOfCall(call))}/${call}`;

const emptyTurn = (turn: number): TurnView => ({
  turn,
  asked: null,
  askedAt: null,
  notes: [],
  request: null,
  reply: null,
  calls: [],
  repairs: [],
  recovery: [],
  ended: null,
});
