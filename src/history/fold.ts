/** The conversation as a fold of the log: exactly the messages that the next request carries. */

import type { Handle } from "../schema/claim";
import type { CountedTokens } from "../schema/cost";
import type { EventOf, EventType, Fold, Logged } from "../schema/event";
import { unreachable } from "../schema/failure";
import type { AssistantMessage, MediaShown, Message, MessageCall, ToolMessage } from "../schema/message";
import type { ToolClass } from "../schema/tool";
import { type CacheState, cacheAfterReply, cacheAfterRequest, cacheConfigured, NO_CACHE } from "./cacheState";
import { type Calibration, calibrationFold } from "./calibration";
import { spliced } from "./pair";
import { prefixText } from "./requestText";

/**
 * How far a call without a result had come: what a synthetic result may truthfully say (CONFORMANCE §2). `stored`: the
 * whole result is on disk under that handle, only the conversation does not have it yet; `isMedia`: it is not text.
 */
export type CallProgress =
  | "proposed"
  | "refused"
  | "started"
  | "returned"
  | { readonly stored: Handle; readonly isMedia?: true };

/** What ageing and budgets need to know of a result in the conversation. Sizes in chars. */
export type ResultFacts = {
  readonly call: string;
  readonly at: number; // its place among the messages
  readonly turn: number;
  readonly tool: string;
  readonly class: ToolClass;
  readonly isError: boolean;
  readonly shown: EventOf<"remembered">["shown"];
  readonly handle: Handle | null;
  readonly tainted: boolean; // the text is fenced
  readonly level: 0 | 1 | 2;
  readonly isPinned: boolean; // the person wants it as it is
  readonly isShortened: boolean; // after it was shown, by age or by a budget
  readonly whole: CountedTokens | null; // what came back, as it was measured
  readonly readBackBy: MessageCall | null; // of a window or a page that was read back: its call
};

/** What is known of a result before it is remembered. */
type Coming = { readonly whole: CountedTokens | null; readonly isReadBack: boolean };

/** Where a request first differs from the one before it. */
export type Divergence = {
  /** Messages before this one are as the last request carried them; -1: its system prompt or tools are others. */
  readonly at: number;
  /** The event that changed what was sent already; null: messages were only added. */
  readonly by: { readonly n: number; readonly type: EventType } | null;
};

/** Contract: read-only to all but the fold, which changes it in place; what must not change is to be copied. */
export type HistoryState = {
  readonly turn: number; // of the last request; 0 before the first
  readonly messages: readonly Message[];
  readonly replyAt: number; // of the last reply among the messages; -1: there is none
  readonly pending: ReadonlyMap<string, CallProgress>; // calls without a result
  readonly coming: ReadonlyMap<string, Coming>; // by call
  /** By call, in the order in which they were remembered. */
  readonly results: ReadonlyMap<string, ResultFacts>;
  readonly question: string; // the person's last words
  /** What stands before the messages of a request, and for which model: JSON text of model id, system prompt, tools. */
  readonly prefix: string;
  readonly isTainted: boolean; // something from outside was read
  readonly hasMedia: boolean;
  readonly requests: number;
  readonly lastRequestAt: number | null; // Unix milliseconds
  readonly divergence: Divergence;
  readonly cache: CacheState;
  readonly calibration: Calibration;
  readonly failedInARow: number; // requests that no reply came to, since the last one
  /** What left the conversation because it did not fit, and is told by the note in its first message; null: nothing. */
  readonly removed: Omit<EventOf<"pruned">, "type" | "turn" | "splices"> | null;
};

/** The same, to the fold. */
type Draft = {
  -readonly [key in keyof HistoryState]: HistoryState[key];
} & {
  messages: Message[];
  pending: Map<string, CallProgress>;
  coming: Map<string, Coming>;
  results: Map<string, ResultFacts>;
};

