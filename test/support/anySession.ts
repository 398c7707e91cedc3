// test/support: any session: a model, a provider and a person who do whatever they like, with our loop between them.
import assert from "node:assert/strict";
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { ActQueue } from "../../src/agent/actQueue";
import { perform } from "../../src/agent/acts";
import { foldHistory, type HistoryState, historyFold } from "../../src/history/fold";
import { messageTokens } from "../../src/history/messageTokens";
import { estimatedTokens } from "../../src/history/tokens";
import { anthropicBody } from "../../src/models/wire/anthropic";
import { openaiBody } from "../../src/models/wire/openai";
import type { SessionAct } from "../../src/schema/act";
import type { Claim, Handle } from "../../src/schema/claim";
import type { Logged } from "../../src/schema/event";
import { Failure } from "../../src/schema/failure";
import type { ChatModel, ChatRequest } from "../../src/schema/model";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../src/schema/settings";
import { asRaw, type SafeText } from "../../src/schema/text";
import { claimsOf, forgottenIn, takeIn } from "../../src/store/marks";
import { type House, openHouse, tool } from "./house";
import { part } from "./media";
import { assertSound, reread } from "./sound";
import { anthropicProblems, openaiProblems } from "./wireCheckers";

const KINDS = ["read", "run", "list", "other", "write", "fails", "outside", "look", "fetch"] as const;
type Call = { readonly kind: (typeof KINDS)[number]; readonly chars: number; readonly id: string };
type Move = {
  readonly end: "goes on" | "breaks" | "too large" | "stops";
  readonly says: string;
  readonly calls: readonly Call[];
  readonly acts: readonly Act[]; // while the model replies
  readonly usage: { readonly input: number; readonly cached: number | null } | null;
};
/** `at`: which of the results or stored contents that there are; more than there are: one that is not there. */
type Act = { readonly kind: SessionAct["kind"]; readonly at: number; readonly isPinned: boolean };
export type Run = {
  readonly between: readonly Act[]; // after it
  readonly moves: readonly Move[];
  readonly settings: Partial<CoreSettings>;
  readonly limit: number | null;
  readonly window: number | null;
  readonly images: boolean;
  readonly model: string;
  readonly stopsAfter: number | null; // events
  readonly lost: number; // events at the end of the log before: the host died
  readonly pauseSeconds: number; // since the run before; the clock goes back where it is 0
};

const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom(...KINDS),
  chars: fc.constantFrom(0, 5, 150, 400, 900, 2600, 3001, 5200, 21_000, 45_000),
  id: fc.constantFrom("", "a", "b", "call:1", "x".repeat(70)),
});
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("pin" as const, "pin" as const, "shorten" as const, "forget" as const),
    at: fc.nat(9),
    isPinned: fc.boolean(),
  }),
  { maxLength: 3 },
);
const move: fc.Arbitrary<Move> = fc.record({
  acts: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, acts),
  end: fc.oneof(
    { weight: 12, arbitrary: fc.constant("goes on" as const) },
    fc.constantFrom("breaks" as const, "too large" as const, "stops" as const),
  ),
  says: fc.constantFrom("", " ", "I look."),
  calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  usage: fc.option(fc.record({ input: fc.nat(100_000), cached: fc.option(fc.nat(50_000)) })),
});
const prices = fc.record({
  write: fc.constantFrom(0, 0.5, 1, 1.25, 100),
  read: fc.constantFrom(0, 0.1, 1, 100),
  ttlSeconds: fc.option(fc.constantFrom(1, 300)),
});
const settings: fc.Arbitrary<Partial<CoreSettings>> = fc
  .record({
    strategy: fc.constantFrom("off" as const, "age" as const, "cacheAware" as const, "cacheAware" as const),
    shorten: fc.integer({ min: 1, max: 3 }),
    clear: fc.integer({ min: 1, max: 5 }),
    minimumChars: fc.constantFrom(0, 10, 3000),
    profiles: fc.dictionary(fc.constantFrom("", "gpt", "claude"), prices, {
      maxKeys: 2,
      noNullPrototype: true,
    }),
    threshold: fc.constantFrom(600, 4096, 100_000),
    isStored: fc.boolean(),
    omits: fc.boolean(),
    perResult: fc.constantFrom(1, 5300, 20_000),
    perTurn: fc.constantFrom(1, 6000, 200_000),
    bytes: fc.constantFrom(3000, 100_000, 8_000_000),
  })
  .map((one) => ({
    maxTurns: 40,
    claimCheck: {
      ...DEFAULT_SETTINGS.claimCheck,
      thresholdChars: one.threshold,
      enabled: one.isStored || one.threshold === 600,
      taintedHeads: one.omits ? "omit" : "fence",
    },
    ageing: {
      strategy: one.strategy,
      shortenAfterTurns: one.shorten,
      clearAfterTurns: Math.max(one.shorten, one.clear),
      minimumChars: one.minimumChars,
      cacheProfiles: JSON.parse(JSON.stringify(one.profiles)),
    },
    budgets: { perResultChars: one.perResult, perTurnChars: one.perTurn, perTurnBytes: one.bytes },
  }));
