/**
 * What deciding a turn costs: folding its events, pairing, ageing by cost, images, budgets and the figures of the request;
 * not serialising the body, no model, no disk. Sessions of 2,000 turns of one call each, whose results stay inline, with
 * the real tokenizer and a prompt cache that makes cuts pay. Late turns beside early ones of the same sessions. And one
 * reply of 10,000 calls beside one of 1,000, each result by itself: 1 where a reply costs no more than its length.
 */
import { age } from "../src/agent/age";
import { budget } from "../src/agent/budget";
import { Conversation } from "../src/agent/conversation";
import { requestFills } from "../src/agent/fills";
import { fitImages } from "../src/agent/images";
import type { BlobName, Ports } from "../src/agent/ports";
import { fetchResult } from "../src/agent/retrieve";
import { callKey, foldHistory } from "../src/history/fold";
import { pair } from "../src/history/pair";
import { openTokenizer } from "../src/models/tokenizer";
import { Claim, type Digest } from "../src/schema/claim";
import type { Logged, SessionEvent } from "../src/schema/event";
import { DEFAULT_SETTINGS } from "../src/schema/settings";
import { byteLength, type SafeText } from "../src/schema/text";
import type { TokenCounter } from "../src/schema/tokens";
import { sha256 } from "../src/store/digest";
import { builtinPolicy } from "../src/thimble/builtin";
import { type Random, randomFrom } from "../test/support/random";
import type { BenchResult } from "./run";

const TURNS = 2000;
const SESSIONS = 5;
const WINDOW = 100; // turns on each side of a place that are taken together
const RESULT_WORDS = 500;
const SEED = 0x5eed;

export async function run(): Promise<BenchResult> {
  const tokens = await openTokenizer();
  await session(tokens, SEED); // warm
  const sessions: Float64Array[] = [];
  for (let n = 0; n < SESSIONS; n++) sessions.push(await session(tokens, SEED + n));
  const around = (turn: number) =>
    sessions.flatMap((times) => [...times.subarray(turn - WINDOW, Math.min(TURNS, turn + WINDOW))]);
  const [early, middle, late] = [around(200), around(1000), around(TURNS)];
  const ratio = mean(late) / mean(early);
  const p99 = quantile(middle, 0.99);
  const [folded, paired] = [wideRatio(foldOne), wideRatio(pairOne)];
  const ms = (value: number) => `${value.toFixed(3)} ms`;
  return {
    json: {
      turn_2000_vs_200: round(ratio),
      turn_1000_ms_p99: round(p99),
      fold_10000_vs_1000_results: round(folded),
      pair_10000_vs_1000_calls: round(paired),
    },
    rows: [
      ["a turn at 200, mean and median", `${ms(mean(early))}, ${ms(quantile(early, 0.5))}`],
      ["a turn at 1000, mean and p99", `${ms(mean(middle))}, ${ms(p99)}`],
      ["a turn at 2000, mean and median", `${ms(mean(late))}, ${ms(quantile(late, 0.5))}`],
      ["2000 over 200, means", `${ratio.toFixed(2)} (goal 1.5)`],
      ["a result of a reply of 10,000, folded, over one of 1,000", folded.toFixed(2)],
      ["a call of 10,000 with one id, paired, over one of 1,000", paired.toFixed(2)],
    ],
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN;
const round = (value: number) => Math.round(value * 1000) / 1000;

const WIDE_RUNS = 7;

/** What one of 10,000 costs, over what one of 1,000 does: medians. `prepare` is not measured, what it returns is. */
function wideRatio(prepare: (calls: number) => () => void): number {
  const median = (calls: number) =>
    quantile(
      Array.from({ length: WIDE_RUNS }, () => {
        const work = prepare(calls);
        const begun = performance.now();
        work();
        return performance.now() - begun;
      }),
      0.5,
    ) / calls;
  median(1000); // warm
  return median(10_000) / median(1000);
}

const callsOf = (count: number, idOf: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ call: callKey(1, n), id: idOf(n), name: "read", arguments: `${n}` },
  }));

/** Results finish in batches of eight, the last of each first. */
function foldOne(count: number): () => void {
  const order = Array.from({ length: count }, (_, n) => (n & ~7) + 7 - (n & 7));
  const events: SessionEvent[] = [
    { type: "asked", turn: 1, text: "Go." },
    { ...REPLIED, turn: 1, calls: callsOf(count, String) },
    ...order.map((n) => ({ ...REMEMBERED, call: callKey(1, n), text: `${n}` })),
  ];
  const logged = events.map((event, n): Logged => ({ n, at: n, origin: "loop", ...event }));
  return () => void foldHistory(logged);
}

function pairOne(count: number): () => void {
  const messages = [{ role: "assistant" as const, text: "", calls: callsOf(count, () => "x") }];
  return () => void pair(messages, () => "proposed");
}