/** Every event costs the same however long the session is: nothing is copied (`npm run bench -- history`). */
export const historyFold: Fold<HistoryState> = {
  begin: (): Draft => ({
    turn: 0,
    messages: [],
    replyAt: -1,
    pending: new Map(),
    coming: new Map(),
    results: new Map(),
    question: "",
    prefix: "",
    isTainted: false,
    hasMedia: false,
    requests: 0,
    lastRequestAt: null,
    divergence: { at: -1, by: null },
    cache: NO_CACHE,
    calibration: calibrationFold.begin(),
    failedInARow: 0,
    removed: null,
  }),
  reduce(given, event) {
    const state = given as Draft;
    switch (event.type) {
      case "asked":
        state.question = event.text;
        state.messages.push({ role: "user", text: event.text });
        return state;
      case "configured":
        return configured(state, event);
      case "requested":
        return requested(state, event);
      case "replied":
        return replied(state, event);
      case "clamped":
        return progress(state, event.call, "proposed");
      case "authorised":
        return progress(state, event.call, event.granted ? "started" : "refused");
      case "executed":
        return progress(state, event.call, "returned");
      case "tool_result_stored":
        return storedProgress(state, event);
      case "remembered":
        return remembered(state, event);
      case "measured":
        return coming(state, event.call, { whole: wholeOf(event) });
      case "redeemed":
      case "paged":
        return coming(state, event.call, { isReadBack: true });
      case "repaired":
        state.pending.clear();
        state.coming.clear();
        return respliced(state, event);
      case "aged":
        for (const { call, text, handle, level } of event.decisions)
          shorten(state, { call, text, handle, level }, event);
        return state;
      case "budgeted":
        for (const { call, text, handle } of event.cuts)
          shorten(state, { call, text, handle, level: null }, event);
        return state;
      case "gated":
        if (event.text !== "") state.messages.push({ role: "user", text: event.text });
        return state;
      case "pinned":
        return pinned(state, event);
      case "pruned":
        return pruned(state, event);
      case "media_replaced":
        for (const part of event.parts) withLine(state, part, event);
        return state;
      case "session_started":
      case "adopted":
      case "resumed":
      case "redacted":
      case "projected":
      case "branched":
      case "covered":
      case "redemption_refused":
      case "forgotten":
      case "overflowed":
      case "recovered":
      case "run_ended":
        return state;
      default:
        return unreachable(event);
    }
  },
};

export function foldHistory(events: readonly Logged[]): HistoryState {
  return events.reduce(historyFold.reduce, historyFold.begin());
}

/** The results of the last reply, in the order of its calls. */
export function lastResults({ messages, results }: HistoryState): readonly ResultFacts[] {
  const found: ResultFacts[] = [];
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === "assistant") break;
    const facts = message?.role === "tool" ? results.get(message.call) : undefined;
    if (facts) found.push(facts);
  }
  return found.reverse();
}

/** The turn and position that our call keys carry: "t3c0". */
export const callKey = (turn: number, index: number): string => `t${turn}c${index}`;
export const turnOfCall = (call: string): number => Number(/^t(\d+)c/.exec(call)?.[1] ?? 0);

function requested(state: Draft, event: Logged & EventOf<"requested">): Draft {
  const { at, turn } = event;
  state.cache = cacheAfterRequest(state.cache, event, idleSecondsAt(state, at));
  state.calibration = calibrationFold.reduce(state.calibration, event);
  state.turn = turn;
  state.requests++;
  state.lastRequestAt = at;
  state.divergence = { at: state.messages.length, by: null };
  return state;
}

/** Null before the first request. */
export const idleSecondsAt = ({ lastRequestAt }: HistoryState, now: number): number | null =>
  lastRequestAt === null ? null : Math.max(0, now - lastRequestAt) / 1000;

function configured(state: Draft, event: Logged & EventOf<"configured">): Draft {
  state.cache = cacheConfigured(state.cache, event);
  const prefix = prefixText(event);
  if (prefix === state.prefix) return state;
  state.prefix = prefix;
  return changed(state, -1, event);
}

function replied(state: Draft, event: Logged & EventOf<"replied">): Draft {
  state.calibration = calibrationFold.reduce(state.calibration, event);
  state.cache = cacheAfterReply(state.cache, event);
  state.failedInARow = event.end === "failed" ? state.failedInARow + 1 : 0;
  if (event.text === "" && event.calls.length === 0) return state; // nothing was said: no message
  for (const { call } of event.calls) state.pending.set(call, "proposed");
  state.replyAt = state.messages.push({ role: "assistant", text: event.text, calls: event.calls }) - 1;
  return state;
}

function progress(state: Draft, call: string, to: CallProgress): Draft {
  if (state.pending.has(call)) state.pending.set(call, to);
  return state;
}

/** The text of a result is what can be read back: it stands before what is stored beside it. */
function storedProgress(state: Draft, { call, handle, mediaType }: EventOf<"tool_result_stored">): Draft {
  const isMedia = mediaType !== undefined;
  return isMedia && typeof state.pending.get(call) === "object"
    ? state
    : progress(state, call, { stored: handle, ...(isMedia && { isMedia }) });
}

/** Its size comes before it, and that it was read back. */
function coming(state: Draft, call: string, more: Partial<Coming>): Draft {
  const { whole = null, isReadBack = false } = state.coming.get(call) ?? {};
  state.coming.set(call, { whole, isReadBack, ...more });
  return state;
}

const wholeOf = ({ tokensEstimated, estimator }: EventOf<"measured">): CountedTokens => ({
  tokens: tokensEstimated,
  counter: estimator,
});

