/** The inspector is a fold over the log: what the log does not say is not shown, and every event is shown somewhere. */
import { type CoverageState, coverageFold } from "../coverage/fold";
import { countsFrom, isUnread } from "../coverage/gate";
import { turnOfCall } from "../history/fold";
import type { Handle } from "../schema/claim";
import type { CutCost } from "../schema/cost";
import type { EventOf, Fold, Logged, Shortening } from "../schema/event";
import { unreachable } from "../schema/failure";
import { charLength } from "../schema/text";
import type { CallView, ListView, Recovered, SessionView, TurnView } from "../schema/view";
import { type ReceiptState, receiptFold, receiptOf } from "../thimble/receipt";
import { branched, projected } from "./apart";
import { limitNotices } from "./limits";
import { mediaReplaced, mediaShown, mediaStored } from "./media";

export type InspectorFold = {
  readonly view: SessionView | null;
  readonly receipts: ReceiptState;
  readonly coverage: CoverageState;
};

const ARGUMENTS_CHARS = 2000;
const TEXT_CHARS = 4000;

export const inspectorFold: Fold<InspectorFold> = {
  begin: () => ({ view: null, receipts: receiptFold.begin(), coverage: coverageFold.begin() }),
  reduce(state, event) {
    const receipts = receiptFold.reduce(state.receipts, event);
    const coverage = coverageFold.reduce(state.coverage, event);
    if (event.type === "session_started") return { view: started(event), receipts, coverage };
    if (state.view === null) return { view: null, receipts, coverage };
    const reduced = reduceView(state.view, event);
    const view = coverage === state.coverage ? reduced : withLists(reduced, event, coverage);
    const call = "call" in event ? event.call : null;
    const receipt = call === null ? undefined : receiptOf(receipts, call);
    const isNew =
      receipt !== undefined && receipt !== (call === null ? undefined : receiptOf(state.receipts, call));
    return {
      view: isNew && call !== null ? onCall(view, call, () => ({ receipt })) : view,
      receipts,
      coverage,
    };
  },
};

/** The view of a whole log, or of what follows `before`; null for a log without a beginning. */
export function projectSession(events: Iterable<Logged>, before = inspectorFold.begin()): SessionView | null {
  let state = before;
  for (const event of events) state = inspectorFold.reduce(state, event);
  return state.view;
}

/** What is shown of a log that is damaged says so. A last line that is torn may be one that is being written. */
export function withProblem(view: SessionView, problem: string | null): SessionView {
  if (problem === null || problem.endsWith("is torn")) return view;
  const notice = `The session log is damaged: ${problem}. What follows is not shown; continuing the session moves it aside.`;
  return { ...view, notices: [...view.notices, notice] };
}

/** A session that nobody runs any more: what its log left open was interrupted. */
export function settled(view: SessionView): SessionView {
  const isOpen = (call: CallView) => ["proposed", "waiting", "running"].includes(call.state);
  const close = (call: CallView): CallView => (isOpen(call) ? { ...call, state: "interrupted" } : call);
  return {
    ...view,
    running: false,
    turns: view.turns.map((turn) => ({ ...turn, calls: turn.calls.map(close) })),
  };
}

/** The counts of all lists as they are now; an answer keeps those that it came without reading. */
function withLists(view: SessionView, event: Logged, { gate }: CoverageState): SessionView {
  const lists = countsFrom(gate).map(({ next: _next, ...counts }): ListView => counts);
  if (event.type !== "replied" || event.end !== "answered") return { ...view, lists };
  const unread = lists.filter(isUnread);
  return onTurn({ ...view, lists }, event.turn, ({ reply }) => ({ reply: reply && { ...reply, unread } }));
}

function started(event: Logged & EventOf<"session_started">): SessionView {
  return {
    session: event.session,
    title: event.title,
    workspace: event.workspace,
    startedAt: event.at,
    model: "",
    modelId: "",
    mode: "off",
    policy: "",
    policySha256: "",
    running: false,
    turns: [],
    notices: transcriptNotices(event),
    limits: [],
    lists: [],
    totals: {
      calls: 0,
      storedResults: 0,
      storedChars: 0,
      hiddenChars: 0,
      readBacks: 0,
      clamped: 0,
      proposed: 0,
      repairs: 0,
    },
  };
}

