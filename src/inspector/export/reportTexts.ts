/** The session's texts as the log has them, uncut, and how much of each a report may show. */
import type { Handle } from "../../schema/claim";
import type { Logged } from "../../schema/event";

/** `ran`: what ran in place of what the model wrote; `handle`: where the whole result is. */
export type CallTexts = {
  readonly written: string;
  readonly ran: string | null;
  readonly shown: string | null;
  readonly n: number; // of the event that has the text that was shown
};
export type TurnTexts = { readonly asked: string | null; readonly reply: string; readonly n: number };

export type ReportTexts = {
  readonly turns: ReadonlyMap<number, TurnTexts>;
  readonly calls: ReadonlyMap<string, CallTexts>;
  readonly readBacks: ReadonlyMap<Handle, number>;
  readonly limit: number; // of characters, for each text
};

/** A report of a long session says less of each turn, so that a browser can still open it. */
const REPORT_CHARS = 3_000_000;
const MOST_CHARS = 4000;
const FEWEST_CHARS = 120;

const NO_TURN: TurnTexts = { asked: null, reply: "", n: 0 };
const NO_CALL: CallTexts = { written: "", ran: null, shown: null, n: 0 };

export function textsOf(events: readonly Logged[]): ReportTexts {
  const turns = new Map<number, TurnTexts>();
  const calls = new Map<string, CallTexts>();
  const readBacks = new Map<Handle, number>();
  const onTurn = (turn: number, change: Partial<TurnTexts>) =>
    turns.set(turn, { ...(turns.get(turn) ?? NO_TURN), ...change });
  const onCall = (call: string, change: Partial<CallTexts>) =>
    calls.set(call, { ...(calls.get(call) ?? NO_CALL), ...change });
  for (const event of events) {
    if (event.type === "asked") onTurn(event.turn, { asked: event.text });
    if (event.type === "replied") onTurn(event.turn, { reply: event.text, n: event.n });
    if (event.type === "replied")
      for (const { call, arguments: written } of event.calls) onCall(call, { ...NO_CALL, written });
    if (event.type === "clamped") onCall(event.call, { ran: event.effectiveArguments });
    if (event.type === "remembered") onCall(event.call, { shown: event.text, n: event.n });
    if (event.type === "redeemed" || event.type === "paged")
      readBacks.set(event.handle, (readBacks.get(event.handle) ?? 0) + 1);
  }
  const texts = Math.max(1, 2 * (turns.size + calls.size));
  const limit = Math.min(MOST_CHARS, Math.max(FEWEST_CHARS, Math.floor(REPORT_CHARS / texts)));
  return { turns, calls, readBacks, limit };
}
