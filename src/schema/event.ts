/**
 * Read this second, after agent/turn.ts: the session log's vocabulary. One event per step, in the past tense.
 * What the model is sent, what the inspector shows, receipts and replays are folds over these and nothing else.
 * Sizes: chars = code points, bytes = UTF-8. `call` is ours ("t3c0": turn 3, first call), never the model's id.
 */
import * as z from "zod";
import { Branch, Projection } from "./branch";
import { Claim, Digest, Handle, RefusalReason, Selector } from "./claim";
import { CountedTokens, CutCost, RequestFills, ReusedPrefix } from "./cost";
import { Completeness, ListFormat, ListHints } from "./coverage";
import { MediaShown, Message } from "./message";
import { ModelInfo, Usage } from "./model";
import { ContractCheck, Intent, OperatorExemption, PolicyArtifact, PolicyIdentity, Proposal } from "./policy";
import { CoreSettings } from "./settings";
import { ToolClass, ToolSpec } from "./tool";

const turn = z.int().nonnegative();
const call = z.string();
const size = z.int().nonnegative();

/** First event of every log. The salt scopes handles to the session (CONFORMANCE §1, Handle). */
const SessionStarted = z.object({
  type: z.literal("session_started"),
  format: z.literal(1),
  session: z.string(),
  tenant: z.string(),
  workspace: z.string(), // display name
  title: z.string(),
  salt: z.string().regex(/^[0-9a-f]{32}$/),
  /** Another session that this one began as. An import is read-only: going on with it forks it. */
  from: z
    .object({
      kind: z.enum(["fork", "import"]),
      session: z.string(),
      /** Another program's transcript: its format, and what of it could not be taken over, for people. */
      transcript: z.object({ format: z.string(), notes: z.array(z.string()) }).optional(),
    })
    .optional(),
});

/**
 * Stored results of another session that are this one's now, under the handles they had: valid here although derived
 * with another salt (CONFORMANCE §1, Handle). `missing` is content that was not there to be copied.
 */
const Adopted = z.object({
  type: z.literal("adopted"),
  from: z.string(), // the other session's id
  claims: z.array(Claim),
  missing: z.array(Digest),
  copied: size.optional(), // events of the other session that follow, as they were; absent: a log from before
});

/** Everything but the conversation that shapes a request or a decision. Recorded at the start and whenever it changes. */
const Configured = z.object({
  type: z.literal("configured"),
  model: ModelInfo,
  system: z.string(),
  tools: z.array(ToolSpec),
  settings: CoreSettings,
  policy: PolicyArtifact,
  policyIdentity: PolicyIdentity,
  intent: Intent.nullable(),
  // Absent: there are none.
  exemptions: z.array(OperatorExemption).optional(),
  contractChecks: z.array(ContractCheck).optional(), // of the policy's sources against the tools that are there
  mismatched: z.array(z.string()).optional(), // tools whose contracts were all written for another one
  policyNotes: z.array(z.string()).optional(), // what is to be told of the policy's sources
});

/** The session was opened again, by another window or after a restart. */
const Resumed = z.object({ type: z.literal("resumed"), turn });

/** The person's words. */
const Asked = z.object({ type: z.literal("asked"), turn, text: z.string() });

/** A request left. `sha256` is over the canonical JSON of { system, tools, messages }: resuming must rebuild the same. */
const Requested = z.object({
  type: z.literal("requested"),
  turn,
  model: z.string(),
  messages: size,
  chars: size,
  bytes: size,
  imageBytes: size.optional(), // of the images that went with it; absent: none did
  sha256: Digest.optional(), // absent: another program sent it, and nobody wrote down what
  prefix: ReusedPrefix.optional(), // absent: as above, or a log from before
  fills: RequestFills.optional(), // absent: as `prefix`
});

export const ReplyCall = z.object({ call, id: z.string(), name: z.string(), arguments: z.string() });
export type ReplyCall = z.infer<typeof ReplyCall>;

/** A reply ended. A stop or a failure keeps the text so far and whole calls only. */
const Replied = z.object({
  type: z.literal("replied"),
  turn,
  text: z.string(),
  calls: z.array(ReplyCall),
  end: z.enum(["answered", "calls", "stopped", "failed"]),
  error: z.string().nullable(),
  usage: Usage.nullable(),
  elapsedMs: z.int().nonnegative(),
});

/** Thimble's proposal. Arguments: the bytes the model wrote, and what would run. Alone: the call never started. */
const Clamped = z.object({
  type: z.literal("clamped"),
  call,
  tool: z.string(),
  argumentsSource: z.enum(["raw", "parsed"]),
  effectiveArguments: z.string().nullable(), // null = as the model wrote them
  proposal: Proposal,
});

/** Refused: the call never started. Granted without `executed`: it may have run in part. */
const Authorised = z.object({
  type: z.literal("authorised"),
  call,
  granted: z.boolean(),
  by: z.enum(["rule", "user", "session", "check"]), // session = allowed for the whole session by the user
  reason: z.string(),
});

