/** The conversation as a fold of the log: exactly the messages that the next request carries. */

import type { Handle } from "../schema/claim";
import type { EventOf, Fold, Logged, Splice } from "../schema/event";
import { unreachable } from "../schema/failure";
import type { MediaShown, Message, ToolMessage } from "../schema/message";
import type { ToolClass } from "../schema/tool";

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
  readonly turn: number;
  readonly tool: string;
  readonly class: ToolClass;
  readonly isError: boolean;
  readonly shown: EventOf<"remembered">["shown"];
  readonly handle: Handle | null;
  readonly tainted: boolean; // the text is fenced
  readonly level: 0 | 1 | 2;
};

export type HistoryState = {
  readonly turn: number; // of the last request; 0 before the first
  readonly messages: readonly Message[];
  readonly pending: Readonly<Record<string, CallProgress>>; // calls without a result
  readonly results: readonly ResultFacts[];
  readonly requests: number;
  readonly failedInARow: number; // requests that no reply came to, since the last one
};

export const historyFold: Fold<HistoryState> = {
  initial: { turn: 0, messages: [], pending: {}, results: [], requests: 0, failedInARow: 0 },
  reduce(state, event) {
    switch (event.type) {
      case "asked":
        return { ...state, messages: [...state.messages, { role: "user", text: event.text }] };
      case "requested":
        return { ...state, turn: event.turn, requests: state.requests + 1 };
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
      case "repaired":
        return { ...state, messages: spliced(state.messages, event.splices), pending: {} };
      case "aged":
        return event.decisions.reduce(
          (next, { call, text, handle, level }) => shorten(next, call, text, handle, level),
          state,
        );
      case "budgeted":
        return event.cuts.reduce(
          (next, { call, text, handle }) => shorten(next, call, text, handle, null),
          state,
        );
      case "media_replaced":
        return { ...state, messages: event.parts.reduce(withLine, state.messages) };
      case "session_started":
      case "adopted":
      case "configured":
      case "resumed":
      case "redacted":
      case "measured":
      case "projected":
      case "branched":
      case "redeemed":
      case "redemption_refused":
      case "recovered":
      case "run_ended":
        return state;
      default:
        return unreachable(event);
    }
  },
};

export function foldHistory(events: readonly Logged[]): HistoryState {
  return events.reduce(historyFold.reduce, historyFold.initial);
}

/** The turn and position that our call keys carry: "t3c0". */
export const callKey = (turn: number, index: number): string => `t${turn}c${index}`;
export const turnOfCall = (call: string): number => Number(/^t(\d+)c/.exec(call)?.[1] ?? 0);

function replied(before: HistoryState, event: EventOf<"replied">): HistoryState {
  const state = { ...before, failedInARow: event.end === "failed" ? before.failedInARow + 1 : 0 };
  if (event.text === "" && event.calls.length === 0) return state; // nothing was said: no message
  const pending = { ...state.pending };
  for (const { call } of event.calls) pending[call] = "proposed";
  return {
    ...state,
    pending,
    messages: [...state.messages, { role: "assistant", text: event.text, calls: event.calls }],
  };
}

function progress(state: HistoryState, call: string, to: CallProgress): HistoryState {
  return call in state.pending ? { ...state, pending: { ...state.pending, [call]: to } } : state;
}

/** The text of a result is what can be read back: it stands before what is stored beside it. */
function storedProgress(
  state: HistoryState,
  { call, handle, mediaType }: EventOf<"tool_result_stored">,
): HistoryState {
  const isMedia = mediaType !== undefined;
  return isMedia && typeof state.pending[call] === "object"
    ? state
    : progress(state, call, { stored: handle, ...(isMedia && { isMedia }) });
}

/** Puts the result behind its reply, in call order however the siblings finished. */
function remembered(state: HistoryState, event: EventOf<"remembered">): HistoryState {
  const at = state.messages.findLastIndex(
    (message) => message.role === "assistant" && message.calls.some(({ call }) => call === event.call),
  );
  const reply = state.messages[at];
  if (reply?.role !== "assistant") return state;
  const order = reply.calls.map(({ call }) => call);
  const mine = order.indexOf(event.call);
  const { id, name } = reply.calls[mine] ?? { id: "", name: "" };
  const result: ToolMessage = {
    role: "tool",
    call: event.call,
    id,
    name,
    text: event.text,
    isError: event.isError,
    ...(event.media && { media: event.media }),
  };

  let place = at + 1;
  for (let next = state.messages[place]; next?.role === "tool"; next = state.messages[place]) {
    if (order.indexOf(next.call) > mine) break;
    place++;
  }
  const { [event.call]: _answered, ...pending } = state.pending;
  const facts: ResultFacts = {
    call: event.call,
    turn: turnOfCall(event.call),
    tool: name,
    class: event.class,
    isError: event.isError,
    shown: event.shown,
    handle: event.handle,
    tainted: event.tainted === true,
    level: 0,
  };
  return {
    ...state,
    pending,
    messages: state.messages.toSpliced(place, 0, result),
    results: [...state.results, facts],
  };
}

function spliced(messages: readonly Message[], splices: readonly Splice[]): readonly Message[] {
  const next: Message[] = [];
  let from = 0;
  for (const { at, remove, insert } of splices) {
    next.push(...messages.slice(from, at));
    for (const item of insert) {
      const message = typeof item === "number" ? messages[item] : item;
      if (message) next.push(message);
    }
    from = at + remove;
  }
  next.push(...messages.slice(from));
  return next;
}

function withLine(
  messages: readonly Message[],
  { call, part, text }: EventOf<"media_replaced">["parts"][number],
): readonly Message[] {
  const asLine = (media: MediaShown, at: number): MediaShown => {
    if (at !== part || media.shown !== "image") return media;
    const { handle, mediaType, bytes } = media;
    return { shown: "line", handle, mediaType, bytes, text };
  };
  return messages.map((message) =>
    message.role === "tool" && message.call === call && message.media
      ? { ...message, media: message.media.map(asLine) }
      : message,
  );
}

function shorten(
  state: HistoryState,
  call: string,
  text: string,
  handle: Handle,
  level: 1 | 2 | null,
): HistoryState {
  return {
    ...state,
    messages: state.messages.map((message) =>
      message.role === "tool" && message.call === call ? { ...message, text } : message,
    ),
    results: state.results.map((facts) =>
      facts.call === call ? { ...facts, handle, level: level ?? facts.level } : facts,
    ),
  };
}