function transcriptNotices({ from }: EventOf<"session_started">): string[] {
  if (!from?.transcript) return [];
  const { format, notes } = from.transcript;
  return [
    `Imported from a transcript of ${format}. What another program wrote is shown as it says it.`,
    ...notes.map((note) => `Of the transcript: ${note}.`),
  ];
}

function reduceView(view: SessionView, event: Exclude<Logged, { type: "session_started" }>): SessionView {
  switch (event.type) {
    case "configured":
      return {
        ...view,
        model: event.model.name,
        modelId: event.model.id,
        mode: event.settings.limits.mode,
        policy: `${event.policyIdentity.name} ${event.policyIdentity.version}`,
        policySha256: event.policyIdentity.sha256,
        limits: limitNotices(event),
      };
    case "resumed":
      return { ...view, notices: [...view.notices, `Opened again after turn ${event.turn}.`] };
    case "adopted":
      return { ...view, notices: [...view.notices, adoptedNotice(event)] };
    case "recovered":
      return { ...view, notices: [...view.notices, recoveredNotice(event)] };
    case "asked":
      return onTurn({ ...view, running: true }, event.turn, () => ({ asked: event.text }));
    case "requested":
      return onTurn({ ...view, running: true }, event.turn, () => ({
        request: requestView(event),
      }));
    case "replied":
      return replied(view, event);
    case "clamped":
      return added(view, event);
    case "authorised":
      return onCall(view, event.call, () => ({
        authorised: { granted: event.granted, by: event.by, reason: event.reason },
        state: event.granted ? "running" : "refused",
      }));
    case "executed":
      return onCall(view, event.call, () => ({
        state: event.outcome === "failed" ? "failed" : "done",
        elapsedMs: event.elapsedMs,
      }));
    case "redacted":
      return onCall(view, event.call, () => ({
        changes: {
          forgedMarkers: event.forgedMarkers,
          loneSurrogates: event.loneSurrogates,
          secrets: Object.values(event.secrets).reduce((sum, count) => sum + count, 0),
          refused: event.refused,
        },
      }));
    case "measured":
      return view; // shown through the receipt
    case "tool_result_stored":
      return stored(view, event);
    case "projected":
      return onCall(view, event.call, () => projected(event));
    case "branched":
      return onCall(view, event.call, (call) => branched(call, event));
    case "remembered":
      return remembered(view, event);
    case "redeemed":
      return redeemed(view, event);
    case "redemption_refused":
      return onCall(view, event.call, () => ({
        state: "refused",
        refusal: { reason: event.reason, given: event.given },
      }));
    case "repaired":
      return repaired(view, event);
    case "aged":
      return event.decisions.reduce(
        (next, decision) => shortened(next, agedBy(event), event.turn, decision, event.cost),
        view,
      );
    case "covered":
      return onCall(view, event.call, () => ({ page: pageOf(event.handle, event.page, event.total) }));
    case "paged":
      return readBack(
        onCall(view, event.call, () => ({ state: "done", page: pageOf(event.handle, event, event.total) })),
        event.handle,
      );
    case "gated":
      return { ...view, notices: [...view.notices, gatedNotice(event)] };
    case "pinned":
      return onCall(view, event.call, () => ({ isPinned: event.isPinned }));
    case "forgotten":
      return { ...view, notices: [...view.notices, `Deleted: the content of ${event.handle}.`] };
    case "overflowed":
      return onTurn(view, event.turn, ({ recovery }) => ({ recovery: [...recovery, recoveryOf(event)] }));
    case "pruned":
      return { ...view, notices: [...view.notices, prunedNotice(event)] };
    case "budgeted":
      return event.cuts.reduce((next, cut) => shortened(next, "budget", event.turn, cut), view);
    case "media_replaced":
      return event.parts.reduce(
        (next, part) => onCall(next, part.call, (call) => mediaReplaced(call, part)),
        view,
      );
    case "run_ended":
      return onTurn({ ...view, running: false }, event.turn, () => ({
        ended: { end: event.end, message: event.message },
      }));
    default:
      return unreachable(event);
  }
}

