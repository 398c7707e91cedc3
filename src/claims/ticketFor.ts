/** Which ticket a stored result gets, by its limits: the same in the loop, for imported results and in replays. */
import type { Claim } from "../schema/claim";
import { charLength } from "../schema/text";
import { headOf, tailOf } from "./cut";
import { describe, isBinaryLooking, kindOf } from "./kind";
import type { ResultLimits } from "./policy";
import { headlessTicketOf, opaqueTicketOf, ticketOf } from "./ticket";

/** `head` and `tail` are the slices of the content that the text shows. */
export type Ticket = { readonly text: string; readonly head: string; readonly tail: string };

/** First that applies: type, size and digest of what is no text; no head at all; head (and tail). Sizes as in the claim. */
export function ticketFor(
  whole: string,
  claim: Pick<Claim, "tool" | "handle" | "chars" | "bytes" | "sha256" | "tainted">,
  limits: Pick<ResultLimits, "headChars" | "tailChars" | "hasPreview">,
  note: string | null = null,
): Ticket {
  const { tool, handle, chars, bytes, sha256, tainted = false } = claim;
  const facts = { tool, handle, totalChars: chars, tainted, note };
  if (isBinaryLooking(whole)) {
    const text = opaqueTicketOf({ ...facts, what: kindOf(whole), bytes, sha256 });
    return { text, head: "", tail: "" };
  }
  const what = describe(whole);
  if (!limits.hasPreview) return { text: headlessTicketOf({ ...facts, what }), head: "", tail: "" };
  const head = headOf(whole, chars > limits.headChars ? limits.headChars : Math.floor(chars / 2)); // few but wide chars
  const headChars = charLength(head);
  const rest = limits.tailChars > 0 ? tailOf(whole.slice(head.length), limits.tailChars) : "";
  const tail = headChars + charLength(rest) < chars ? rest : "";
  const text = ticketOf({ ...facts, what, head, headChars, tail, tailChars: charLength(tail) });
  return { text, head, tail };
}