/** Puts the result behind its reply, in call order however the siblings finished. */
function remembered(state: Draft, event: Logged & EventOf<"remembered">): Draft {
  const { messages } = state;
  const { whole = null, isReadBack = false } = state.coming.get(event.call) ?? {};
  state.coming.delete(event.call);
  const isAskedBy = (message: Message | undefined) =>
    message?.role === "assistant" && orderOf(message).has(event.call);
  const replyAt = isAskedBy(messages[state.replyAt]) ? state.replyAt : messages.findLastIndex(isAskedBy);
  const reply = messages[replyAt];
  if (reply?.role !== "assistant") return state;
  const order = orderOf(reply);
  const mine = order.get(event.call) ?? -1;
  const asked = reply.calls[mine];
  const { id, name } = asked ?? { id: "", name: "" };
  const result: ToolMessage = {
    role: "tool",
    call: event.call,
    id,
    name,
    text: event.text,
    isError: event.isError,
    ...(event.media && { media: event.media }),
  };

  let at = messages.length; // results come in call order or nearly: looked for from the end
  for (let before = messages[at - 1]; at > replyAt + 1; before = messages[--at - 1])
    if (before?.role === "tool" && (order.get(before.call) ?? -1) <= mine) break;
  messages.splice(at, 0, result);
  moved(state, at + 1);
  changed(state, at, event);
  state.pending.delete(event.call);
  state.isTainted ||= event.tainted === true;
  state.hasMedia ||= (event.media ?? []).length > 0;
  state.results.set(event.call, {
    call: event.call,
    at,
    turn: turnOfCall(event.call),
    tool: name,
    class: event.class,
    isError: event.isError,
    shown: event.shown,
    handle: event.handle,
    tainted: event.tainted === true,
    level: 0,
    isPinned: false,
    isShortened: false,
    whole,
    readBackBy: (isReadBack && asked) || null,
  });
  return state;
}

const orders = new WeakMap<AssistantMessage, ReadonlyMap<string, number>>();

/** Which call of the reply it is, counted once: a reply may have thousands. */
function orderOf(reply: AssistantMessage): ReadonlyMap<string, number> {
  const known = orders.get(reply) ?? new Map(reply.calls.map(({ call }, at) => [call, at]));
  orders.set(reply, known);
  return known;
}

/** What a request carried already is other now, from there on. */
function changed(state: Draft, at: number, { n, type }: Logged): Draft {
  if (at < state.divergence.at) state.divergence = { at, by: { n, type } };
  return state;
}

/** Messages from there on stand in other places: those behind the last reply are few. */
function moved(state: Draft, from: number): void {
  for (let at = from; at < state.messages.length; at++) {
    const message = state.messages[at];
    const facts = message?.role === "tool" && state.results.get(message.call);
    if (facts && facts.at !== at) state.results.set(facts.call, { ...facts, at });
  }
}

function pinned(state: Draft, { call, isPinned }: EventOf<"pinned">): Draft {
  const facts = state.results.get(call);
  if (facts) state.results.set(call, { ...facts, isPinned });
  return state;
}

function pruned(state: Draft, event: Logged & EventOf<"pruned">): Draft {
  const { messages, named, unnamed, naive } = event;
  state.removed = { messages, named, unnamed, ...(naive && { naive }) };
  return respliced(state, event);
}

function respliced(state: Draft, event: Logged & EventOf<"repaired" | "pruned">): Draft {
  const [first] = event.splices;
  if (!first) return state;
  state.messages = spliced(state.messages, event.splices);
  state.replyAt = state.messages.findLastIndex(({ role }) => role === "assistant");
  moved(state, first.at);
  const isThere = ({ at, call }: ResultFacts) => {
    const message = state.messages[at];
    return message?.role === "tool" && message.call === call;
  };
  for (const facts of state.results.values()) if (!isThere(facts)) state.results.delete(facts.call);
  return changed(state, first.at, event);
}

function withLine(
  state: Draft,
  { call, part, text }: EventOf<"media_replaced">["parts"][number],
  event: Logged,
): void {
  const asLine = (media: MediaShown, at: number): MediaShown => {
    if (at !== part || media.shown !== "image") return media;
    const { handle, mediaType, bytes } = media;
    return { shown: "line", handle, mediaType, bytes, text };
  };
  const at = state.results.get(call)?.at ?? -1;
  const message = state.messages[at];
  if (message?.role !== "tool" || !message.media) return;
  state.messages[at] = { ...message, media: message.media.map(asLine) };
  changed(state, at, event);
}

function shorten(
  state: Draft,
  { call, text, handle, level }: { call: string; text: string; handle: Handle; level: 1 | 2 | null },
  event: Logged,
): void {
  const facts = state.results.get(call);
  const message = facts && state.messages[facts.at];
  if (!facts || message?.role !== "tool") return;
  state.messages[facts.at] = { ...message, text };
  state.results.set(call, { ...facts, handle, level: level ?? facts.level, isShortened: true });
  changed(state, facts.at, event);
}
