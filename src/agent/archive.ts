/** The whole behind a shown result: stored first, always, before anything of it is cut (CONFORMANCE M1, M3). */
import { claimOf, isMedia } from "../claims/claim";
import { headOf, tailOf } from "../claims/cut";
import { handleOf } from "../claims/handle";
import type { ClaimPolicy } from "../claims/policy";
import { shortenedText, unfenced } from "../claims/ticket";
import type { ResultFacts } from "../history/fold";
import type { Claim, Handle } from "../schema/claim";
import type { Shortening } from "../schema/event";
import { Failure } from "../schema/failure";
import type { CoreSettings } from "../schema/settings";
import { byteLength, charLength, lineCount, type SafeText } from "../schema/text";
import type { Conversation } from "./conversation";
import { record } from "./step";

/** What a shortened text says of a content. Sizes in chars. */
export type Archived = Pick<Claim, "tool" | "handle" | "chars" | "lines" | "tainted">;
export type Archive = { readonly claim: Archived; readonly whole: SafeText };

/** Its tokens are about as many as those of any other. */
const UNKNOWN_HANDLE = "claim:9f86d081884c7d659a2feaa0c55ad015" as Handle;

/**
 * The stored content behind a result, read and proven; for one that is nowhere but in the conversation, what a claim
 * of it would say. Stores nothing. Null: it cannot be read, so it is left as it is.
 */
export async function archiveOf(
  conversation: Conversation,
  facts: ResultFacts,
  shown: string,
): Promise<Archive | null> {
  const { claims } = conversation.context.ports;
  if (facts.handle === null) {
    const whole = wholeOf(facts, shown);
    const { tool, tainted } = facts;
    const claim = { tool, handle: UNKNOWN_HANDLE, ...sizesOf(whole), ...(tainted && { tainted }) };
    return { whole, claim };
  }
  try {
    const claim = claims.find(facts.handle);
    if (!claim || isMedia(claim) || claim.forgotten) return null;
    const isPage = facts.shown === "page"; // its line says nothing of the rest
    const whole = isPage ? ("" as SafeText) : await claims.read(claim.sha256);
    return { whole, claim: { ...claim, tool: facts.tool } }; // another tool may have returned it first
  } catch {
    return null; // the store cannot give it: nothing is cut
  }
}

/** The same with a handle that is valid: what was in the conversation only is stored. Null: it could not be. */
export async function stored(
  conversation: Conversation,
  policy: ClaimPolicy,
  facts: ResultFacts,
  archive: Archive,
): Promise<Archive | null> {
  if (facts.handle !== null) return archive;
  const { ports, salt } = conversation.context;
  const { whole } = archive;
  try {
    const { sha256, frames } = await ports.claims.put(whole);
    const handle = handleOf(salt, sha256, ports.hash);
    const { tool, class: toolClass, tainted } = facts;
    const bytes = byteLength(whole);
    const about = { handle, sha256, frames, tool, class: toolClass, bytes, ...sizesOf(whole), tainted };
    const claim = claimOf(about, policy);
    const event = { type: "tool_result_stored", call: facts.call, ...claim } as const;
    return await record(conversation, { value: { claim, whole }, event });
  } catch (cause) {
    if (cause instanceof Failure && cause.code === "log-unwritable") throw cause;
    return null; // the store cannot take it: nothing is cut
  }
}

/** It crossed the boundary when it was shown. */
const wholeOf = ({ tainted }: ResultFacts, shown: string): SafeText =>
  (tainted ? unfenced(shown) : shown) as SafeText;

const sizesOf = (whole: SafeText) => ({ chars: charLength(whole), lines: lineCount(whole) });

/** Head and tail of a content, and where the middle is. From outside, where such parts are not shown: neither. */
export function headAndTail(
  { claim, whole }: Archive,
  headChars: number,
  tailChars: number,
  why: string,
  { claimCheck }: CoreSettings,
): string {
  const isOmitted = claim.tainted === true && claimCheck.taintedHeads === "omit";
  const head = isOmitted ? "" : headOf(whole, headChars);
  const tail = isOmitted ? "" : tailOf(whole.slice(head.length), tailChars);
  const hiddenChars = claim.chars - charLength(head) - charLength(tail);
  const outside = claim.tainted ? claim.tool : null;
  return shortenedText({ head, tail, hiddenChars, handle: claim.handle, why, outside });
}

export function shortening(call: string, before: string, after: string, { handle }: Archived): Shortening {
  return { call, handle, text: after, charsBefore: charLength(before), charsAfter: charLength(after) };
}