/** Milliseconds of each turn. */
async function session(tokens: TokenCounter, seed: number): Promise<Float64Array> {
  const { ports, append } = portsOf(tokens);
  const started = await append({
    type: "session_started",
    format: 1,
    session: "s",
    tenant: "t",
    workspace: "bench",
    title: "bench",
    salt: "0".repeat(32),
  });
  const configuration = { settings: DEFAULT_SETTINGS, policy: builtinPolicy(sha256), intent: null };
  const conversation = await Conversation.open([started], configuration, ports);
  await conversation.append({ type: "asked", turn: 1, text: "Read every file." });
  const random = randomFrom(seed);
  const times = new Float64Array(TURNS);
  for (let turn = 1; turn <= TURNS; turn++) {
    const text = wordsOf(random); // what a tool returned is there before the turn is decided
    const begun = performance.now();
    await decided(conversation, turn, text);
    times[turn - 1] = performance.now() - begun;
  }
  if (![...conversation.history.results.values()].some(({ level }) => level > 0))
    throw new Error("nothing was cut");
  return times;
}

async function decided(conversation: Conversation, turn: number, text: string): Promise<void> {
  const { history } = conversation;
  const call = callKey(turn, 0);
  const about = { call, id: call, name: "read_file", arguments: `{"path":"file${turn}.txt"}` };
  await conversation.append({ ...REPLIED, turn, calls: [about] });
  await conversation.append({ type: "executed", call, outcome: "ok", code: null, items: null, elapsedMs: 1 });
  await conversation.append({ ...REMEMBERED, call, text });
  const { splices } = pair(history.messages, (one) => history.pending.get(one), conversation.pairedTo);
  if (splices.length > 0) throw new Error("a valid history was repaired");
  conversation.markPaired();
  await age(conversation);
  await fitImages(conversation);
  await budget(conversation);
  const { divergence } = conversation.history;
  const [all, reused] = [conversation.sizes.of(), conversation.sizes.of(divergence.at)];
  const prefix = {
    messages: divergence.at,
    bytes: reused.bytes,
    tokens: conversation.prefixSize.tokens + reused.tokens,
    totalTokens: conversation.prefixSize.tokens + all.tokens,
    counter: conversation.sizes.counter.name,
    by: divergence.by,
  };
  const fills = requestFills(conversation);
  const { chars, bytes } = all;
  const size = { messages: history.messages.length, chars, bytes };
  await conversation.append({ type: "requested", turn: turn + 1, model: MODEL, ...size, prefix, fills });
}

const MODEL = "bench/claude";
const REPLIED = { type: "replied", text: "", end: "calls", error: null, usage: null, elapsedMs: 1 } as const;
const REMEMBERED = {
  type: "remembered",
  shown: "inline",
  class: "read",
  limitChars: 5120,
  why: "short",
  handle: null,
  isError: false,
} as const;

function portsOf(tokens: TokenCounter): {
  ports: Ports;
  append: (event: SessionEvent) => Promise<Logged>;
} {
  let n = 0;
  const contents = new Map<string, SafeText>();
  const claims = new Map<string, Claim>();
  const append = async (event: SessionEvent): Promise<Logged> => {
    if (event.type === "tool_result_stored") claims.set(event.handle, Claim.parse(event));
    return { n: n++, at: n * 1000, origin: "loop", ...event };
  };
  const unused = async (): Promise<never> => {
    throw new Error("not in this bench");
  };
  const ports: Ports = {
    log: { append, sync: async () => undefined },
    claims: {
      put: async (text): Promise<BlobName> => {
        const digest: Digest = sha256(text);
        contents.set(digest, text);
        return { sha256: digest, frames: digest, bytes: byteLength(text) };
      },
      read: async (digest) => contents.get(digest) ?? unused(),
      find: (handle) => claims.get(handle),
      putBytes: unused,
      readBytes: unused,
      window: unused,
      range: unused,
      charOfLine: unused,
      search: unused,
      removeForgotten: async () => undefined,
      checkpoint: async () => undefined,
    },
    model: {
      info: {
        id: MODEL,
        name: "Bench",
        maxInputTokens: null,
        abilities: { rawArguments: true, usage: false, cacheControl: false },
      },
      // biome-ignore lint/correctness/useYield: it is never asked
      async *reply() {
        throw new Error("not in this bench");
      },
    },
    tools: [fetchResult],
    approver: { isTrusted: () => true, ask: unused },
    clock: { now: () => n * 1000, sleep: unused },
    hash: sha256,
    tokens,
    watcher: { replyText: () => undefined, toolProgress: () => undefined },
  };
  return { ports, append };
}

function wordsOf(random: Random): string {
  const words = Array.from({ length: RESULT_WORDS }, () => WORDS[random(WORDS.length)] ?? "");
  return words.join(" ");
}

const WORDS = "file line import const return value result error path read write list of the a to in".split(
  " ",
);