export const anyRun: fc.Arbitrary<Run> = fc.record({
  between: fc.oneof(fc.constant([]), acts),
  moves: fc.array(move, { maxLength: 14 }),
  settings,
  limit: fc.option(fc.constantFrom(2000, 9000, 30_000)),
  window: fc.option(fc.constantFrom(100, 3000, 20_000)),
  images: fc.boolean(),
  model: fc.constantFrom("gpt-x", "claude-x", "local", "__proto__"),
  stopsAfter: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, fc.nat(80)),
  lost: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.nat(12)),
  pauseSeconds: fc.constantFrom(0, 10, 400, 4000),
});

/** What a call returns: by its arguments alone, and no two alike. */
function resultOf(args: string): string {
  const { n, chars } = JSON.parse(args) as { n: number; chars: number };
  return chars === 0
    ? ""
    : `${n}: ${"some words of it,\n".repeat(Math.ceil(chars / 18))}`.slice(0, Math.max(chars, 8));
}

function toolOf(kind: Call["kind"]) {
  const classes = { read: "read", run: "execute", list: "list" } as const;
  return tool(
    kind,
    (args) => {
      const text = asRaw(resultOf(args));
      if (kind === "fails") return { kind: "failed", code: "no", text };
      if (kind === "look")
        return { kind: "ok", text, media: [part("image/png", 700 + (JSON.parse(args) as { n: number }).n)] };
      return { kind: "ok", text };
    },
    {
      class: kind in classes ? classes[kind as keyof typeof classes] : "other",
      ...(kind === "write" && { effect: "write" as const }),
      ...(kind === "outside" && { reach: "outside" as const }),
    },
  );
}
const TOOLS = KINDS.filter((kind) => kind !== "fetch").map(toolOf);

const ACTS: ReadonlySet<string> = new Set(["tool_result_stored", "pinned", "aged", "forgotten"]);

/** Nothing else may go wrong with an act. */
function isRefused(cause: unknown): void {
  assert.ok(cause instanceof Failure && cause.code === "act-refused", String(cause));
}

const HANDLE = /claim:[0-9a-f]{32}/g;

/** Runs of one session, one after another. `events` is its log; every request is checked as it is sent. */
export class Attack {
  events: Logged[] = [];
  readonly requests: ChatRequest[] = [];
  readonly blobs = new Map<string, SafeText>();
  readonly media = new Map<string, Uint8Array>();
  readonly #asked: Promise<void>[] = [];
  #calls = 0;

