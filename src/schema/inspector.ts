/** What the inspector's page and the extension host say to each other. A page never has the whole session: only what it shows. */
import * as z from "zod";
import { Direction, Handle } from "./claim";
import { RequestView } from "./requestView";
import { CallView, FILL_KINDS, SessionHead, TurnView } from "./view";
import { WhatIfKnobs, WhatIfSeries } from "./whatIf";

const size = z.int().nonnegative();
const session = z.string().max(64);

/** An increment is at most so large, and tells only what changed. */
export const INCREMENT_BYTES = 4096;
/** Rows and turns that a page may ask for at once. */
export const ROWS_AT_ONCE = 200;
export const TURNS_AT_ONCE = 40;
/** Of a text in one message; the rest is asked for in windows. */
export const WINDOW_CHARS = 16_384;

export const SessionRow = z.object({
  session: z.string(),
  title: z.string(),
  startedAt: z.int(),
  running: z.boolean(),
  kind: SessionHead.shape.kind,
});
export type SessionRow = z.infer<typeof SessionRow>;

/** A turn that is closed in the tree: one row. `at` is its place among the turns, from 0. */
export const TurnRow = z.object({
  at: size,
  turn: size,
  text: z.string(), // what was asked, called or said, at most 160 chars
  isAsked: z.boolean(), // the person's words
  tone: z.enum(["plain", "busy", "warning", "error"]),
  startedAt: z.int().nullable(), // of its request, Unix milliseconds
  tokens: size.nullable(), // of its request
  calls: size,
  stored: size,
  shortened: size,
  lowered: size,
});
export type TurnRow = z.infer<typeof TurnRow>;

/** One column of the plot: of the turns that it stands for, the one with the largest request. */
export const PlotColumn = z.object({
  at: size,
  turn: size,
  tokens: z.array(size).length(FILL_KINDS.length),
  naive: size,
  isEstimate: z.boolean(),
});
export type PlotColumn = z.infer<typeof PlotColumn>;

/** Column i stands for the turns from i × turnsPerColumn on, a power of two; at most MAXIMUM_COLUMNS of them. */
export const MAXIMUM_COLUMNS = 256;
export const Plot = z.object({ turnsPerColumn: z.int().positive(), columns: z.array(PlotColumn.nullable()) });
export type Plot = z.infer<typeof Plot>;

/** A part of a text; offsets in units of the host's. `next`: the offset to ask for what follows; null: nothing does. */
export const TextWindow = z.object({
  text: z.string(),
  offset: size,
  totalChars: size,
  next: size.nullable(),
});
export type TextWindow = z.infer<typeof TextWindow>;

/** One row's details: its texts, why it is so, and the events that say it. */
export const Details = z.object({
  key: z.string(),
  /** What the tool returned, and what of it the model was shown first, and is shown now; null where there is no such text. */
  returned: TextWindow.nullable(),
  shown: TextWindow.nullable(),
  now: TextWindow.nullable(), // null: as it was shown
  texts: z.array(z.object({ label: z.string(), text: TextWindow })),
  why: z
    .object({
      rule: z.string(), // a sentence
      setting: z.string().nullable(), // "cloakroom.claimCheck.thresholdChars"
      n: size,
      type: z.string(),
    })
    .nullable(),
  events: z.array(z.object({ n: size, type: z.string(), at: z.int(), json: z.string() })), // each at most 8000 chars
  problem: z.string().nullable(), // why a text is not there
});
export type Details = z.infer<typeof Details>;

/** What is looked for; all that is given must hold. Sizes: chars of the result, as the tool returned it. */
export const FindQuery = z.object({
  text: z.string().max(1000),
  tool: z.string().max(200).nullable(),
  state: z
    .enum([
      "stored",
      "shortened",
      "lowered",
      "proposed",
      "refused",
      "failed",
      "pinned",
      "incomplete",
      "readBack",
    ])
    .nullable(),
  kind: z.enum(["asked", "reply", "call", "note"]).nullable(),
  minimumChars: size.nullable(),
});
export type FindQuery = z.infer<typeof FindQuery>;