/** The tool came back. No output here: it has not crossed the boundary yet. */
const Executed = z.object({
  type: z.literal("executed"),
  call,
  outcome: z.enum(["ok", "failed", "unknown"]),
  code: z.string().nullable(),
  items: size.nullable(),
  elapsedMs: z.int().nonnegative(),
});

/** The result became safe text: what was changed on the way, counted (CONFORMANCE §0.1). */
const Redacted = z.object({
  type: z.literal("redacted"),
  call,
  refused: z.string().nullable(), // why the boundary refused the result; it is then never stored
  forgedMarkers: size,
  loneSurrogates: size,
  secrets: z.record(z.string(), size), // by kind of secret
});

/** What came back, measured after execution (seed 003 §Metrics). */
const Measured = z.object({
  type: z.literal("measured"),
  call,
  items: size.nullable(),
  chars: size,
  bytes: size,
  mediaBytes: size.optional(), // of what is not text; absent: there was none
  tokensEstimated: size,
  estimator: z.string(),
});

/** A result was checked in: the whole safe text, or one part that is not text, is on disk under its digest (seed 000). */
const ToolResultStored = z.object({
  type: z.literal("tool_result_stored"),
  call,
  ...Claim.omit({ forgotten: true }).shape,
});

/** A stored result exceeded its envelope; whether its first records can stand for it (seed 003 §Micro-context branch). */
const Projected = z.object({ type: z.literal("projected"), call, ...Projection.shape });

/** A stored result was given to a context of its own, with the question, or would have been. No event is of the child. */
const Branched = z.object({ type: z.literal("branched"), call, ...Branch.shape });

/** Records `first` to `last` of a list; those of `references` only by their digest. Below `first`: a list of nothing. */
const PageShown = z.object({ first: size, last: size, references: z.array(size) });

/**
 * A stored result is a list, and its first page stands in its place (CONFORMANCE §6). `hints` and `budgetBytes` make the
 * same pages of the stored content again. `skipped`: records that the source has and our limit left out.
 */
const Covered = z.object({
  type: z.literal("covered"),
  call,
  tool: z.string(),
  handle: Handle,
  format: ListFormat,
  hints: ListHints,
  budgetBytes: z.int().positive(),
  total: size,
  pages: size,
  complete: Completeness,
  limitedBy: z.enum(["nobody", "our_clamp", "server_cap", "tool_limit", "asked_for", "unknown"]),
  skipped: size,
  page: PageShown,
});

/** A page of a list was read back. */
const Paged = z.object({ type: z.literal("paged"), call, handle: Handle, ...PageShown.shape, total: size });

/**
 * The model answered while records of its lists were unread, and the person wants everything. `say`: it was told so, once,
 * and goes on; `incomplete`: it answered all the same, and the answer is marked.
 */
const Gated = z.object({
  type: z.literal("gated"),
  turn,
  verdict: z.enum(["say", "incomplete"]),
  text: z.string(), // what was said; empty where nothing was
  unread: z.array(z.object({ handle: Handle, tool: z.string(), total: size, inspected: size })),
});

/** How a result entered the conversation. Decided once: these bytes are what every later request carries. */
const Remembered = z.object({
  type: z.literal("remembered"),
  call,
  shown: z.enum(["inline", "ticket", "page", "projection", "branch", "cut", "window", "refusal"]),
  class: ToolClass,
  limitChars: size.nullable(), // the limit that decided; null where none applied
  why: z.string(),
  handle: Handle.nullable(),
  isError: z.boolean(),
  tainted: z.literal(true).optional(), // came from outside: what `text` has of it is fenced
  text: z.string(),
  media: z.array(MediaShown).optional(),
});

/** A handle was read back (the model sees the window as the call's result). */
const Redeemed = z.object({
  type: z.literal("redeemed"),
  call,
  handle: Handle,
  selector: Selector,
  offset: size,
  chars: size, // of the window; 0 for a search
  totalChars: size,
  matches: size.nullable(), // of a search
  record: size.optional(), // of a list, whose text the window is of; absent: of the whole content
});

/** A handle was not read back. The model sees one refusal; the reason is here. */
const RedemptionRefused = z.object({
  type: z.literal("redemption_refused"),
  call,
  reason: RefusalReason,
  given: z.string(), // at most 80 chars of what the model gave
});

/** One repair of the history, for people; the splices say what it did to the messages. */
export const Repair = z.object({
  kind: z.enum([
    "result_missing",
    "result_orphaned",
    "call_duplicated",
    "call_renamed",
    "call_without_id",
    "result_moved",
    "result_duplicated",
  ]),
  call: call.nullable(),
  detail: z.string(),
});
export type Repair = z.infer<typeof Repair>;

/** Messages [at, at + remove) become `insert`; a number stands for the message at that index before the repair. */
export const Splice = z.object({
  at: size,
  remove: size,
  insert: z.array(z.union([size, Message])),
});
export type Splice = z.infer<typeof Splice>;

/** The durable history was made valid for the provider (seed 001 §Pareamento, CONFORMANCE §2). */
const Repaired = z.object({
  type: z.literal("repaired"),
  turn,
  repairs: z.array(Repair),
  splices: z.array(Splice), // in ascending order, indices before the repair
});

