/** What the inspector shows: a session as a fold of its log. Texts are cut here; the log has them whole. */
import * as z from "zod";
import { Branch, Exceeded, ProjectedRecords, ProjectionReason } from "./branch";
import { Handle, RefusalReason, Selector } from "./claim";
import { CutCost, ReusedPrefix } from "./cost";
import { Completeness } from "./coverage";
import { Repair } from "./event";
import { LimitMode } from "./policy";
import { Receipt } from "./receipt";
import { ToolClass } from "./tool";

const size = z.int().nonnegative();
/** The event that says so: its place in the log. */
const n = z.int().nonnegative();

/** What the tokens of a request are, in the order in which they are stacked. */
export const FILL_KINDS = [
  "system",
  "tools",
  "user",
  "assistant",
  "inline",
  "heads",
  "tickets",
  "aged",
] as const;
export type FillKind = (typeof FILL_KINDS)[number];

/**
 * Tokens of one request by kind, in the order of FILL_KINDS. `naive`: of the same request with every result whole and
 * nothing read back. `counter` names what counted; `isEstimate`: the log has no counts, and characters were divided.
 */
export const RequestFill = z.object({
  tokens: z.array(size).length(FILL_KINDS.length),
  naive: size,
  counter: z.string(),
  isEstimate: z.boolean(),
});
export type RequestFill = z.infer<typeof RequestFill>;

/** One tool call in the inspector: what was asked, decided, returned and shown. */
export const CallView = z.object({
  call: z.string(),
  n, // of the reply that asked for it
  tool: z.string(),
  arguments: z.string(), // as the model wrote them, at most 300 chars
  state: z.enum(["proposed", "waiting", "running", "done", "refused", "failed", "interrupted"]),
  receipt: Receipt.nullable(),
  authorised: z.object({ granted: z.boolean(), by: z.string(), reason: z.string() }).nullable(),
  elapsedMs: size.nullable(),
  result: z
    .object({
      n,
      shown: z.enum(["inline", "ticket", "page", "projection", "branch", "cut", "window", "refusal"]),
      class: ToolClass,
      why: z.string(),
      isError: z.boolean(),
      shownChars: size,
      text: z.string(), // what the model was shown, at most 300 chars
    })
    .nullable(),
  stored: z
    .object({
      n,
      handle: Handle,
      chars: size,
      bytes: size,
      lines: size,
      /** Calls that read it back, newest last, at most 50; `readBacks` counts them all. */
      readBy: z.array(z.string()),
      readBacks: size,
      isForgotten: z.boolean(), // the person deleted its content
    })
    .nullable(),
  /** Larger than its envelope, and what was done, or under `observe` would have been; null: within, or let pass. */
  response: z
    .object({
      exceeded: Exceeded,
      mode: LimitMode,
      records: ProjectedRecords.nullable(),
      reason: ProjectionReason.nullable(),
      branch: Branch.pick({
        outcome: true,
        failure: true,
        detail: true,
        model: true,
        elapsedMs: true,
        givenChars: true,
        totalChars: true,
        citations: true,
        completeness: true,
      })
        .extend({ inputTokens: size.nullable(), outputTokens: size.nullable() })
        .nullable(),
    })
    .nullable(),
  /** Parts that are not text. `stored`: the model was not shown the result yet; `text` is the line that it was shown. */
  media: z.array(
    z.object({
      handle: Handle.nullable(),
      mediaType: z.string(),
      bytes: size,
      shown: z.enum(["stored", "image", "line"]),
      text: z.string(),
    }),
  ),
  redeemed: z
    .object({
      handle: Handle,
      selector: Selector,
      offset: size,
      chars: size,
      totalChars: size,
      matches: size.nullable(),
    })
    .nullable(),
  refusal: z.object({ reason: RefusalReason, given: z.string() }).nullable(),
  tainted: z.boolean(), // what the model was shown of it, or is stored, came from outside
  changes: z.object({
    forgedMarkers: size,
    loneSurrogates: size,
    secrets: size,
    refused: z.string().nullable(),
  }),
  isPinned: z.boolean(),
  pinnedBy: n.nullable(), // the last event that pinned or unpinned it
  /** Records of a list that the call's result has: `first` below `last` + 1, or none. */
  page: z.object({ handle: Handle, first: size, last: size, references: size, total: size }).nullable(),
  shortened: z.array(
    z.object({
      n,
      by: z.enum(["age", "budget", "recovery", "person"]),
      turn: size,
      charsBefore: size,
      charsAfter: size,
      level: z.union([z.literal(1), z.literal(2)]).nullable(), // 2: to a line; null: by a budget
      handle: Handle,
      cost: CutCost.nullable(), // of all that was cut at once; null: the cost did not decide
    }),
  ),
});
export type CallView = z.infer<typeof CallView>;
export type MediaView = CallView["media"][number];

