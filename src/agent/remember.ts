/** Steps 7 and 8: what the model is shown of a result is decided once and remembered; its bytes never change by themselves. */
import { branchFailedLine, branchText, excessWords, projectionText } from "../claims/apart";
import { headOf } from "../claims/cut";
import { describe } from "../claims/kind";
import { digestFor, type ResultLimits } from "../claims/policy";
import { cutText, fenced, NO_OUTPUT, projectionTicketOf } from "../claims/ticket";
import { ticketFor } from "../claims/ticketFor";
import type { EventOf, ReplyCall } from "../schema/event";
import type { MediaShown } from "../schema/message";
import { asRaw, charLength } from "../schema/text";
import { disclose } from "../thimble/disclosure";
import type { Permit } from "./authorise";
import { boundary } from "./boundary";
import type { JudgedResult } from "./branch";
import type { CallContext } from "./callContext";
import type { MeasuredWindow } from "./measure";
import { projectionOf } from "./projection";
import type { Step } from "./step";
import { isTainted, type Kept, type StoredResult } from "./store";

/** A call out of a reply, its secrets hidden. */
export type PendingCall = ReplyCall;
export type Remembered = EventOf<"remembered">;

type Shown = Pick<Remembered, "shown" | "class" | "limitChars" | "why" | "handle" | "isError" | "text"> & {
  readonly tainted: boolean;
};

/** Declared values may be this many times as long as the head that they stand for, and half of the result. */
const VALUES_PER_HEAD = 4;

/** Substitutes where the result was stored, then remembers the text that every later request carries. */
export function remember(result: JudgedResult, context: CallContext): Step<Remembered, "remembered"> {
  const shown = substitute(result, context);
  const { proposal, argumentsText } = result.permit.proposed;
  const disclosure = disclose(proposal, context.policy, argumentsText);
  const text = [shown.text, disclosure].filter((part) => part !== null && part !== "").join("\n\n");
  return remembered(result.call.call, { ...shown, text }, result.shownMedia);
}

/** A call that did not run still has a result: why, in words the model can act on. They may quote a file: made safe too. */
export function rememberRefusal(
  permit: Permit & { kind: "refused" },
  { secrets }: CallContext,
): Step<Remembered, "remembered"> {
  const bounded = boundary(asRaw(`${permit.code}: ${permit.text}`));
  const text = bounded.kind === "passed" ? secrets.hide(bounded.text).text : permit.code;
  return remembered(permit.proposed.call.call, {
    shown: "refusal",
    class: "error",
    limitChars: null,
    why: permit.code,
    handle: null,
    isError: true,
    tainted: false,
    text,
  });
}

/** A window is exempt from the claim check and from clamping (CONFORMANCE §0.5); its content is already safe. */
export function rememberWindow(redeemed: MeasuredWindow): Step<Remembered, "remembered"> {
  return remembered(redeemed.call, {
    shown: redeemed.isError ? "refusal" : "window",
    class: redeemed.isError ? "error" : "other",
    limitChars: null,
    why: redeemed.isError ? "the handle was refused" : "read back from the store",
    handle: redeemed.handle,
    isError: redeemed.isError,
    tainted: redeemed.tainted,
    text: redeemed.text,
  });
}

function substitute(result: JudgedResult, context: CallContext): Shown {
  const { kept, safe, chars, isError } = result;
  const tool = result.call.name;
  const tainted = isTainted(result);
  const base = { class: result.class, isError, handle: null, tainted };
  const isBlank = safe.trim() === "";
  const whole = isBlank ? (result.media.length > 0 ? "" : NO_OUTPUT) : tainted ? fenced(safe, tool) : safe;
  if (kept.kind === "inline") {
    const limitChars = limitCharsOf(kept.limits);
    const why = kept.limits === null ? "storing results is turned off" : sizeAndLimit(result, kept.limits);
    return { ...base, shown: "inline", limitChars, why, text: whole };
  }
  if (kept.kind === "unstored") {
    if (chars <= kept.limitChars)
      return { ...base, shown: "inline", limitChars: kept.limitChars, why: kept.why, text: whole };
    const head = headOf(safe, kept.limitChars);
    const headChars = charLength(head);
    const text = cutText({ tool, totalChars: chars, head, headChars, tainted, why: kept.why });
    return { ...base, shown: "cut", limitChars: kept.limitChars, why: kept.why, text };
  }
  const { claim, limits } = kept;
  const whom = limits.excluded ? `${tool}, which is excluded` : `${result.class} results`;
  const apart = shownApart(result, kept);
  if (apart !== null) return { ...base, limitChars: limitCharsOf(limits), handle: claim.handle, ...apart };
  const failure = result.response.kind === "failed" ? result.response.failure : null;
  const ticket = ticketText(result, kept, context);
  return {
    ...base,
    shown: "ticket",
    limitChars: limitCharsOf(limits),
    why: `${sizeAndLimit(result, limits)} for ${whom}`,
    handle: claim.handle,
    text: failure === null ? ticket : `${ticket}\n\n${branchFailedLine(failure)}`,
  };
}

/** In place of a ticket, where the result was larger than its envelope; null: the ticket. */
function shownApart(
  { response, safe, call }: JudgedResult,
  { claim }: Kept & { kind: "stored" },
): Pick<Shown, "shown" | "why" | "text"> | null {
  if (response.kind !== "projected" && response.kind !== "answered") return null;
  const { handle, chars: totalChars, tainted = false } = claim;
  const facts = { tool: call.name, handle, totalChars, what: describe(safe), tainted };
  const why = excessWords(response.exceeded);
  return response.kind === "projected"
    ? { shown: "projection", why, text: projectionText(facts, response.exceeded, response) }
    : { shown: "branch", why, text: branchText(facts, response.exceeded, response.answer) };
}

/** Null where none applied, or the limit was one of bytes. */
const limitCharsOf = (limits: ResultLimits | null): number | null =>
  limits === null || limits.capBytes !== null ? null : limits.thresholdChars;

const sizeAndLimit = ({ chars, bytes }: StoredResult, { capBytes, thresholdChars }: ResultLimits): string =>
  capBytes === null ? `${chars} characters, limit ${thresholdChars}` : `${bytes} bytes, limit ${capBytes}`;

/** First that applies: declared values, no head at all, head (and tail). */
function ticketText(result: StoredResult, kept: Kept & { kind: "stored" }, context: CallContext): string {
  const { safe, chars, bytes, isError } = result;
  const { claim, limits } = kept;
  const tool = result.call.name;
  const tainted = claim.tainted === true;
  const facts = { tool, handle: claim.handle, totalChars: chars, what: describe(safe), tainted };
  const pointers = context.claimPolicy && digestFor(context.claimPolicy, tool, isError);
  const maximumChars = Math.min(limits.headChars * VALUES_PER_HEAD, Math.floor(chars / 2));
  const values = pointers && projectionOf(safe, pointers, maximumChars);
  if (values?.kind === "values") return projectionTicketOf(facts, values);
  const note = values?.why ?? null;
  const hasPreview = limits.hasPreview && !(tainted && context.settings.claimCheck.taintedHeads === "omit");
  return ticketFor(safe, { ...claim, tool, chars, bytes }, { ...limits, hasPreview }, note).text;
}

function remembered(
  call: string,
  { tainted, ...shown }: Shown,
  media: readonly MediaShown[] = [],
): Step<Remembered, "remembered"> {
  const more = { ...(tainted && { tainted }), ...(media.length > 0 && { media: [...media] }) };
  const event: Remembered = { type: "remembered", call, ...shown, ...more };
  return { value: event, event };
}