/** One result shortened after it was shown; the whole is stored under `handle`. */
export const Shortening = z.object({
  call,
  handle: Handle,
  text: z.string(),
  charsBefore: size,
  charsAfter: size,
});
export type Shortening = z.infer<typeof Shortening>;

/**
 * Old results were shortened (CONFORMANCE §4): as each fell due; because it pays, and then with its cost; because the
 * provider refused a request of that size; because the person wanted it.
 */
const Aged = z.object({
  type: z.literal("aged"),
  turn,
  strategy: z.enum(["age", "cacheAware", "recovery", "person"]),
  decisions: z.array(Shortening.extend({ level: z.union([z.literal(1), z.literal(2)]) })),
  cost: CutCost.optional(),
});

/** The person wants a result to stay as it is, or no longer does. */
const Pinned = z.object({ type: z.literal("pinned"), call, isPinned: z.boolean() });

/**
 * The person deleted a stored result; recorded before its content goes, so that whoever opens the session next finishes
 * it. `call`: whose result it is in the conversation; null: of none that is there. Storing the same again ends it.
 */
const Forgotten = z.object({
  type: z.literal("forgotten"),
  call: call.nullable(),
  handle: Handle,
  sha256: Digest,
});

/** A request did not fit, and one step was taken to make the next one smaller (CONFORMANCE §4, Overflow recovery). */
const Overflowed = z.object({
  type: z.literal("overflowed"),
  turn,
  step: z.enum(["budgets", "age", "blocks"]),
  tokensBefore: size,
  tokensAfter: size,
  counter: z.string(),
});

/** A stored result whose messages left the conversation, as the note in their place names it. */
const Removed = z.object({ tool: z.string(), subject: z.string(), handle: Handle });
export type Removed = z.infer<typeof Removed>;

/** The oldest blocks of the conversation left it; the log keeps them. What left before is counted and named again. */
const Pruned = z.object({
  type: z.literal("pruned"),
  turn,
  messages: size, // that left, so far
  named: z.array(Removed), // the newest of their stored results
  unnamed: size, // how many older ones there are
  naive: CountedTokens.optional(), // of all that left so far, as in `RequestFills`; absent: a log from before
  splices: z.array(Splice),
});

/** Results of the last turn were shortened because the turn was over its budget (CONFORMANCE §3). */
const Budgeted = z.object({
  type: z.literal("budgeted"),
  turn,
  limit: z.enum(["perResultChars", "perTurnChars", "perTurnBytes"]),
  cuts: z.array(Shortening),
});

/** Why an image is a line from now on: CONFORMANCE §3, §4, C25. `failed`: no reply came to the one request that had it. */
export const MediaReason = z.enum([
  "model",
  "failed",
  "age",
  "perTurnBytes",
  "missing",
  "corrupt",
  "unreadable",
]);
export type MediaReason = z.infer<typeof MediaReason>;

/** Images became lines before a request, for good. `part`: its place among the media of its result. */
const MediaReplaced = z.object({
  type: z.literal("media_replaced"),
  turn,
  why: MediaReason,
  parts: z.array(z.object({ call, part: size, handle: Handle, text: z.string() })),
});

/** Something on disk was mended when the session was opened. */
const Recovered = z.object({
  type: z.literal("recovered"),
  what: z.enum(["log_tail", "claim_index"]),
  detail: z.string(),
});

/** A run of the loop is over. The session can go on. */
const RunEnded = z.object({
  type: z.literal("run_ended"),
  turn,
  end: z.enum(["answered", "stopped", "failed", "turn_limit"]),
  message: z.string(),
});

export const SessionEvent = z.discriminatedUnion("type", [
  SessionStarted,
  Adopted,
  Configured,
  Resumed,
  Asked,
  Requested,
  Replied,
  Clamped,
  Authorised,
  Executed,
  Redacted,
  Measured,
  ToolResultStored,
  Projected,
  Branched,
  Covered,
  Paged,
  Gated,
  Remembered,
  Redeemed,
  RedemptionRefused,
  Repaired,
  Aged,
  Pinned,
  Forgotten,
  Overflowed,
  Pruned,
  Budgeted,
  MediaReplaced,
  Recovered,
  RunEnded,
]);
export type SessionEvent = z.infer<typeof SessionEvent>;
export type EventType = SessionEvent["type"];
export type EventOf<T extends EventType> = Extract<SessionEvent, { type: T }>;

/** Who made an event: this loop, or another agent that used the same core (ARCHITECTURE, The one idea). */
export const Origin = z.enum(["loop", "gateway", "wrapper", "import"]);
export type Origin = z.infer<typeof Origin>;

/** What the log adds to an event: its place, its time, its maker. `at` is Unix time in milliseconds. */
export const Stamp = z.object({ n: z.int().nonnegative(), at: z.int(), origin: Origin });
export type Logged = SessionEvent & z.infer<typeof Stamp>;

/** A fold over the log. `reduce` may change the state that it is given, and hands it on: whoever keeps a state copies it. */
export type Fold<State> = {
  begin(): State;
  reduce(state: State, event: Logged): State;
};
