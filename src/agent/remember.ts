/** Steps 7 and 8: what the model is shown of a result is decided once and remembered; its bytes never change by themselves. */
import { headOf, tailOf } from "../claims/cut";
import { describe, isBinaryLooking, kindOf } from "../claims/kind";
import type { limitsFor } from "../claims/policy";
import { cutText, NO_OUTPUT, opaqueTicketOf, ticketOf } from "../claims/ticket";
import type { EventOf, ReplyCall } from "../schema/event";
import type { SafeText } from "../schema/text";
import { asRaw, charLength } from "../schema/text";
import { disclose } from "../thimble/disclosure";
import type { Permit } from "./authorise";
import { boundary } from "./boundary";
import type { CallContext } from "./callContext";
import type { MeasuredWindow } from "./measure";
import type { Step } from "./step";
import type { StoredResult } from "./store";

/** A call out of a reply, its secrets hidden. */
export type PendingCall = ReplyCall;
export type Remembered = EventOf<"remembered">;

type Shown = Pick<Remembered, "shown" | "class" | "limitChars" | "why" | "handle" | "isError" | "text">;

/** Substitutes where the result was stored, then remembers the text that every later request carries. */
export function remember(result: StoredResult, context: CallContext): Step<Remembered, "remembered"> {
  const shown = substitute(result);
  const { proposal, argumentsText } = result.permit.proposed;
  const disclosure = disclose(proposal, context.policy, argumentsText);
  const text = disclosure === null ? shown.text : `${shown.text}\n\n${disclosure}`;
  return remembered(result.call.call, { ...shown, text });
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
    text: redeemed.text,
  });
}

function substitute(result: StoredResult): Shown {
  const { kept, safe, chars, isError } = result;
  const tool = result.call.name;
  const base = { class: result.class, isError, handle: null };
  if (kept.kind === "inline") {
    const limitChars = kept.limits?.thresholdChars ?? null;
    const why =
      limitChars === null ? "storing results is turned off" : `${chars} characters, limit ${limitChars}`;
    return { ...base, shown: "inline", limitChars, why, text: safe.trim() === "" ? NO_OUTPUT : safe };
  }
  if (kept.kind === "unstored") {
    if (chars <= kept.limitChars)
      return { ...base, shown: "inline", limitChars: kept.limitChars, why: kept.why, text: safe };
    const head = headOf(safe, kept.limitChars);
    const headChars = charLength(head);
    const text = cutText({ tool, totalChars: chars, head, headChars, why: kept.why });
    return { ...base, shown: "cut", limitChars: kept.limitChars, why: kept.why, text };
  }
  const { claim, limits } = kept;
  const why = `${chars} characters, limit ${limits.thresholdChars} for ${limits.excluded ? `${tool}, which is excluded` : result.class} results`;
  return {
    ...base,
    shown: "ticket",
    limitChars: limits.thresholdChars,
    why,
    handle: claim.handle,
    text: ticketText(result, limits, claim),
  };
}

function ticketText(
  result: StoredResult,
  limits: ReturnType<typeof limitsFor>,
  claim: { handle: EventOf<"tool_result_stored">["handle"]; sha256: string },
): string {
  const { safe, chars } = result;
  const tool = result.call.name;
  if (isBinaryLooking(safe)) {
    return opaqueTicketOf({
      tool,
      handle: claim.handle,
      totalChars: chars,
      what: kindOf(safe),
      bytes: result.bytes,
      sha256: claim.sha256,
    });
  }
  const head = headOf(safe, limits.headChars);
  const tail = limits.tailChars > 0 ? tailOf(safe.slice(head.length), limits.tailChars) : "";
  return ticketOf({
    tool,
    handle: claim.handle,
    totalChars: chars,
    what: describe(safe as SafeText),
    head,
    headChars: charLength(head),
    tail,
    tailChars: charLength(tail),
  });
}

function remembered(call: string, shown: Shown): Step<Remembered, "remembered"> {
  const event: Remembered = { type: "remembered", call, ...shown };
  return { value: event, event };
}
