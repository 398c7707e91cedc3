/**
 * What if: one session under one policy and one price list. The rules:
 *
 * - Request k carries everything before reply k, behind a system and tools prefix of 12,000 tokens.
 * - It costs `read` × what the provider still has of the request before (the prefix and the items before the first one
 *   that differs, whole items only; nothing at the first request or after more than `ttlSeconds`) + `write` × the rest.
 * - A policy is asked once before each request, and changes how results are shown from then on.
 * - A hidden result is needed at request k if reply k has at least two tokens, or one line, whose every place in what
 *   was given or said before is in the hidden part of that one result (evidence.ts). Then the model asks for it first: one
 *   more request, of the same items, at what that costs, and 60 output tokens at 5 × input. What comes back is
 *   appended: the windows of 4096 code units, aligned, that have the first place of each such token and line and are not
 *   visible, or the whole result once more where it was not kept. It stays (`stays`, the rule of the published figures), or
 *   it is a result like any other, which the policy may hide again (`result`).
 * - With `none` nothing is asked for: a bound.
 */
import { byteLength } from "../../schema/text";
import type { TokenCounter } from "../../schema/tokens";
import { contains, union, without } from "./ranges";
import { whole } from "./session";
import type { Evidence, Item, Policy, Profile, Range, ResultItem, Session } from "./types";

export const PREFIX_TOKENS = 12_000;
export const ASKING_TOKENS = 60;
export const OUTPUT_PRICE = 5;
export const WINDOW_UNITS = 4096;

/** Whether what a reply needed and was hidden is read back, and whether that stays or is a result like any other. */
export type Redemption = "none" | "stays" | "result";

export type SimulatedRequest = {
  readonly tokens: number;
  readonly reused: number;
  readonly cost: number; // with the output that asked
  readonly isAsking: boolean; // one more, to read something back
};
export type Simulated = {
  readonly cost: number;
  readonly requests: number;
  readonly roundTrips: number;
  /** Needed and hidden, one for each reply and result. */
  readonly evidenceHidden: number;
  readonly peak: number; // tokens of the largest request
  /** UTF-8 bytes of results that were shown once and are nowhere at the end. */
  readonly unrecoverableBytes: number;
  readonly perRequest: readonly SimulatedRequest[];
};

/** What each request carries: its items, and the tokens of each as it is shown. Valid only while it is told. */
export type Watch = (request: SimulatedRequest, items: readonly Item[], sizes: readonly number[]) => void;

export function simulate(
  session: Session,
  policy: Policy,
  profile: Profile,
  tokens: TokenCounter,
  { redemption, watch }: { readonly redemption: Redemption; readonly watch?: Watch },
): Simulated {
  const context = new Context(session, profile, tokens, watch);
  const ask = policy.open(tokens, profile);
  let evidenceHidden = 0;
  for (const [n, { items, idleSeconds, evidence }] of session.requests.entries()) {
    context.append(items);
    const { inputTokens, wholeTokens, prefixTokens } = context;
    const moment = { request: n + 1, idleSeconds, inputTokens, wholeTokens, prefixTokens };
    for (const { at, shown } of ask(context.items, moment)) context.change(at, shown);
    const needed = evidence.filter((one) => context.hiddenOf(one).length > 0);
    evidenceHidden += needed.length;
    let idle = idleSeconds;
    if (redemption !== "none") {
      for (const one of needed) {
        context.send(idle, true);
        context.readBack(one, n, redemption === "stays");
        idle = 0;
      }
    }
    context.send(idle, false);
  }
  const { perRequest } = context;
  return {
    cost: perRequest.reduce((sum, { cost }) => sum + cost, 0),
    requests: perRequest.length,
    roundTrips: perRequest.filter(({ isAsking }) => isAsking).length,
    evidenceHidden,
    peak: perRequest.reduce((most, one) => Math.max(most, one.tokens), 0),
    unrecoverableBytes: context.unrecoverableBytes(),
    perRequest,
  };
}

/** What was seen of a result of the session, and is seen of it now. A copy begins at `from` of it. */
type Trace = {
  readonly copies: { readonly item: ResultItem; readonly from: number }[];
  windows: readonly Range[];
  ever: readonly Range[];
};

class Context {
  readonly items: Item[] = [];
  readonly perRequest: SimulatedRequest[] = [];
  readonly #session: Session;
  readonly #profile: Profile;
  readonly #tokens: TokenCounter;
  readonly #sizes: number[] = []; // tokens of each item as it is shown
  readonly #live: (ResultItem | undefined)[] = []; // of the session's items, by their index there
  readonly #traces = new Map<ResultItem, Trace>();
  readonly #changed = new Set<ResultItem>(); // since the last request
  readonly prefixTokens: number;
  readonly #watch: Watch | undefined;
  #sum: number;
  #whole: number;
  #sent = 0; // items of the last request
  #common = 0; // of them, those before the first that differs

  constructor(session: Session, profile: Profile, tokens: TokenCounter, watch?: Watch) {
    this.prefixTokens = session.prefixTokens ?? PREFIX_TOKENS;
    this.#sum = this.prefixTokens;
    this.#whole = this.prefixTokens;
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
    const isWarm = this.perRequest.length > 0 && idleSeconds <= ttlSeconds;
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
