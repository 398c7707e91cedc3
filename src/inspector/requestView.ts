/**
 * What was sent at any turn, from the log alone. Requests are folded once, in order: going on from one to the next folds
 * what lies between; going back begins at the nearest state that was kept.
 */
import { type HistoryState, historyFold } from "../history/fold";
import { requestText } from "../history/requestText";
import type { Hash } from "../schema/claim";
import type { EventOf, Logged } from "../schema/event";
import type { Message } from "../schema/message";
import type { DurableRequest } from "../schema/model";
import type { RequestItem, SentRequest } from "../schema/requestView";
import type { TokenCounter } from "../schema/tokens";
import {
  ChangeTrail,
  type Compared,
  compared,
  countingOf,
  type ItemState,
  itemOf,
  NEW,
  SAME,
  SYSTEM_AT,
  TOOLS_AT,
  textOfItem,
} from "./requestItems";

export const PAGE_ITEMS = 200;

/** States that are kept. Each holds references only, as many as its request has messages and results. */
const MOST_KEPT = 32;
const LEAST_APART = 16;

type Configured = Logged & EventOf<"configured">;
/** Where a request stands: the index of its event, and the configuration in force. */
type Place = { readonly index: number; readonly configured: Configured | null };
type Kept = { readonly request: number; readonly state: HistoryState };
/** The state before the event of a request, and what changed since the request before: null, it is the first. */
type Cursor = { readonly request: number; readonly state: HistoryState; readonly since: Compared | null };

/** Contract: `events` are a log from its first event, and may grow at the end. Nothing of them is changed. */
export class RequestReader {
  readonly #events: readonly Logged[];
  readonly #counter: TokenCounter | null;
  readonly #places: Place[] = [];
  readonly #requestOf = new Map<number, number>(); // by turn, the last one
  #indexed = 0; // events
  #configured: Configured | null = null; // after them
  #kept: Kept[] = [];
  #apart = LEAST_APART;
  #cursor: Cursor | null = null;

  constructor(events: readonly Logged[], counter: TokenCounter | null) {
    this.#events = events;
    this.#counter = counter;
  }

  /** Those with a request, in order. */
  get turns(): readonly number[] {
    this.#index();
    return [...this.#requestOf.keys()];
  }

  /** Null: no request left in that turn. */
  at(turn: number): SentRequest | null {
    const found = this.#seek(turn);
    if (!found) return null;
    const { cursor, event, configured } = found;
    const { state, since } = cursor;
    const before = this.#stateOfPrefix(cursor, configured);
    const states = [before(SYSTEM_AT), before(TOOLS_AT), ...(since?.states ?? [])].map((one) => one.state);
    const changed = states.filter((one) => one === "changed").length;
    const count = state.messages.length + 2; // the system prompt and the tools
    const added = since ? states.filter((one) => one === "new").length : count;
    return {
      turn,
      n: event.n,
      model: event.model,
      messages: state.messages.length,
      items: this.#items(found, SYSTEM_AT, PAGE_ITEMS),
      same: count - changed - added,
      changed,
      added,
      removed: since?.removed ?? 0,
      divergence: since && { ...state.divergence },
      prefix: event.prefix ?? null,
      cachedTokens: this.#cachedTokens(cursor.request),
      bytes: event.sha256 === undefined ? null : event.bytes,
      sha256: event.sha256 ?? null,
    };
  }

  /** At most `count` items from the one at `from` on (-2: the system prompt). Null as in `at`. */
  page(turn: number, from: number, count: number): readonly RequestItem[] | null {
    const found = this.#seek(turn);
    return found && this.#items(found, from, count);
  }

  /** An item's whole text. Null as in `at`, and where there is no such item. */
  text(turn: number, at: number): string | null {
    const found = this.#seek(turn);
    return found && textOfItem(requestIn(found), at);
  }

  /** Whether what is shown is byte for byte what was sent, by the digest on record. Null: there is none. */
  exact(turn: number, hash: Hash): boolean | null {
    const found = this.#seek(turn);
    if (found?.event.sha256 === undefined) return null;
    return hash(requestText(requestIn(found))) === found.event.sha256;
  }

  #items(found: Found, from: number, count: number): RequestItem[] {
    const { cursor, event, configured } = found;
    const request = requestIn(found);
    const counting = countingOf(event, configured, this.#counter);
    const ofPrefix = this.#stateOfPrefix(cursor, configured);
    const items: RequestItem[] = [];
    for (let at = Math.max(SYSTEM_AT, from); items.length < count; at++) {
      const state = at < 0 ? ofPrefix(at) : stateAt(cursor, at);
      const item = itemOf(request, at, state, counting);
      if (!item) break;
      items.push(item);
    }
    return items;
  }

  /** Of the system prompt and the tools: by comparing them with those of the request before. */
  #stateOfPrefix({ request, since }: Cursor, configured: Configured | null): (at: number) => ItemState {
    const last = this.#places[request - 1]?.configured ?? null;
    if (!since) return () => NEW;
    if (!configured || !last || configured === last) return () => SAME;
    const by = { n: configured.n, type: configured.type };
    return (at) => {
      const [was, is] = [last, configured].map((one) => textOfItem({ ...one, messages: [] }, at));
      return was === is ? SAME : { state: "changed", by };
    };
  }

