/**
 * Read this first: a session as the replays see it, and what a policy may do to it. Offsets are UTF-16 code units,
 * tokens those of the one counter that is named in the report.
 */
import type { TokenCounter } from "../../schema/tokens";

export type Range = readonly [from: number, to: number];

/** What of a result the model is sent. `kept`: the ranges of the original that still stand in `text`, in order. */
export type Shown = {
  readonly text: string;
  readonly kept: readonly Range[];
  /** Whether what is hidden can be read again in windows (a handle or a path), or is gone. */
  readonly isKept: boolean;
};

/** Words of the person, or a reply: its text and the arguments of its calls. */
export type SaidItem = {
  readonly kind: "user" | "assistant";
  readonly text: string;
  readonly tokens: number;
  readonly turn?: number; // of the reply, or of the one that the words are answered with, from 1
  readonly calls?: readonly SaidCall[];
};
/** `tokens` of the arguments, which are among those of their reply. */
export type SaidCall = { readonly tool: string; readonly arguments: string; readonly tokens: number };
export type ResultItem = {
  readonly kind: "result";
  readonly tool: string;
  readonly arguments: string; // of its call, JSON text
  readonly text: string; // the whole, as the tool returned it
  readonly tokens: number; // of the whole
  readonly isError: boolean;
  readonly turn: number; // of the reply that called, from 1
  readonly isReadBack?: true; // what a reply needed, read again: a window, or the whole where it was not kept
  shown: Shown; // as the last request carried it; the simulator alone sets it, from what a policy returns
};
/** What was read back of a result, where that stays. Policies leave it alone. */
export type WindowItem = { readonly kind: "window"; readonly text: string; readonly tokens: number };
export type Item = SaidItem | ResultItem | WindowItem;

/** Words or a line of a reply that stood in one place only before it: where they stand in that result. */
export type Span = { readonly kind: "token" | "line"; readonly places: readonly Range[] };
/** What a reply took from one result: `at` is its index among the session's items. */
export type Evidence = { readonly at: number; readonly spans: readonly Span[] };

/** A request carries the items before its reply: the first `items` of the session. */
export type SessionRequest = {
  readonly items: number;
  readonly idleSeconds: number; // since the request before; 0 where nobody wrote down when
  readonly evidence: readonly Evidence[];
  readonly prefixTokens?: number; // of what stands before the items; not given: the session's
};
export type Session = {
  readonly name: string;
  readonly items: readonly (SaidItem | ResultItem)[];
  readonly requests: readonly SessionRequest[];
  readonly prefixTokens?: number; // of what stands before the items; not given: PREFIX_TOKENS
};

/** Prices relative to input: `write` of what is not cached, `read` of what is. */
export type Profile = {
  readonly name: string;
  readonly write: number;
  readonly read: number;
  readonly ttlSeconds: number;
  /** Nobody knows: these prices are those of no cache, and decisions are taken as for an unknown model. */
  readonly isUnknown?: true;
};

export type Moment = {
  readonly request: number; // from 1
  readonly idleSeconds: number; // since the request before
  readonly inputTokens: number; // of the request if nothing is changed, system and tools included
  readonly wholeTokens: number; // the same with every result whole
  readonly prefixTokens: number; // what stands before the items
};
export type Change = { readonly at: number; readonly shown: Shown }; // of items[at], a result

/**
 * One way of keeping a context small. `open` begins a session; what it returns is asked before each request.
 * Contract: what is returned depends on nothing but what was given since `open`; items are only ever appended.
 */
export type Policy = {
  readonly name: string;
  open(tokens: TokenCounter, profile: Profile): (items: readonly Item[], moment: Moment) => readonly Change[];
};
