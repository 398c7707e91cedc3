// test/support: a session that has every event there is, written by hand; a kind of event that is missing is a compile error.
import { type EventOf, type EventType, type Logged, SessionEvent } from "../../src/schema/event";
import { DEFAULT_SETTINGS } from "../../src/schema/settings";
import { BUILTIN_ARTIFACT } from "../../src/thimble/builtin";
import { policyFrom } from "../../src/thimble/policy";
import { hash } from "./house";

const SALT = "0123456789abcdef0123456789abcdef";
const digest = hash("a stored result");
const handle = `claim:${"a".repeat(32)}`;
const exceeded = { dimension: "bytes", actual: 9000, limit: 8000 };
const policy = policyFrom(BUILTIN_ARTIFACT, hash);

const cut = (call: string) => ({ call, handle, text: "Shortened.", charsBefore: 5000, charsAfter: 10 });

const remembered = (call: string, text = "What was shown.") => ({
  ...{ type: "remembered", call, shown: "ticket", class: "read", limitChars: 4096, why: "over its limit" },
  ...{ handle, isError: false, text },
});

const proposal = {
  ...{ decision: "clamp", reason: "requested_items_above_policy_maximum", mode: "enforce" },
  ...{ contract: { tool: "search_text", argument: "/limit" }, exemption: null },
  changes: [{ path: "/limit", from: 500, to: 10, dimension: "items" }],
  ...{ proposedChanges: [], originalSha256: hash("original"), effectiveSha256: hash("effective") },
};

