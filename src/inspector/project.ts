/** The inspector is a fold over the log: what the log does not say is not shown, and every event is shown somewhere. */
import { coverageFold } from "../coverage/fold";
import { turnOfCall } from "../history/fold";
import type { EventOf, Fold, Logged, Shortening } from "../schema/event";
import { unreachable } from "../schema/failure";
import type { CallView, SessionView } from "../schema/view";
import { receiptFold, receiptOf, withoutReceipt } from "../thimble/receipt";
import { branched, projected } from "./apart";
import { configured, intoLists, started } from "./beginning";
import { callFrom, forgotten, pageOf, redeemed, remembered, stored } from "./callChanges";
import {
  attend,
  callOf,
  changeCall,
  type Draft,
  type InspectorFold,
  note,
  noteCalls,
  rowKey,
  total,
  turnKey,
  turnOf,
  untouched,
} from "./draft";
import { fillRequest, noFill, watchFill } from "./fill";
import { mediaReplaced } from "./media";
import { adoptedNotice, gatedNotice, mended, prunedNotice } from "./notes";
import { columnOf, intoSeries } from "./rows";
import { allTurns, noTurns, placeOfTurn } from "./turnPages";

export type { InspectorFold } from "./draft";

/** Every event costs the same however long the session is: the state is changed in place (`npm run bench -- inspector`). */
export const inspectorFold: Fold<InspectorFold> = {
  begin: () => ({
    head: null,
    turns: noTurns(),
    owners: new Map(),
    held: new Map(),
    open: new Set(),
    fill: noFill(),
    series: [],
    receipts: receiptFold.begin(),
    coverage: coverageFold.begin(),
    touched: untouched(),
  }),
  reduce(state, event) {
    state.touched = untouched();
    const { coverage } = state;
    state.receipts = receiptFold.reduce(state.receipts, event);
    state.coverage = coverageFold.reduce(coverage, event);
    watchFill(state.fill, event);
    if (event.type === "session_started") {
      state.head = started(event);
      state.touched.head = true;
      return state;
    }
    if (state.head === null) return state;
    const draft = state as Draft;
    reduceView(draft, event);
    if (state.coverage !== coverage) intoLists(draft, event);
    if ("call" in event && event.call !== null) withReceipt(draft, event.call);
    if (event.type === "remembered") state.receipts = withoutReceipt(state.receipts, event.call); // the turn has it
    return state;
  },
};

/** The view of a whole log, or of what follows `before`; null for a log without a beginning. */
export function projectSession(events: Iterable<Logged>, before = inspectorFold.begin()): SessionView | null {
  let state = before;
  for (const event of events) state = inspectorFold.reduce(state, event);
  return viewOf(state);
}

export const viewOf = ({ head, turns }: InspectorFold): SessionView | null =>
  head && { ...head, turns: allTurns(turns) };

/** What is shown of a log that is damaged says so. A last line that is torn may be one that is being written. */
export function damageNotice(problem: string | null): string | null {
  if (problem === null || problem.endsWith("is torn")) return null;
  return `The session log is damaged: ${problem}. What follows is not shown; continuing the session moves it aside.`;
}

export function withProblem(view: SessionView, problem: string | null): SessionView {
  const notice = damageNotice(problem);
  return notice === null ? view : { ...view, notices: [...view.notices, notice] };
}

/** A session that nobody runs any more: what its log left open was interrupted. */
export function settle(state: InspectorFold): InspectorFold {
  if (state.head === null) return state;
  const isOpen = (call: CallView) => ["proposed", "waiting", "running"].includes(call.state);
  for (const call of state.open)
    changeCall(state as Draft, call, (found) => (isOpen(found) ? { state: "interrupted" } : {}));
  state.head.running = false;
  return state;
}

function withReceipt(draft: Draft, call: string): void {
  const receipt = receiptOf(draft.receipts, call);
  if (receipt) changeCall(draft, call, () => ({ receipt }));
}

function reduceView(draft: Draft, event: Exclude<Logged, { type: "session_started" }>): Draft {
  const { n, type } = event;
  switch (event.type) {
    case "configured":
      return configured(draft, event);
    case "resumed":
      return note(draft, event.turn, {
        n,
        type,
        tone: "plain",
        text: `Opened again after turn ${event.turn}.`,
      });
    case "adopted":
      return note(draft, 0, { n, type, tone: "plain", text: adoptedNotice(event) });
    case "recovered":
      attend(draft, { n, kind: "damaged", key: draft.head.session });
      return note(draft, null, { n, type, tone: "warning", text: mended(event) });
    case "asked":
      return asked(draft, event);
    case "requested":
      return requested(draft, event);
    case "replied":
      return replied(draft, event);
    case "clamped":
      return clamped(draft, event);
    case "authorised":
      return changeCall(draft, event.call, () => ({
        authorised: { granted: event.granted, by: event.by, reason: event.reason },
        state: event.granted ? "running" : "refused",
      }));
    case "executed":
      return changeCall(draft, event.call, () => ({
        state: event.outcome === "failed" ? "failed" : "done",
        elapsedMs: event.elapsedMs,
      }));
    case "redacted":
      return changeCall(draft, event.call, () => ({
        changes: {
          forgedMarkers: event.forgedMarkers,
          loneSurrogates: event.loneSurrogates,
          secrets: Object.values(event.secrets).reduce((sum, count) => sum + count, 0),
          refused: event.refused,
        },
      }));
    case "measured":
      return draft; // shown through the receipt
    case "tool_result_stored":
      return stored(draft, event);
    case "projected":
      return changeCall(draft, event.call, () => projected(event));
    case "branched":
      return changeCall(draft, event.call, (call) => branched(call, event));
    case "remembered":
      return remembered(draft, event);
    case "redeemed":
      return redeemed(draft, event.call, event.handle, {
        redeemed: {
          handle: event.handle,
          selector: event.selector,
          offset: event.offset,
          chars: event.chars,
          totalChars: event.totalChars,
          matches: event.matches,
        },
      });
    case "redemption_refused":
      return refused(draft, event);
    case "repaired":
      return repaired(draft, event);
    case "aged":
      for (const decision of event.decisions) shortened(draft, agedBy(event), event, decision, event.cost);
      return draft;
    case "covered":
      return changeCall(draft, event.call, () => ({ page: pageOf(event.handle, event.page, event.total) }));
    case "paged":
      return redeemed(draft, event.call, event.handle, { page: pageOf(event.handle, event, event.total) });
    case "gated":
      return note(draft, event.turn, { n, type, tone: "warning", text: gatedNotice(event) });
    case "pinned":
      return changeCall(draft, event.call, () => ({ isPinned: event.isPinned, pinnedBy: n }));
    case "forgotten":
      return forgotten(draft, event);
    case "overflowed":
      return overflowed(draft, event);
    case "pruned":
      return note(draft, event.turn, { n, type, tone: "warning", text: prunedNotice(event) });
    case "budgeted":
      for (const cut of event.cuts) shortened(draft, "budget", event, cut);
      return draft;
    case "media_replaced":
      for (const part of event.parts) changeCall(draft, part.call, (call) => mediaReplaced(call, part));
      return draft;
    case "run_ended":
      turnOf(draft, event.turn).ended = { n, end: event.end, message: event.message };
      return running(draft, false);
    default:
      return unreachable(event);
  }
}