function replied(view: SessionView, event: EventOf<"replied">): SessionView {
  const { text, end, error, elapsedMs, usage } = event;
  const reply = {
    text,
    end,
    error,
    elapsedMs,
    inputTokens: usage?.inputTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    unread: [],
    outputTokens: usage?.outputTokens ?? null,
  };
  const calls = event.calls.map(
    (call): CallView => ({
      call: call.call,
      tool: call.name,
      arguments: firstChars(call.arguments, ARGUMENTS_CHARS),
      state: "proposed",
      receipt: null,
      authorised: null,
      elapsedMs: null,
      result: null,
      stored: null,
      response: null,
      media: [],
      redeemed: null,
      refusal: null,
      tainted: false,
      changes: { forgedMarkers: 0, loneSurrogates: 0, secrets: 0, refused: null },
      shortened: [],
      isPinned: false,
      page: null,
    }),
  );
  return onTurn(totalled(view, { calls: calls.length }), event.turn, () => ({ reply, calls }));
}

function added(view: SessionView, event: EventOf<"clamped">): SessionView {
  const isClamped = event.proposal.decision === "clamp";
  const counted = totalled(view, {
    clamped: isClamped ? 1 : 0,
    proposed: event.proposal.proposedChanges.length > 0 ? 1 : 0,
  });
  return onCall(counted, event.call, () => ({ state: "waiting" }));
}

const pageOf = (
  handle: Handle,
  { first, last, references }: EventOf<"covered">["page"],
  total: number,
): CallView["page"] => ({ handle, first, last, references: references.length, total });

function gatedNotice({ turn, verdict, unread }: EventOf<"gated">): string {
  const lists = unread.map(({ tool, inspected, total }) => `${tool}: ${inspected} of ${total} records read`);
  return verdict === "say"
    ? `In turn ${turn} the model was told what it had not read (${lists.join("; ")}).`
    : `The answer of turn ${turn} is incomplete: not everything was read (${lists.join("; ")}).`;
}

const agedBy = ({ strategy }: EventOf<"aged">): CallView["shortened"][number]["by"] =>
  strategy === "age" || strategy === "cacheAware" ? "age" : strategy;

const recoveryOf = ({ step, tokensBefore, tokensAfter, counter }: EventOf<"overflowed">): Recovered => ({
  step,
  tokensBefore,
  tokensAfter,
  counter,
});

const prunedNotice = ({ turn, messages }: EventOf<"pruned">): string =>
  `From turn ${turn} on the model is not sent the first ${messages} messages: the request did not fit. The log keeps them.`;

const requestView = ({
  messages,
  chars,
  bytes,
  imageBytes = 0,
  model,
  prefix,
}: EventOf<"requested">): NonNullable<TurnView["request"]> => ({
  messages,
  chars,
  bytes,
  imageBytes,
  model,
  prefix: prefix ?? null,
});

function stored(view: SessionView, event: EventOf<"tool_result_stored">): SessionView {
  const { handle, chars, bytes, lines } = event;
  if (event.mediaType !== undefined)
    return onCall(totalled(view, { storedResults: 1 }), event.call, (call) => mediaStored(call, event));
  const counted = totalled(view, { storedResults: 1, storedChars: chars });
  return onCall(counted, event.call, () => ({ stored: { handle, chars, bytes, lines, readBacks: 0 } }));
}

function remembered(view: SessionView, event: EventOf<"remembered">): SessionView {
  const { shown, why, isError, text } = event;
  const shownChars = charLength(text);
  const before = callOf(view, event.call)?.stored;
  const isWhole = shown === "inline";
  const hidden = before && !isWhole ? Math.max(0, before.chars - shownChars) : 0;
  return onCall(totalled(view, { hiddenChars: hidden }), event.call, () => ({
    tainted: event.tainted === true,
    ...mediaShown(event),
    result: { shown, class: event.class, why, isError, shownChars, text: firstChars(text, TEXT_CHARS) },
  }));
}

