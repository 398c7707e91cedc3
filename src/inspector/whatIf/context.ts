/** What if: the requests of a session as they are sent one after another (the rules stand in simulate.ts). */
import { byteLength } from "../../schema/text";
import type { TokenCounter } from "../../schema/tokens";
import { contains, union, without } from "./ranges";
import { whole } from "./session";
import type { Evidence, Item, Profile, Range, ResultItem, Session } from "./types";

export const PREFIX_TOKENS = 12_000;
export const ASKING_TOKENS = 60;
export const OUTPUT_PRICE = 5;
export const WINDOW_UNITS = 4096;

export type SimulatedRequest = {
  readonly tokens: number;
  readonly reused: number;
  readonly cost: number; // with the output that asked
  readonly isAsking: boolean; // one more, to read something back
};

/** What each request carries: its items, and the tokens of each as it is shown. Valid only while it is told. */
export type Watch = (request: SimulatedRequest, items: readonly Item[], sizes: readonly number[]) => void;

/** What was seen of a result of the session, and is seen of it now. A copy begins at `from` of it. */
type Trace = {
  readonly copies: { readonly item: ResultItem; readonly from: number }[];
  windows: readonly Range[];
  ever: readonly Range[];
};

export class Context {
  readonly items: Item[] = [];
  readonly perRequest: SimulatedRequest[] = [];
  readonly #session: Session;
  readonly #profile: Profile;
  readonly #tokens: TokenCounter;
  readonly #sizes: number[] = []; // tokens of each item as it is shown
  readonly #live: (ResultItem | undefined)[] = []; // of the session's items, by their index there
  readonly #traces = new Map<ResultItem, Trace>();
  readonly #changed = new Set<ResultItem>(); // since the last request
  readonly #watch: Watch | undefined;
  #prefixTokens: number;
  #sum: number;
  #whole: number;
  #sent = 0; // items of the last request
  #isPrefixNew = false; // since the last request
  #common = 0; // of them, those before the first that differs

  constructor(session: Session, profile: Profile, tokens: TokenCounter, watch?: Watch) {
    this.#prefixTokens = session.prefixTokens ?? PREFIX_TOKENS;
    this.#sum = this.#prefixTokens;
    this.#whole = this.#prefixTokens;
    this.#watch = watch;
    this.#session = session;
    this.#profile = profile;
    this.#tokens = tokens;
  }

  get inputTokens(): number {
    return this.#sum;
  }

  get wholeTokens(): number {
    return this.#whole;
  }

  get prefixTokens(): number {
    return this.#prefixTokens;
  }

  /** Of what stands before the items. Where that is other than before, the provider has nothing of the next request. */
  set prefixTokens(tokens: number) {
    if (tokens === this.#prefixTokens) return;
    this.#sum += tokens - this.#prefixTokens;
    this.#whole += tokens - this.#prefixTokens;
    this.#prefixTokens = tokens;
    this.#isPrefixNew = true;
  }

  /** The session's items up to here. */
  append(upTo: number): void {
    const { items } = this.#session;
    for (let at = this.#live.length; at < upTo; at++) {
      const item = items[at];
      if (!item) throw new Error(`there is no item ${at}`);
      const live = item.kind === "result" ? { ...item } : undefined;
      this.#live.push(live);
      if (live) {
        this.#traces.set(live, { copies: [{ item: live, from: 0 }], windows: [], ever: [] });
        this.#changed.add(live);
      }
      this.#push(live ?? item);
    }
  }

  #push(item: Item): void {
    this.items.push(item);
    this.#sizes.push(item.tokens);
    this.#sum += item.tokens;
    this.#whole += item.tokens;
  }

  change(at: number, shown: ResultItem["shown"]): void {
    const item = this.items[at];
    if (item?.kind !== "result") throw new Error(`item ${at} is no result`);
    if (shown.text !== item.shown.text) {
      const size = this.#tokens.count(shown.text);
      this.#sum += size - (this.#sizes[at] ?? 0);
      this.#sizes[at] = size;
      this.#common = Math.min(this.#common, at);
    }
    item.shown = shown;
    this.#changed.add(item);
  }