function running(draft: Draft, isRunning: boolean): Draft {
  draft.head.running = isRunning;
  draft.touched.head = true;
  return draft;
}

function asked(draft: Draft, { n, turn, text }: Logged & EventOf<"asked">): Draft {
  Object.assign(turnOf(draft, turn), { asked: text, askedAt: n });
  return running(draft, true);
}

function requested(draft: Draft, event: Logged & EventOf<"requested">): Draft {
  const { n, at, turn, messages, chars, bytes, imageBytes = 0, model, prefix = null } = event;
  const { fill, sums } = fillRequest(draft.fill, event);
  const view = turnOf(draft, turn);
  view.request = { n, at, messages, chars, bytes, imageBytes, model, prefix, fill };
  const column = columnOf(view, placeOfTurn(draft.turns, turn));
  if (column) intoSeries(draft.series, column);
  return total(running(draft, true), sums);
}

function replied(draft: Draft, event: Logged & EventOf<"replied">): Draft {
  const { n, text, end, error, elapsedMs, usage } = event;
  const turn = turnOf(draft, event.turn);
  turn.reply = {
    ...{ n, text, end, error, elapsedMs, unread: [] },
    inputTokens: usage?.inputTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
  };
  turn.calls = event.calls.map((call) => callFrom(call, n));
  for (const { call } of event.calls) draft.open.add(call);
  noteCalls(draft, event.turn);
  return total(draft, { calls: event.calls.length });
}

function clamped(draft: Draft, { call, proposal }: EventOf<"clamped">): Draft {
  total(draft, {
    clamped: proposal.decision === "clamp" ? 1 : 0,
    proposed: proposal.proposedChanges.length > 0 ? 1 : 0,
  });
  return changeCall(draft, call, () => ({ state: "waiting" }));
}

const CORRUPT = ["corrupt", "corrupt_page", "corrupt_record", "missing"];

function refused(draft: Draft, { n, call, reason, given }: Logged & EventOf<"redemption_refused">): Draft {
  const kind = CORRUPT.includes(reason) ? "corrupt" : "refused";
  attend(draft, { n, kind, key: rowKey(draft, call) });
  return changeCall(draft, call, () => ({ state: "refused", refusal: { reason, given } }));
}

function repaired(draft: Draft, { n, turn, repairs }: Logged & EventOf<"repaired">): Draft {
  total(draft, { repairs: repairs.length });
  turnOf(draft, turn).repairs.push(...repairs.map((repair) => ({ ...repair, n })));
  for (const { kind, call } of repairs)
    if (kind === "result_missing" && call !== null) changeCall(draft, call, () => ({ state: "interrupted" }));
  return draft;
}

const agedBy = ({ strategy }: EventOf<"aged">): CallView["shortened"][number]["by"] =>
  strategy === "age" || strategy === "cacheAware" ? "age" : strategy;

function overflowed(draft: Draft, event: Logged & EventOf<"overflowed">): Draft {
  const { n, turn, step, tokensBefore, tokensAfter, counter } = event;
  attend(draft, { n, kind: "recovery", key: turnKey(draft, turn) });
  turnOf(draft, turn).recovery.push({ n, step, tokensBefore, tokensAfter, counter });
  return draft;
}

function shortened(
  draft: Draft,
  by: CallView["shortened"][number]["by"],
  { n, turn }: { readonly n: number; readonly turn: number },
  { call, charsBefore, charsAfter, handle, level = null }: Shortening & { readonly level?: 1 | 2 | null },
  cost: EventOf<"aged">["cost"] | null = null,
): void {
  const found = callOf(draft, call);
  if (!found) return;
  const isReadBack = found.stored === null; // what was read back is counted where it was stored
  total(draft, { hiddenChars: isReadBack ? 0 : Math.max(0, charsBefore - charsAfter) }); // B7
  found.shortened.push({ n, by, turn, charsBefore, charsAfter, level, handle, cost });
  if (turnOfCall(call) !== turn) draft.touched.turns.add(draft.turns.numbers.length - 1);
}
