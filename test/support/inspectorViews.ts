// test/support: what the inspector is sent, as small literals: sessions of any length, turns, calls, details.
import type { Digest, Handle } from "../../src/schema/claim";
import type { Details, PlotColumn, ToViewOf, TurnRow } from "../../src/schema/inspector";
import type { Receipt } from "../../src/schema/receipt";
import type { CallView, SessionHead, TurnView } from "../../src/schema/view";

const DIGEST = "0".repeat(64) as Digest;
export const handleOf = (n: number): Handle => `claim:${n.toString(16).padStart(32, "0")}` as Handle;

export const headWith = (more: Partial<SessionHead> = {}): SessionHead => ({
  session: "s1",
  kind: "own",
  title: "A session",
  workspace: "sample",
  startedAt: 1_700_000_000_000,
  model: "Scripted",
  modelId: "scripted",
  windowTokens: 128_000,
  mode: "enforce",
  intent: null,
  policy: "thimble/test 1.0.0",
  policySha256: DIGEST,
  priceName: null,
  running: false,
  isStoring: true,
  notices: [],
  limits: [],
  lists: [],
  listCount: 0,
  incompleteLists: 0,
  attention: [],
  totals: {
    calls: 0,
    storedResults: 0,
    deletedResults: 0,
    storedChars: 0,
    hiddenChars: 0,
    readBacks: 0,
    clamped: 0,
    proposed: 0,
    repairs: 0,
    requests: 0,
    sentTokens: 0,
    naiveTokens: 0,
    sentCost: 0,
    naiveCost: 0,
  },
  ...more,
});

export const receiptWith = (more: Partial<Receipt> = {}): Receipt => ({
  decision: "pass",
  reason: "unknown_tool_contract",
  tool: "read_file",
  original_args_sha256: DIGEST,
  effective_args_sha256: DIGEST,
  changes: [],
  policy: { name: "p", version: "1.0.0", sha256: DIGEST, rules_sha256: DIGEST },
  model_round_trips: 0,
  actual: null,
  continuation: null,
  contract: null,
  mode: "enforce",
  exemption: null,
  proposed_changes: [],
  arguments_source: "raw",
  estimator: null,
  ...more,
});

/** Lowered from 500 to 10. */
export const LOWERED = receiptWith({
  decision: "clamp",
  reason: "requested_items_above_policy_maximum",
  changes: [{ path: "/limit", from: 500, to: 10, dimension: "items" }],
});

export const resultWith = (
  text: string,
  more: Partial<NonNullable<CallView["result"]>> = {},
): NonNullable<CallView["result"]> => ({
  n: 9,
  shown: "inline",
  class: "read",
  why: "within its limit",
  isError: false,
  shownChars: text.length,
  text,
  ...more,
});

export const storedWith = (
  more: Partial<NonNullable<CallView["stored"]>> = {},
): NonNullable<CallView["stored"]> => ({
  n: 8,
  handle: handleOf(1),
  chars: 92_112,
  bytes: 92_112,
  lines: 1616,
  readBy: [],
  readBacks: 0,
  isForgotten: false,
  ...more,
});

export const callWith = (call: string, more: Partial<CallView> = {}): CallView => ({
  call,
  n: 4,
  tool: "read_file",
  arguments: '{"path":"docs/contract.md"}',
  state: "done",
  receipt: receiptWith(),
  authorised: { granted: true, by: "rule", reason: "reads run unasked" },
  elapsedMs: 3,
  result: resultWith("The notice period is ninety days."),
  stored: null,
  response: null,
  media: [],
  redeemed: null,
  refusal: null,
  tainted: false,
  changes: { forgedMarkers: 0, loneSurrogates: 0, secrets: 0, refused: null },
  isPinned: false,
  pinnedBy: null,
  page: null,
  shortened: [],
  ...more,
});

/** A result of 92,112 characters that was stored, read back and shortened. */
export const storedCall = (call: string): CallView =>
  callWith(call, {
    result: resultWith("PARTIES\nThe notice period…", { shown: "ticket", why: "over its limit" }),
    stored: storedWith({ readBy: ["t2c0"], readBacks: 1 }),
    shortened: [
      {
        n: 40,
        by: "age",
        turn: 5,
        charsBefore: 749,
        charsAfter: 181,
        level: 2,
        handle: handleOf(1),
        cost: {
          rule: "pays",
          profile: { name: "test", source: "table", prices: { write: 1.25, read: 0.1, ttlSeconds: 300 } },
          requests: 4,
          idleSeconds: 0,
          totalTokens: 9000,
          spentTokens: 20_000,
          freedTokens: 5000,
          resentTokens: 1200,
          readTokens: 10,
          counter: "o200k_base",
        },
      },
    ],
  });