/** Turns that have something that was looked for, by place, and the keys of the rows in them (at most 20 of a turn). */
export const Found = z.object({
  turns: z.array(z.object({ at: size, keys: z.array(z.string()) })),
  total: size, // rows; more than are named where there are too many
  isCut: z.boolean(),
});
export type Found = z.infer<typeof Found>;

/** A window of a stored content. Offsets in code points; `line` is that of its first character, from 1, of `totalLines`. */
export const ContentWindow = z.object({
  handle: Handle,
  tool: z.string(),
  text: z.string(),
  offset: size,
  totalChars: size,
  totalBytes: size,
  line: z.int().positive().nullable(),
  totalLines: size.nullable(),
});
export type ContentWindow = z.infer<typeof ContentWindow>;

/** How looking for a text ended; `wrapped`: it went on at the other end of the content. */
export const SearchEnd = z.enum(["found", "wrapped", "nothing"]);
export type SearchEnd = z.infer<typeof SearchEnd>;

/** Costs in tokens of input at the price of what is not cached. */
export const AnalysisSummary = z.object({
  agent: z.string().nullable(), // whose file it is; null: a session of ours
  sentence: z.string(),
  lines: z.array(z.string()), // as the command line prints them
});
export type AnalysisSummary = z.infer<typeof AnalysisSummary>;

/** Host to page. */
export const ToView = z.discriminatedUnion("type", [
  /** The sessions there are, and which is selected. `problem`: what keeps the list from being read, with the next step. */
  z.object({
    type: z.literal("sessions"),
    sessions: z.array(SessionRow),
    selected: z.string().nullable(),
    problem: z.string().nullable(),
    isFirstStored: z.boolean(), // stored results were not explained to this person yet
  }),
  /** A session came into view: all that a page begins with. */
  z.object({
    type: z.literal("opened"),
    head: SessionHead,
    turnCount: size,
    rows: z.array(TurnRow), // the newest
    newest: TurnView.nullable(), // the newest turn, open
    plot: Plot,
  }),
  /** What changed; `key`s of calls are "t3c0". A turn or call that is too large is only named: the page asks for it. */
  z.object({
    type: z.literal("changed"),
    session,
    head: SessionHead.partial().nullable(),
    turnCount: size,
    rows: z.array(TurnRow),
    turns: z.array(z.object({ at: size, turn: TurnView.omit({ calls: true }) })),
    calls: z.array(z.object({ at: size, place: size, call: CallView })),
    columns: z.array(PlotColumn),
    stale: z.array(size), // turns, by place, that the page has to ask for again if it shows them
  }),
  z.object({ type: z.literal("rows"), session, rows: z.array(TurnRow) }),
  z.object({ type: z.literal("turns"), session, turns: z.array(z.object({ at: size, turn: TurnView })) }),
  z.object({ type: z.literal("details"), session, details: Details }),
  z.object({ type: z.literal("text"), session, key: z.string(), part: z.string(), text: TextWindow }),
  z.object({ type: z.literal("found"), session, query: z.int(), found: Found }),
  z.object({
    type: z.literal("request"),
    session,
    request: RequestView.nullable(),
    problem: z.string().nullable(),
  }),
  z.object({ type: z.literal("message"), session, turn: size, at: z.int(), text: TextWindow }),
  z.object({
    type: z.literal("content"),
    session,
    window: ContentWindow.nullable(),
    match: z.object({ offset: size, chars: size }).nullable(), // what was looked for, in code points of the content
    search: SearchEnd.nullable(), // null: nothing was looked for
    problem: z.string().nullable(),
  }),
  z.object({
    type: z.literal("whatIf"),
    session,
    query: z.int(),
    knobs: WhatIfKnobs,
    defaults: WhatIfKnobs,
    series: WhatIfSeries.nullable(),
    problem: z.string().nullable(),
  }),
  z.object({ type: z.literal("analysis"), session, analysis: AnalysisSummary }),
  /** A link, a command or a badge leads to a row. */
  z.object({ type: z.literal("reveal"), session, key: z.string() }),
]);
export type ToView = z.infer<typeof ToView>;
export type ToViewOf<T extends ToView["type"]> = Extract<ToView, { type: T }>;

