// bench traces: a session as the replays see it, and what a policy may do to it. Offsets are UTF-16 code units.
import type { TokenCounter } from "../../src/schema/tokens";

/** What of a result the model is sent. `kept`: the ranges of the original that still stand in `text`, in order. */
export type Shown = {
  readonly text: string;
  readonly kept: readonly (readonly [from: number, to: number])[];
  /** Whether what is hidden can be read again in windows (a handle or a path), or is gone. */
  readonly isKept: boolean;
};

export type SaidItem = { readonly kind: "user" | "assistant"; readonly text: string };
export type ResultItem = {
  readonly kind: "result";
  readonly tool: string;
  readonly arguments: string; // of its call, JSON text
  readonly text: string; // the whole, as the tool returned it
  readonly isError: boolean;
  readonly turn: number; // of the reply that called, from 1
  shown: Shown; // as the next request carries it; policies replace it through what `beforeRequest` returns
};
export type Item = SaidItem | ResultItem;

/** Prices relative to input: `write` of what is not cached, `read` of what is. */
export type Profile = {
  readonly name: string;
  readonly write: number;
  readonly read: number;
  readonly ttlSeconds: number;
};

export type Moment = {
  readonly request: number; // from 1
  readonly idleSeconds: number; // since the request before
};
export type Change = { readonly at: number; readonly shown: Shown }; // of items[at], a result

/** One way of keeping a context small. `open` begins a session; what it returns is asked before each request. */
export type Policy = {
  readonly name: string;
  open(tokens: TokenCounter, profile: Profile): (items: readonly Item[], moment: Moment) => readonly Change[];
};
