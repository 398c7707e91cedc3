/** Step 6: a text over its limit is checked in, whole, before anything is cut (seed 000, CONFORMANCE §0.1). */
import { claimOf } from "../claims/claim";
import { handleOf } from "../claims/handle";
import { isOver, limitsFor, type ResultLimits } from "../claims/policy";
import type { Claim } from "../schema/claim";
import { lineCount } from "../schema/text";
import type { CallContext } from "./callContext";
import type { MeasuredResult } from "./measure";
import type { Step } from "./step";

/** Where the whole result is now. `unstored`: over the limit, but nothing could be stored; `why` says it to people. */
export type Kept =
  | { readonly kind: "inline"; readonly limits: ResultLimits | null }
  | { readonly kind: "stored"; readonly limits: ResultLimits; readonly claim: Claim }
  | { readonly kind: "unstored"; readonly limitChars: number; readonly why: string };

/**
 * Whether a result holds content from outside. What we say ourselves in its place does not: a refusal at the boundary,
 * or that there was no output.
 */
export const isTainted = ({ permit, refused, safe, media }: MeasuredResult): boolean =>
  permit.tool.spec.reach === "outside" && !refused && (safe.trim() !== "" || media.length > 0);

export type StoredResult = MeasuredResult & { readonly kept: Kept };

/** No event and no I/O where the result stays inline (C3, C16). A store that fails costs the rest of the result, never the run (C21). */
export async function store(
  result: MeasuredResult,
  context: CallContext,
): Promise<Step<StoredResult, "tool_result_stored" | null>> {
  const { claimPolicy, settings, ports } = context;
  const fallbackChars = settings.budgets.perResultChars;
  if (claimPolicy === null) {
    const kept: Kept =
      result.chars > fallbackChars
        ? { kind: "unstored", limitChars: fallbackChars, why: STORING_IS_OFF }
        : { kind: "inline", limits: null };
    return { value: { ...result, kept }, event: null };
  }
  const limits = limitsFor(claimPolicy, result.call.name, result.class);
  if (!isOver(limits, result)) return { value: { ...result, kept: { kind: "inline", limits } }, event: null };
  try {
    const { sha256, frames } = await ports.claims.put(result.safe);
    const handle = handleOf(context.salt, sha256, ports.hash);
    const { chars, bytes } = result;
    const facts = { handle, sha256, frames, tool: result.call.name, class: result.class };
    const more = { chars, bytes, lines: lineCount(result.safe), tainted: isTainted(result) };
    const claim = claimOf({ ...facts, ...more }, claimPolicy);
    return {
      value: { ...result, kept: { kind: "stored", limits, claim } },
      event: { type: "tool_result_stored", call: result.call.call, ...claim },
    };
  } catch (cause) {
    const kept: Kept = { kind: "unstored", limitChars: fallbackChars, why: whyUnstored(cause) };
    return { value: { ...result, kept }, event: null };
  }
}

export const whyUnstored = (cause: unknown): string =>
  `the store could not take it (${(cause as { code?: unknown }).code ?? "unknown error"})`;
export const STORING_IS_OFF = "storing results is turned off";