export const turnWith = (turn: number, more: Partial<TurnView> = {}): TurnView => ({
  turn,
  asked: null,
  askedAt: null,
  notes: [],
  request: {
    n: 2,
    at: 1_700_000_000_000 + turn * 1000,
    messages: turn,
    chars: 76 * turn,
    bytes: 80 * turn,
    imageBytes: 0,
    model: "scripted",
    prefix: null,
    fill: null,
  },
  reply: {
    n: 3,
    text: `Reply ${turn}.`,
    end: "answered",
    error: null,
    elapsedMs: 5,
    inputTokens: 100,
    outputTokens: 20,
    cachedTokens: null,
    unread: [],
  },
  calls: [],
  repairs: [],
  recovery: [],
  ended: null,
  ...more,
});

export function rowFrom(at: number, turn: TurnView): TurnRow {
  const { calls, asked, reply } = turn;
  const hasFailed = reply?.end === "failed";
  return {
    at,
    turn: turn.turn,
    text: asked ?? (calls.map(({ tool }) => tool).join(", ") || (reply?.text ?? "")),
    isAsked: asked !== null,
    tone: hasFailed ? "error" : "plain",
    startedAt: turn.request?.at ?? null,
    tokens: 1000,
    calls: calls.length,
    stored: calls.filter(({ stored }) => stored !== null).length,
    shortened: calls.filter(({ shortened }) => shortened.length > 0).length,
    lowered: calls.filter(({ receipt }) => (receipt?.changes.length ?? 0) > 0).length,
  };
}

export const columnOf = (at: number, tokens: number): PlotColumn => ({
  at,
  turn: at + 1,
  tokens: [tokens, 0, 0, 0, 0, 0, 0, 0],
  naive: tokens,
  isEstimate: false,
});

export const detailsWith = (key: string, more: Partial<Details> = {}): Details => ({
  key,
  returned: null,
  shown: null,
  now: null,
  texts: [],
  why: null,
  events: [],
  problem: null,
  ...more,
});

/** A session as a host has it: it makes what is asked for. */
export type FakeSession = {
  readonly head: SessionHead;
  readonly turnCount: number;
  readonly turn: (at: number) => TurnView;
  readonly details: (key: string) => Details;
};

export const sessionOf = (
  turns: readonly TurnView[],
  head: Partial<SessionHead> = {},
  details: (key: string) => Details = (key) => detailsWith(key),
): FakeSession => ({
  head: headWith(head),
  turnCount: turns.length,
  turn: (at) => turns[at] ?? turnWith(at + 1),
  details,
});

/** Every tenth turn was asked; every turn has two calls. */
export const longSession = (turnCount: number, head: Partial<SessionHead> = {}): FakeSession => ({
  head: headWith(head),
  turnCount,
  turn: (at) =>
    turnWith(at + 1, {
      asked: at % 10 === 0 ? `Question ${at / 10 + 1}` : null,
      askedAt: at % 10 === 0 ? 1 : null,
      calls: [callWith(`t${at + 1}c0`), callWith(`t${at + 1}c1`, { tool: "search_text", receipt: LOWERED })],
    }),
  details: (key) => detailsWith(key),
});

/** Five turns with most of what a turn can have. */
export const richTurns = (): TurnView[] => [
  turnWith(1, { asked: "What is the notice period?", askedAt: 1, calls: [storedCall("t1c0")] }),
  turnWith(2, {
    calls: [
      callWith("t2c0", {
        tool: "fetch_result",
        result: resultWith("…ninety days…", { shown: "window" }),
        redeemed: {
          handle: handleOf(1),
          selector: "offset",
          offset: 4096,
          chars: 4096,
          totalChars: 92_112,
          matches: null,
        },
      }),
    ],
  }),
  turnWith(3, {
    notes: [{ n: 20, type: "pinned", tone: "plain", text: "You pinned a result." }],
    calls: [
      callWith("t3c0", { tool: "search_text", receipt: LOWERED }),
      callWith("t3c1", { tool: "run_command", state: "refused", result: null }),
    ],
  }),
  turnWith(4, {
    calls: [
      callWith("t4c0", { changes: { forgedMarkers: 1, loneSurrogates: 0, secrets: 1, refused: null } }),
    ],
  }),
  turnWith(5, { ended: { n: 50, end: "answered", message: "" } }),
];

const NEWEST_ROWS = 100;

/** What the host says first of a session. */
export function openedWith({ head, turnCount, turn }: FakeSession): ToViewOf<"opened"> {
  const from = Math.max(0, turnCount - NEWEST_ROWS);
  const rows = Array.from({ length: turnCount - from }, (_, at) => rowFrom(from + at, turn(from + at)));
  return {
    type: "opened",
    head,
    turnCount,
    rows,
    newest: turnCount === 0 ? null : turn(turnCount - 1),
    plot: { turnsPerColumn: 1, columns: [] },
  };
}

export const sessionsWith = (
  heads: readonly SessionHead[],
  more: Partial<ToViewOf<"sessions">> = {},
): ToViewOf<"sessions"> => ({
  type: "sessions",
  sessions: heads.map(({ session, title, startedAt, running, kind }) => ({
    session,
    title,
    startedAt,
    running,
    kind,
  })),
  selected: heads[0]?.session ?? null,
  problem: null,
  isFirstStored: false,
  ...more,
});