  send(idleSeconds: number, isAsking: boolean): void {
    const { read, write, ttlSeconds } = this.#profile;
    const isWarm = this.perRequest.length > 0 && !this.#isPrefixNew && idleSeconds <= ttlSeconds;
    let reused = 0;
    if (isWarm) {
      reused = this.#sum;
      for (let at = this.#common; at < this.#sizes.length; at++) reused -= this.#sizes[at] ?? 0;
    }
    const output = isAsking ? ASKING_TOKENS * OUTPUT_PRICE : 0;
    const cost = read * reused + write * (this.#sum - reused) + output;
    const request = { tokens: this.#sum, reused, cost, isAsking };
    this.perRequest.push(request);
    this.#watch?.(request, this.items, this.#sizes);
    this.#sent = this.items.length;
    this.#common = this.#sent;
    this.#isPrefixNew = false;
    for (const item of this.#changed) {
      const trace = this.#traces.get(item);
      if (trace) trace.ever = union([...trace.ever, ...item.shown.kept]);
    }
    this.#changed.clear();
  }

  /** The places that are needed and stand nowhere: the first one of each span. Empty where they are too few to need it. */
  hiddenOf({ at, spans }: Evidence): readonly Range[] {
    const live = this.#live[at];
    if (!live || live.shown.text === live.text) return [];
    const seen = this.#seenOf(live);
    const hidden = spans.filter(({ places }) => !places.some((place) => contains(seen, place)));
    const lines = hidden.filter(({ kind }) => kind === "line").length;
    if (lines === 0 && hidden.length < 2) return [];
    return hidden.flatMap(({ places }) => places.slice(0, 1));
  }

  #seenOf(live: ResultItem): readonly Range[] {
    const { copies = [], windows = [] } = this.#traces.get(live) ?? {};
    const shown = copies.flatMap(({ item, from }) => item.shown.kept.map((range) => shifted(range, from)));
    return union([...shown, ...windows]);
  }

  readBack(evidence: Evidence, turn: number, stays: boolean): void {
    const places = this.hiddenOf(evidence);
    const live = this.#live[evidence.at];
    const trace = live && this.#traces.get(live);
    if (!live || !trace) return;
    const seen = this.#seenOf(live);
    const ranges: readonly Range[] = live.shown.isKept
      ? windowsWith(places, live.text.length).filter((window) => !contains(seen, window))
      : [[0, live.text.length]];
    if (stays) {
      trace.windows = union([...trace.windows, ...ranges]);
      const texts = ranges.map(([from, to]) => live.text.slice(from, to));
      const size = texts.reduce((sum, text) => sum + this.#tokens.count(text), 0);
      this.#push({ kind: "window", text: texts.join("\n"), tokens: size });
      return;
    }
    for (const [from, to] of ranges) {
      const text = live.text.slice(from, to);
      const tokens = this.#tokens.count(text);
      const item: ResultItem = { ...live, text, tokens, turn, isReadBack: true, shown: whole(text) };
      trace.copies.push({ item, from });
      this.#push(item);
    }
  }

  unrecoverableBytes(): number {
    let bytes = 0;
    for (const [live, { ever }] of this.#traces) {
      if (live.shown.isKept) continue;
      for (const [from, to] of without(ever, this.#seenOf(live)))
        bytes += byteLength(live.text.slice(from, to));
    }
    return bytes;
  }
}

const shifted = ([from, to]: Range, by: number): Range => [from + by, to + by];

function windowsWith(places: readonly Range[], length: number): readonly Range[] {
  const numbers = new Set<number>();
  for (const [from, to] of places) {
    const last = Math.floor((to - 1) / WINDOW_UNITS);
    for (let n = Math.floor(from / WINDOW_UNITS); n <= last; n++) numbers.add(n);
  }
  return [...numbers]
    .sort((a, b) => a - b)
    .map((n) => [n * WINDOW_UNITS, Math.min(length, (n + 1) * WINDOW_UNITS)]);
}
