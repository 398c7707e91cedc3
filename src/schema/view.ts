/** What the inspector shows, and what it and the extension host say to each other. */
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

/** One tool call in the inspector: what was asked, decided, returned and shown. */
export const CallView = z.object({
  call: z.string(),
  tool: z.string(),
  arguments: z.string(), // as the model wrote them, at most 2000 chars
  state: z.enum(["proposed", "waiting", "running", "done", "refused", "failed", "interrupted"]),
  receipt: Receipt.nullable(),
  authorised: z.object({ granted: z.boolean(), by: z.string(), reason: z.string() }).nullable(),
  elapsedMs: size.nullable(),
  result: z
    .object({
      shown: z.enum(["inline", "ticket", "page", "projection", "branch", "cut", "window", "refusal"]),
      class: ToolClass,
      why: z.string(),
      isError: z.boolean(),
      shownChars: size,
      text: z.string(), // what the model was shown, at most 4000 chars
    })
    .nullable(),
  stored: z.object({ handle: Handle, chars: size, bytes: size, lines: size, readBacks: size }).nullable(),
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
  /** Records of a list that the call's result has: `first` below `last` + 1, or none. */
  page: z.object({ handle: Handle, first: size, last: size, references: size, total: size }).nullable(),
  shortened: z.array(
    z.object({
      by: z.enum(["age", "budget", "recovery", "person"]),
      turn: size,
      charsAfter: size,
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
  step: z.enum(["budgets", "age", "blocks"]),
  tokensBefore: size,
  tokensAfter: size,
  counter: z.string(),
});
export type Recovered = z.infer<typeof Recovered>;

/** One turn: the request, the reply, its calls, and what was done to the history before the request. */
export const TurnView = z.object({
  turn: size,
  asked: z.string().nullable(),
  request: z
    .object({
      messages: size,
      chars: size,
      bytes: size,
      imageBytes: size,
      model: z.string(),
      prefix: ReusedPrefix.nullable(),
    })
    .nullable(),
  reply: z
    .object({
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
  repairs: z.array(Repair),
  recovery: z.array(Recovered), // steps taken because the request did not fit
  ended: z.object({ end: z.string(), message: z.string() }).nullable(),
});
export type TurnView = z.infer<typeof TurnView>;

/** A line about result limits; `details` are what it folds. */
export const LimitNotice = z.object({ label: z.string(), text: z.string(), details: z.array(z.string()) });
export type LimitNotice = z.infer<typeof LimitNotice>;

export const SessionView = z.object({
  session: z.string(),
  title: z.string(),
  workspace: z.string(),
  startedAt: z.int(),
  model: z.string(), // display name
  modelId: z.string(),
  mode: LimitMode,
  policy: z.string(), // name and version
  policySha256: z.string(),
  running: z.boolean(),
  turns: z.array(TurnView),
  notices: z.array(z.string()), // what was mended when the session was opened
  limits: z.array(LimitNotice), // of the newest configuration
  lists: z.array(ListView),
  totals: z.object({
    calls: size,
    storedResults: size,
    storedChars: size,
    hiddenChars: size, // stored, not shown
    readBacks: size,
    clamped: size,
    proposed: size,
    repairs: size,
  }),
});
export type SessionView = z.infer<typeof SessionView>;

export const SessionRow = z.object({
  session: z.string(),
  title: z.string(),
  startedAt: z.int(),
  running: z.boolean(),
});
export type SessionRow = z.infer<typeof SessionRow>;

/** `problem`: the one thing that keeps the inspector from showing a session, with the next step. */
export const InspectorState = z.object({
  sessions: z.array(SessionRow),
  selected: SessionView.nullable(),
  problem: z.string().nullable(),
});
export type InspectorState = z.infer<typeof InspectorState>;

/** Host to view. The host sends the whole state: the view never merges. */
export const ToView = z.discriminatedUnion("type", [
  z.object({ type: z.literal("state"), state: InspectorState }),
]);
export type ToView = z.infer<typeof ToView>;

/** View to host. Parsed on arrival: a webview is outside the house. It asks for things by name, never for a command id. */
export const FromView = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("selectSession"), session: z.string().max(64) }),
  z.object({ type: z.literal("openStored"), session: z.string().max(64), handle: Handle }),
  z.object({ type: z.literal("startSession") }),
  z.object({ type: z.literal("continueSession"), session: z.string().max(64) }),
  z.object({ type: z.literal("stopSession"), session: z.string().max(64) }),
  z.object({ type: z.literal("setResultLimits") }),
]);
export type FromView = z.infer<typeof FromView>;