  async run(
    {
      moves,
      between,
      settings: given,
      limit,
      window,
      images,
      model: id,
      stopsAfter,
      lost,
      pauseSeconds,
    }: Run,
    question: string,
  ): Promise<void> {
    const stop = new AbortController();
    const queue = new ActQueue();
    const left = [...moves];
    const synced = this.events.findLastIndex(({ type }) => type === "forgotten") + 1; // before its content went
    const kept = this.events.slice(0, Math.max(1, synced, this.events.length - lost));
    this.events = kept.map((event) => ({ ...event, at: event.at - pauseSeconds * 1000 }));
    this.requests.length = kept.filter(({ type }) => type === "requested").length;
    let happened = 0;
    let live: House | null = null;
    const model: ChatModel = {
      info: {
        id,
        name: id,
        maxInputTokens: window,
        abilities: { rawArguments: true, usage: true, cacheControl: false, images },
      },
      reply: (request) => {
        const next = left.shift();
        for (const one of next?.acts ?? [])
          this.#asked.push(queue.add(this.#actOf(one, live?.events ?? [])).then(() => undefined, isRefused));
        return this.#reply(request, next, limit, stop);
      },
    };
    const house = await openHouse({
      replies: [],
      model,
      tools: TOOLS,
      settings: given,
      blobs: this.blobs,
      media: this.media,
      events: this.events,
      onEvent: () => happened++ === stopsAfter && stop.abort(),
    });
    live = house;
    const before = house.events.length;
    const end = await house.ask(question, stop.signal, queue);
    await Promise.all(this.#asked);
    const { length: told } = house.events;
    const idle = between.length > 0 ? house.takeUp() : house.conversation;
    for (const one of between) await perform(idle, this.#actOf(one, house.events)).catch(isRefused);
    assert.ok(house.events.slice(told).every(({ type }) => ACTS.has(type)));
    assert.notEqual(end.message.includes("unexpected error"), true, end.message);
    this.events = reread(house.events);
    this.requests.push(...house.requests);
    for (const request of house.requests) this.#check(request, question);
    assert.ok(house.requests.length <= 40 && house.events.length - before < 40 * 40);
    assert.deepEqual(idle.history, foldHistory(this.events));
  }

  #actOf({ kind, at, isPinned }: Act, events: readonly Logged[]): SessionAct {
    const call = [...foldHistory(events).results.keys()][at] ?? "t99c0";
    const handle = [...claimsOf(events).keys()][at] ?? (`claim:${"0".repeat(32)}` as Handle);
    return kind === "pin" ? { kind, call, isPinned } : kind === "shorten" ? { kind, call } : { kind, handle };
  }

  async *#reply(request: ChatRequest, move: Move | undefined, limit: number | null, stop: AbortController) {
    if (limit !== null && JSON.stringify(request.messages).length > limit)
      throw new Failure("model-failed", "prompt is too long");
    if (move?.end === "too large") throw new Failure("model-failed", "prompt is too long");
    if (move === undefined) {
      yield { kind: "text" as const, text: "Done." };
      return;
    }
    yield { kind: "text" as const, text: move.says };
    const named = [...JSON.stringify(request.messages).matchAll(HANDLE)].map(([handle]) => handle);
    for (const { kind, chars, id } of move.calls) {
      const n = this.#calls++;
      const given =
        kind === "fetch"
          ? { handle: named[n % Math.max(1, named.length)] ?? "claim:1", offset: n % 3 }
          : { n, chars, path: `src/[id]/${n}.ts` };
      yield {
        kind: "call" as const,
        id,
        name: kind === "fetch" ? "fetch_result" : kind,
        arguments: JSON.stringify(given),
      };
    }
    if (move.usage)
      yield {
        kind: "usage" as const,
        usage: { inputTokens: move.usage.input, outputTokens: 1, cachedTokens: move.usage.cached },
      };
    if (move.end === "stops") stop.abort();
    if (move.end === "breaks") throw new Failure("model-failed", "the connection was reset");
  }