  #cachedTokens(request: number): number | null {
    const { index } = this.#places[request] as Place;
    const end = this.#places[request + 1]?.index ?? this.#events.length;
    for (let at = index + 1; at < end; at++) {
      const event = this.#events[at];
      if (event?.type === "replied") return event.usage?.cachedTokens ?? null;
    }
    return null;
  }

  #index(): void {
    for (; this.#indexed < this.#events.length; this.#indexed++) {
      const event = this.#events[this.#indexed] as Logged;
      if (event.type === "configured") this.#configured = event;
      if (event.type !== "requested") continue;
      this.#requestOf.set(event.turn, this.#places.length);
      this.#places.push({ index: this.#indexed, configured: this.#configured });
    }
  }

  #seek(turn: number): Found | null {
    this.#index();
    const request = this.#requestOf.get(turn);
    const place = this.#places[request ?? -1];
    const event = this.#events[place?.index ?? -1];
    if (request === undefined || !place || event?.type !== "requested") return null;
    const cursor = this.#cursor?.request === request ? this.#cursor : this.#foldedTo(request);
    this.#cursor = cursor;
    return { cursor, event, configured: place.configured };
  }

  /** From the request that is shown where that is the nearest one before, else from a copy of what was kept. */
  #foldedTo(target: number): Cursor {
    const kept = this.#kept.findLast(({ request }) => request < target);
    const isAhead = this.#cursor !== null && this.#cursor.request < target;
    const isNearest = isAhead && (this.#cursor?.request ?? 0) >= (kept?.request ?? 0);
    let { request, state } = isNearest && this.#cursor ? this.#cursor : start(kept);
    if (request < 0) state = this.#folded(state, 0, this.#places[++request]?.index ?? 0, null);
    let since: Compared | null = null;
    while (request < target) {
      this.#keep(request, state);
      const sent = request + 1 === target ? [...state.messages] : null;
      const trail = sent && new ChangeTrail();
      const [from, to] = [this.#places[request] as Place, this.#places[request + 1] as Place];
      state = this.#folded(state, from.index, to.index, trail);
      if (sent && trail) since = compared(sent, state.messages, Math.max(0, state.divergence.at), trail);
      request++;
    }
    return { request, state, since };
  }

  #folded(state: HistoryState, from: number, to: number, trail: ChangeTrail | null): HistoryState {
    let folded = state;
    for (let at = from; at < to; at++) {
      const event = this.#events[at] as Logged;
      trail?.note(event);
      folded = historyFold.reduce(folded, event);
    }
    return folded;
  }

  /** Every so many requests; twice as far apart as soon as they are too many. */
  #keep(request: number, state: HistoryState): void {
    if (request % this.#apart !== 0 || request <= (this.#kept.at(-1)?.request ?? 0)) return;
    this.#kept.push({ request, state: copyOf(state) });
    if (this.#kept.length <= MOST_KEPT) return;
    this.#apart *= 2;
    this.#kept = this.#kept.filter((one) => one.request % this.#apart === 0);
  }
}

type Found = {
  readonly cursor: Cursor;
  readonly event: Logged & EventOf<"requested">;
  readonly configured: Configured | null;
};

/** Where nothing was kept, before the first request. */
const start = (kept: Kept | undefined): Kept =>
  kept ? { request: kept.request, state: copyOf(kept.state) } : { request: -1, state: historyFold.begin() };

/** What the fold changes in place is copied; messages and facts are values. */
const copyOf = (state: HistoryState): HistoryState => ({
  ...state,
  messages: [...state.messages],
  pending: new Map(state.pending),
  results: new Map(state.results),
});

function requestIn({ cursor, configured }: Found): DurableRequest {
  const { system = "", tools = [] } = configured ?? {};
  const messages: readonly Message[] = cursor.state.messages;
  return { system, tools, messages };
}

function stateAt({ since }: Cursor, at: number): ItemState {
  if (!since) return NEW;
  return at < since.from ? SAME : (since.states[at - since.from] ?? NEW);
}
