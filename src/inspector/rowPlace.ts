/** Where a row of the inspector stands in the log, and where an event stands among the rows. */
import { turnOfCall } from "../history/fold";
import type { EventType, Logged } from "../schema/event";
import type { CallView, TurnView } from "../schema/view";
import type { InspectorFold } from "./draft";
import { placeOfTurn, turnAt } from "./turnPages";

/** `SESSION/t3/t3c0/stored`. */
export type RowPlace = {
  readonly turn: number | null;
  readonly call: string | null;
  readonly part: string; // "stored", "repair0"; "" for the session, a turn or a call itself
  readonly n: number | null; // the event that says it, of a row that is one of several: "repair0"
};

/** Null for what is no key of a row. */
export function placeOfKey(fold: InspectorFold, key: string): RowPlace | null {
  const [, turn, ...rest] = key.split("/");
  if (turn === undefined) return { turn: null, call: null, part: "", n: null };
  const number = /^t(\d{1,9})$/.exec(turn)?.[1];
  if (number === undefined) return rest.length === 0 ? { turn: null, call: null, part: turn, n: null } : null;
  const [second, third] = rest;
  const isCall = second !== undefined && /^t\d{1,9}c\d{1,9}$/.test(second);
  const place = {
    turn: Number(number),
    call: isCall ? second : null,
    part: (isCall ? third : second) ?? "",
  };
  return { ...place, n: eventOfRow(fold, place) };
}

/** Rows that there are several of carry their number: "shortened1". */
function eventOfRow(fold: InspectorFold, { turn, call, part }: Omit<RowPlace, "n">): number | null {
  const [, name, at] = /^(note|repair|recovery|shortened)(\d{1,9})$/.exec(part) ?? [];
  if (turn === null || name === undefined) return null;
  const row = call === null ? severalOf(turnNumbered(fold, turn), name) : callIn(fold, call)?.shortened;
  return row?.[Number(at)]?.n ?? null;
}

function severalOf(turn: TurnView | undefined, name: string): readonly { readonly n: number }[] | undefined {
  if (name === "note") return turn?.notes;
  return name === "repair" ? turn?.repairs : turn?.recovery;
}

const turnNumbered = ({ turns }: InspectorFold, turn: number): TurnView | undefined =>
  turnAt(turns, placeOfTurn(turns, turn));

const callIn = (fold: InspectorFold, call: string): CallView | undefined =>
  turnNumbered(fold, turnOfCall(call))?.calls.find((candidate) => candidate.call === call);

/** The row that an event stands in, or is part of: its call, its turn, or the session. */
export function keyOfEvent(fold: InspectorFold, event: Logged): string {
  const session = fold.head?.session ?? "";
  const call = callOf(event);
  if (call !== null && callIn(fold, call)) return `${session}/t${turnOfCall(call)}/${call}`;
  const turn = call !== null ? turnOfCall(call) : "turn" in event ? event.turn : null;
  return turn !== null && turnNumbered(fold, turn) ? `${session}/t${turn}` : session;
}

function callOf(event: Logged): string | null {
  if ("call" in event) return event.call;
  switch (event.type) {
    case "aged":
      return event.decisions[0]?.call ?? null;
    case "budgeted":
      return event.cuts[0]?.call ?? null;
    case "media_replaced":
      return event.parts[0]?.call ?? null;
    default:
      return null;
  }
}

/** What a log line has in it that is about the row. Other lines have it too: `isAbout` looks closer. */
export function needlesOf({ turn, call, n }: RowPlace): readonly string[] {
  const own = n === null ? [] : [`"n":${n},`];
  if (call !== null) return [...own, JSON.stringify(call)];
  if (turn !== null) return [...own, `"turn":${turn},`, `"turn":${turn}}`];
  return [...WHOLE, "forgotten"].map((type) => `"type":"${type}"`).concat('"turn":0,', '"turn":0}');
}

const WHOLE: readonly EventType[] = ["session_started", "adopted", "configured", "recovered"];

/** What is of no call and no turn is of the session. */
export function isAbout({ turn, call, n }: RowPlace, event: Logged): boolean {
  if (event.n === n) return true;
  if (call !== null) return isOfCall(event, call);
  if (turn !== null) return "turn" in event && event.turn === turn;
  if (event.type === "forgotten") return event.call === null;
  return WHOLE.includes(event.type) || ("turn" in event && event.turn === 0);
}

function isOfCall(event: Logged, call: string): boolean {
  if ("call" in event) return event.call === call;
  switch (event.type) {
    case "replied":
      return event.calls.some((one) => one.call === call);
    case "aged":
      return event.decisions.some((one) => one.call === call);
    case "budgeted":
      return event.cuts.some((one) => one.call === call);
    case "media_replaced":
      return event.parts.some((one) => one.call === call);
    case "repaired":
      return event.repairs.some((one) => one.call === call);
    default:
      return false;
  }
}