  /** Valid for both providers; what was asked stands in it. */
  #check(request: ChatRequest, question: string): void {
    const breakpoints = ["tools", "system", request.messages.length - 1] as const;
    assert.deepEqual(openaiProblems(openaiBody(request, { model: "m" })), []);
    assert.deepEqual(
      anthropicProblems(anthropicBody(request, { model: "m", maxTokens: 9, breakpoints })),
      [],
    );
    assert.ok(
      request.messages.some(({ role, text }) => role === "user" && text.includes(question)),
      "what was asked is gone",
    );
  }

  checkAll(): void {
    assertSound(this.events);
    this.#checkHandles();
    this.#checkPrefixes();
    this.#checkSnapshots();
    this.#checkActs();
    for (const event of this.events) {
      if (event.type === "overflowed") assert.ok(event.tokensAfter < event.tokensBefore);
      else if (event.type === "budgeted" || event.type === "aged")
        for (const { charsBefore, charsAfter } of event.type === "aged" ? event.decisions : event.cuts)
          assert.ok(charsAfter < charsBefore, `${event.type} ${charsBefore} to ${charsAfter}`);
    }
  }

  /** Every handle in the last request resolves, and every result is whole: there, or behind its handle. */
  #checkHandles(): void {
    const { messages, results } = foldHistory(this.events);
    const claims = claimsOf(this.events);
    const stored = new Map(
      this.events.flatMap((event) =>
        event.type === "tool_result_stored" ? [[event.handle as string, event.sha256 as string]] : [],
      ),
    );
    for (const message of messages)
      if (message.role !== "assistant")
        for (const [handle] of message.text.matchAll(HANDLE)) {
          const digest = stored.get(handle) ?? assert.fail(`${handle} was never issued`);
          const isThere = this.blobs.has(digest) || this.media.has(digest);
          assert.ok(isThere || claims.get(handle as Handle)?.forgotten);
        }
    const given = new Map(
      this.events.flatMap((event) =>
        event.type === "replied" ? event.calls.map((one) => [one.call, one] as const) : [],
      ),
    );
    for (const facts of results.values()) {
      const asked = given.get(facts.call);
      if (!asked || asked.name === "fetch_result" || ["refusal", "cut"].includes(facts.shown)) continue;
      const text = resultOf(asked.arguments);
      const message = messages[facts.at];
      if (facts.handle !== null && claims.get(facts.handle)?.forgotten) continue;
      if (facts.handle === null) assert.ok(message?.text.includes(text));
      else
        assert.ok(
          this.blobs.get(stored.get(facts.handle) ?? "")?.includes(text),
          "the whole is not what was returned",
        );
    }
  }

  /** What the log says that two requests share is what they share, and each change has its event. */
  #checkPrefixes(): void {
    this.#checkSizes();
    const requested = this.events.filter((event) => event.type === "requested");
    assert.equal(requested.length, this.requests.length);
    for (const [i, { prefix }] of requested.entries()) {
      assert.ok(prefix);
      const [last, next] = [this.requests[i - 1], this.requests[i]];
      assert.equal(prefix.messages < 0 && i === 0 ? prefix.by : null, null);
      if (!last || !next || prefix.messages < 0) continue;
      const [before, after] = [last, next].map(({ messages }) =>
        JSON.stringify(messages.slice(0, prefix.messages), (_, value) =>
          value instanceof Uint8Array ? value.length : value,
        ),
      );
      assert.equal(after, before);
      if (prefix.by === null) assert.equal(prefix.messages, last.messages.length);
      assert.ok(prefix.tokens <= prefix.totalTokens && prefix.bytes > 0);
    }
  }

  /** What is pinned is shortened by the person's word only, and nothing is read of what was forgotten. */
  #checkActs(): void {
    let state = historyFold.begin();
    const claims = new Map<Handle, Claim>();
    for (const event of this.events) {
      if (event.type === "aged")
        for (const { call } of event.decisions)
          assert.equal(state.results.get(call)?.isPinned, false, `${call} was pinned, and ${event.strategy}`);
      if (event.type === "redeemed" || event.type === "paged")
        assert.equal(claims.get(event.handle)?.forgotten, undefined, `${event.handle} was forgotten`);
      state = historyFold.reduce(state, event);
      takeIn(claims, event);
    }
    for (const digest of forgottenIn(claims.values()))
      assert.ok(!this.blobs.has(digest) && !this.media.has(digest), "what was forgotten is gone");
  }

  /** What is kept up as messages come is what counting anew says. */
  #checkSizes(): void {
    let state = historyFold.begin();
    for (const event of this.events) {
      if (event.type === "requested" && event.prefix) {
        const { messages, tokens, bytes, totalTokens } = event.prefix;
        const sizes = state.messages.map((message) => ({
          tokens: messageTokens(structuredClone(message), estimatedTokens),
          bytes: Buffer.byteLength(JSON.stringify(message)),
        }));
        const sum = (of: "tokens" | "bytes", count = sizes.length) =>
          sizes.slice(0, count).reduce((all, one) => all + one[of], 0);
        const before = {
          tokens: estimatedTokens.count(state.prefix),
          bytes: Buffer.byteLength(state.prefix),
        };
        assert.equal(totalTokens, before.tokens + sum("tokens"));
        assert.equal(tokens, messages < 0 ? 0 : before.tokens + sum("tokens", messages));
        assert.equal(bytes, messages < 0 ? 0 : before.bytes + sum("bytes", messages));
        assert.equal(event.bytes, Buffer.byteLength(JSON.stringify(state.messages)));
        assert.deepEqual([messages, event.prefix.by], [state.divergence.at, state.divergence.by]);
      }
      state = historyFold.reduce(state, event);
    }
  }

  /** A snapshot taken anywhere, and the events since, are the whole log. */
  #checkSnapshots(): void {
    const whole = foldHistory(this.events);
    for (const cut of [1, Math.floor(this.events.length / 2), this.events.length - 1]) {
      const kept = deserialize(serialize(foldHistory(this.events.slice(0, cut)))) as HistoryState;
      assert.deepEqual(this.events.slice(cut).reduce(historyFold.reduce, kept), whole);
    }
  }
}