/** In the order in which a session could have them; what a log has more than once is here once. */
const EVENTS = {
  session_started: {
    ...{ type: "session_started", format: 1, session: "s1", tenant: "t", workspace: "harbour log" },
    ...{ title: "The whole vocabulary", salt: SALT, from: { kind: "fork", session: "s0" } },
  },
  adopted: { type: "adopted", from: "s0", claims: [], missing: [digest] },
  recovered: { type: "recovered", what: "log_tail", detail: "a torn line was moved aside" },
  configured: {
    type: "configured",
    model: {
      ...{ id: "vendor/model-1", name: "Model One", maxInputTokens: 100_000 },
      abilities: { rawArguments: true, usage: true, cacheControl: false },
    },
    ...{ system: "You are a test.", tools: [], settings: DEFAULT_SETTINGS, policy: policy.artifact },
    ...{ policyIdentity: policy.identity, intent: "exact_count" },
  },
  resumed: { type: "resumed", turn: 0 },
  asked: { type: "asked", turn: 1, text: "Who uses the tide?" },
  pruned: {
    ...{ type: "pruned", turn: 1, messages: 2, unnamed: 1, splices: [] },
    named: [{ tool: "read_file", subject: "docs/contract.md", handle }],
  },
  overflowed: {
    ...{ type: "overflowed", turn: 1, step: "age", tokensBefore: 9000, tokensAfter: 4000 },
    counter: "o200k_base",
  },
  requested: {
    ...{ type: "requested", turn: 1, model: "vendor/model-1", messages: 1, chars: 18, bytes: 18 },
    sha256: hash("request"),
    prefix: {
      ...{ messages: -1, bytes: 0, tokens: 0, totalTokens: 1200, counter: "o200k_base" },
      by: { n: 3, type: "configured" },
    },
  },
  replied: {
    ...{ type: "replied", turn: 1, text: "I look.", end: "calls", error: null, elapsedMs: 40 },
    calls: ["t1c0", "t1c1", "t1c2"].map((call, at) => ({
      ...{ call, id: `call_${at}`, name: at === 0 ? "search_text" : "fetch_result" },
      arguments: '{"limit": 500}',
    })),
    usage: { inputTokens: 1210, outputTokens: 30, cachedTokens: 800 },
  },
  clamped: {
    ...{ type: "clamped", call: "t1c0", tool: "search_text", argumentsSource: "raw" },
    ...{ effectiveArguments: '{"limit": 10}', proposal },
  },
  authorised: { type: "authorised", call: "t1c0", granted: true, by: "rule", reason: "It only reads." },
  executed: { type: "executed", call: "t1c0", outcome: "ok", code: null, items: 10, elapsedMs: 12 },
  redacted: {
    ...{ type: "redacted", call: "t1c0", refused: null, forgedMarkers: 1, loneSurrogates: 0 },
    secrets: { aws_key: 2 },
  },
  measured: {
    ...{ type: "measured", call: "t1c0", items: 10, chars: 5000, bytes: 5100, tokensEstimated: 1300 },
    estimator: "o200k_base",
  },
  tool_result_stored: {
    ...{ type: "tool_result_stored", call: "t1c0", handle, sha256: digest, frames: digest },
    ...{ tool: "search_text", class: "list", chars: 5000, bytes: 5100, lines: 40 },
  },
  projected: {
    ...{ type: "projected", call: "t1c0", handle, exceeded, mode: "enforce", records: null },
    reason: "not_json",
  },
  branched: {
    ...{ type: "branched", call: "t1c0", handle, exceeded, mode: "enforce", outcome: "answered" },
    ...{ failure: null, detail: null, model: "vendor/model-1", policySha256: hash("policy") },
    ...{ requestSha256: hash("branch"), modelCalls: 1, elapsedMs: 30, givenChars: 5000, totalChars: 5000 },
    usage: { inputTokens: 1500, outputTokens: 20, cachedTokens: null },
    estimated: { inputTokens: 1500, outputTokens: 20, estimator: "o200k_base" },
    citations: { given: 2, verified: 2, dropped: 0 },
    ...{ completeness: "complete", continuation: null },
  },
  covered: {
    ...{ type: "covered", call: "t1c0", tool: "search_text", handle, format: "lines" },
    hints: { pointer: null, lines: { headerLines: 0, complete: true }, asked: 10 },
    ...{ budgetBytes: 4096, total: 40, pages: 4, complete: true, limitedBy: "nobody", skipped: 0 },
    page: { first: 1, last: 10, references: [] },
  },
  remembered: remembered("t1c0"),
  redeemed: {
    ...{ type: "redeemed", call: "t1c1", handle, selector: "offset", offset: 0, chars: 100 },
    ...{ totalChars: 5000, matches: null },
  },
  paged: { type: "paged", call: "t1c1", handle, first: 11, last: 20, references: [], total: 40 },
  redemption_refused: { type: "redemption_refused", call: "t1c2", reason: "unknown", given: "claim:0" },
  media_replaced: {
    ...{ type: "media_replaced", turn: 2, why: "age" },
    parts: [{ call: "t1c0", part: 0, handle, text: "An image." }],
  },
  pinned: { type: "pinned", call: "t1c0", isPinned: true },
  forgotten: { type: "forgotten", call: "t1c0", handle, sha256: digest },
  repaired: {
    ...{ type: "repaired", turn: 2, splices: [] },
    repairs: [{ kind: "result_missing", call: "t1c2", detail: "No result came." }],
  },
  aged: {
    ...{ type: "aged", turn: 2, strategy: "cacheAware", decisions: [{ ...cut("t1c0"), level: 1 }] },
    cost: {
      ...{ rule: "pays", profile: { name: "auto", source: "table", prices: null }, requests: 3 },
      ...{ idleSeconds: 2, totalTokens: 1300, spentTokens: 2400, freedTokens: 900, resentTokens: 200 },
      ...{ readTokens: 50, counter: "o200k_base" },
    },
  },
  budgeted: { type: "budgeted", turn: 2, limit: "perTurnChars", cuts: [cut("t1c1")] },
  gated: {
    ...{ type: "gated", turn: 2, verdict: "incomplete", text: "" },
    unread: [{ handle, tool: "search_text", total: 40, inspected: 20 }],
  },
  run_ended: { type: "run_ended", turn: 2, end: "answered", message: "" },
} satisfies Record<EventType, object>;

/** The fixture's events, as a log has them: each a second after the one before. */
export function everyEvent(): readonly Logged[] {
  const order: object[] = [...Object.values(EVENTS)];
  const after = order.findIndex((event) => "type" in event && event.type === "paged") + 1;
  order.splice(after, 0, remembered("t1c1"));
  return logged(order.map((event) => SessionEvent.parse(event)));
}

export const logged = (events: readonly SessionEvent[]): readonly Logged[] =>
  events.map((event, n) => ({ ...event, n, at: 1_764_000_000_000 + n * 1000, origin: "loop" }));

export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** One of the fixture's events, changed. */
export const eventWith = <T extends EventType>(type: T, change: Partial<EventOf<T>> = {}): EventOf<T> =>
  SessionEvent.parse({ ...EVENTS[type], ...change }) as EventOf<T>;