const key = z.string().max(200);
const call = z.string().max(40);

/** Page to host. Parsed on arrival: a webview is outside the house. It asks for things by name, never for a command id. */
export const FromView = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  // What is shown.
  z.object({ type: z.literal("selectSession"), session }),
  z.object({ type: z.literal("wantRows"), session, from: size, count: z.int().min(1).max(ROWS_AT_ONCE) }),
  z.object({ type: z.literal("wantTurns"), session, places: z.array(size).max(TURNS_AT_ONCE) }),
  z.object({ type: z.literal("wantDetails"), session, key }),
  z.object({ type: z.literal("wantText"), session, key, part: z.string().max(40), offset: size }),
  z.object({ type: z.literal("find"), session, query: z.int(), what: FindQuery }),
  z.object({ type: z.literal("wantRequest"), session, turn: size, from: size }),
  z.object({ type: z.literal("wantMessage"), session, turn: size, at: z.int().min(-2), offset: size }),
  /** Leads to the row that an event stands in. */
  z.object({ type: z.literal("revealEvent"), session, n: size }),
  z.object({ type: z.literal("wantContent"), session, handle: Handle, offset: size }),
  z.object({
    type: z.literal("findInContent"),
    session,
    handle: Handle,
    text: z.string().min(1).max(1000),
    direction: Direction,
    offset: size, // next: from here on; previous: before here
    shown: size, // where the window is that stays when nothing is found
  }),
  /** From a line on; from the last where there are fewer. */
  z.object({ type: z.literal("wantLine"), session, handle: Handle, line: z.int().positive() }),
  z.object({ type: z.literal("whatIf"), session, query: z.int(), knobs: WhatIfKnobs.nullable() }), // null: as it is
  // Acts.
  z.object({ type: z.literal("startSession") }),
  z.object({ type: z.literal("analyzeSession") }),
  z.object({ type: z.literal("continueSession"), session }),
  z.object({ type: z.literal("stopSession"), session }),
  z.object({ type: z.literal("answerQuestion") }),
  z.object({ type: z.literal("openStored"), session, handle: Handle }),
  z.object({ type: z.literal("copyHandle"), session, handle: Handle }),
  z.object({ type: z.literal("copyLink"), session, key }),
  z.object({ type: z.literal("pin"), session, call, isPinned: z.boolean() }),
  z.object({ type: z.literal("shorten"), session, call }),
  z.object({ type: z.literal("forget"), session, handle: Handle }),
  z.object({ type: z.literal("runAgain"), session, call }),
  z.object({ type: z.literal("forkSession"), session, turn: size }),
  z.object({ type: z.literal("exportSession"), session }),
  z.object({ type: z.literal("verifySession"), session }),
  z.object({ type: z.literal("setIntent"), session }),
  z.object({ type: z.literal("setResultLimits") }),
  z.object({ type: z.literal("reviewResultLimits") }),
  z.object({
    type: z.literal("openSetting"),
    setting: z
      .string()
      .regex(/^cloakroom(\.[a-zA-Z]+)+$/)
      .max(80),
  }),
  z.object({ type: z.literal("applySettings"), session, knobs: WhatIfKnobs }),
  z.object({ type: z.literal("openInEditor"), session }),
  z.object({ type: z.literal("openTranscript"), session }),
  z.object({ type: z.literal("explained") }), // stored results were explained
]);
export type FromView = z.infer<typeof FromView>;