/** A list of the session: what of it the model was shown, and what it has seen with a reply. */
export const ListView = z.object({
  handle: Handle,
  tool: z.string(),
  total: size,
  returned: size,
  inspected: size,
  available: size,
  skipped: size, // that the source has and nobody asked for
  complete: Completeness,
});
export type ListView = z.infer<typeof ListView>;

/** One step of overflow recovery. */
export const Recovered = z.object({
  n,
  step: z.enum(["budgets", "age", "blocks"]),
  tokensBefore: size,
  tokensAfter: size,
  counter: z.string(),
});
export type Recovered = z.infer<typeof Recovered>;

/** What happened in a turn besides its request, reply and calls, in a sentence. */
export const NoteView = z.object({
  n,
  type: z.string(), // of the event
  tone: z.enum(["plain", "warning"]),
  text: z.string(),
});
export type NoteView = z.infer<typeof NoteView>;

/** One turn: the request, the reply, its calls, and what was done to the history before the request. */
export const TurnView = z.object({
  turn: size,
  asked: z.string().nullable(),
  askedAt: n.nullable(), // the event
  notes: z.array(NoteView),
  request: z
    .object({
      n,
      at: z.int(), // Unix milliseconds
      messages: size,
      chars: size,
      bytes: size,
      imageBytes: size,
      model: z.string(),
      prefix: ReusedPrefix.nullable(),
      fill: RequestFill.nullable(),
    })
    .nullable(),
  reply: z
    .object({
      n,
      text: z.string(),
      end: z.enum(["answered", "calls", "stopped", "failed"]),
      error: z.string().nullable(),
      elapsedMs: size,
      inputTokens: size.nullable(),
      outputTokens: size.nullable(),
      cachedTokens: size.nullable(),
      /** Lists that were not read to their end when this answer came. */
      unread: z.array(ListView),
    })
    .nullable(),
  calls: z.array(CallView),
  repairs: z.array(Repair.extend({ n })),
  recovery: z.array(Recovered), // steps taken because the request did not fit
  ended: z.object({ n, end: z.string(), message: z.string() }).nullable(),
});
export type TurnView = z.infer<typeof TurnView>;

/** A line about result limits; `details` are what it folds. */
export const LimitNotice = z.object({ label: z.string(), text: z.string(), details: z.array(z.string()) });
export type LimitNotice = z.infer<typeof LimitNotice>;

/** What may need a person. `key` is the row that shows it. */
export const ATTENTION_KINDS = ["refused", "recovery", "corrupt", "unread", "damaged"] as const;
export const Attention = z.object({ n, kind: z.enum(ATTENTION_KINDS), key: z.string() });
export type Attention = z.infer<typeof Attention>;

/** Sums over a session. A request that was made only to read something back is none of the naive ones. Costs are in tokens of input at the price of what is not cached. */
export const Totals = z.object({
  calls: size,
  storedResults: size, // that were not deleted
  storedChars: size,
  deletedResults: size, // by the person
  hiddenChars: size, // stored, not shown
  readBacks: size,
  clamped: size,
  proposed: size,
  repairs: size,
  requests: size,
  sentTokens: size, // of all requests
  naiveTokens: size,
  sentCost: z.number(),
  naiveCost: z.number(),
});
export type Totals = z.infer<typeof Totals>;

/** A session without its turns. */
export const SessionHead = z.object({
  session: z.string(),
  kind: z.enum(["own", "imported", "analysed"]), // analysed: another agent's file, looked at where it is
  title: z.string(),
  workspace: z.string(),
  startedAt: z.int(),
  model: z.string(), // display name
  modelId: z.string(),
  windowTokens: size.nullable(), // the most that the model takes; null: nobody says
  mode: LimitMode,
  intent: z.string().nullable(),
  policy: z.string(), // name and version
  policySha256: z.string(),
  priceName: z.string().nullable(), // of the prices that costs are in; null: nobody knows them, and nothing is cached
  running: z.boolean(),
  isStoring: z.boolean(), // results are stored, so that they can be shortened
  notices: z.array(z.string()), // of the session as a whole
  limits: z.array(LimitNotice), // of the newest configuration
  lists: z.array(ListView), // on the wire: at most 12, those that are incomplete first
  listCount: size,
  incompleteLists: size,
  attention: z.array(Attention), // the newest, at most 50
  totals: Totals,
});
export type SessionHead = z.infer<typeof SessionHead>;

export const SessionView = SessionHead.extend({ turns: z.array(TurnView) });
export type SessionView = z.infer<typeof SessionView>;