function redeemed(view: SessionView, event: EventOf<"redeemed">): SessionView {
  const { handle, selector, offset, chars, totalChars, matches } = event;
  const counted = onCall(view, event.call, () => ({
    state: "done",
    redeemed: { handle, selector, offset, chars, totalChars, matches },
  }));
  return readBack(counted, handle);
}

/** One more use of a stored result, wherever it stands. */
function readBack(view: SessionView, handle: Handle): SessionView {
  const counted = totalled(view, { readBacks: 1 });
  return {
    ...counted,
    turns: counted.turns.map((turn) =>
      turn.calls.some(({ stored }) => stored?.handle === handle)
        ? {
            ...turn,
            calls: turn.calls.map((call) =>
              call.stored?.handle === handle
                ? { ...call, stored: { ...call.stored, readBacks: call.stored.readBacks + 1 } }
                : call,
            ),
          }
        : turn,
    ),
  };
}

function repaired(view: SessionView, event: EventOf<"repaired">): SessionView {
  const counted = onTurn(totalled(view, { repairs: event.repairs.length }), event.turn, (turn) => ({
    repairs: [...turn.repairs, ...event.repairs],
  }));
  return event.repairs.reduce(
    (next, { kind, call }) =>
      kind === "result_missing" && call !== null
        ? onCall(next, call, () => ({ state: "interrupted" }))
        : next,
    counted,
  );
}

function shortened(
  view: SessionView,
  by: CallView["shortened"][number]["by"],
  turn: number,
  { call, charsBefore, charsAfter, handle }: Shortening,
  cost: CutCost | null = null,
): SessionView {
  const isReadBack = !callOf(view, call)?.stored; // what was read back is counted where it was stored
  const hiddenChars = isReadBack ? 0 : Math.max(0, charsBefore - charsAfter); // B7
  const counted = totalled(view, { hiddenChars });
  const entry = { by, turn, charsAfter, handle, cost };
  return onCall(counted, call, (before) => ({ shortened: [...before.shortened, entry] }));
}

function recoveredNotice({ what, detail }: EventOf<"recovered">): string {
  return what === "log_tail"
    ? `The session log was mended: ${detail}.`
    : `The index of stored results was rebuilt: ${detail}.`;
}

function adoptedNotice({ from, claims, missing }: EventOf<"adopted">): string {
  const lost = missing.length === 0 ? "" : ` Missing there, so missing here: ${missing.length}.`;
  return `Begun as a copy of session ${from}, with its stored results (${claims.length}).${lost}`;
}

const EMPTY_TURN: Omit<TurnView, "turn"> = {
  asked: null,
  request: null,
  reply: null,
  calls: [],
  repairs: [],
  recovery: [],
  ended: null,
};

function onTurn(view: SessionView, turn: number, change: (turn: TurnView) => Partial<TurnView>): SessionView {
  const at = view.turns.findLastIndex((candidate) => candidate.turn === turn);
  const before = view.turns[at];
  if (!before) {
    const fresh = { turn, ...EMPTY_TURN };
    return { ...view, turns: [...view.turns, { ...fresh, ...change(fresh) }] };
  }
  return { ...view, turns: view.turns.with(at, { ...before, ...change(before) }) };
}

function onCall(view: SessionView, call: string, change: (call: CallView) => Partial<CallView>): SessionView {
  return onTurn(view, turnOfCall(call), (turn) => ({
    calls: turn.calls.map((candidate) =>
      candidate.call === call ? { ...candidate, ...change(candidate) } : candidate,
    ),
  }));
}

function callOf(view: SessionView, call: string): CallView | undefined {
  return view.turns
    .findLast(({ turn }) => turn === turnOfCall(call))
    ?.calls.find((candidate) => candidate.call === call);
}

function totalled(view: SessionView, more: Partial<SessionView["totals"]>): SessionView {
  const totals = { ...view.totals };
  for (const [key, value] of Object.entries(more)) totals[key as keyof typeof totals] += value;
  return { ...view, totals };
}

function firstChars(text: string, chars: number): string {
  return text.length <= chars
    ? text
    : `${text.slice(0, text.charCodeAt(chars - 1) >= 0xd800 && text.charCodeAt(chars - 1) <= 0xdbff ? chars - 1 : chars)}…`;
}
