/** Step 6, beside the text: every part that is not text is checked in, whole, and shown or not once and for all (C25). */
import { claimOf } from "../claims/claim";
import { handleOf } from "../claims/handle";
import { isShowable } from "../claims/mediaType";
import type { ClaimPolicy } from "../claims/policy";
import { MEDIA_REASONS, mediaLine, untrustedImage } from "../claims/ticket";
import type { Claim } from "../schema/claim";
import type { SafeMedia } from "../schema/media";
import type { MediaShown } from "../schema/message";
import type { CallContext } from "./callContext";
import { record } from "./step";
import { isTainted, STORING_IS_OFF, type StoredResult, whyUnstored } from "./store";

export type KeptResult = StoredResult & { readonly shownMedia: readonly MediaShown[] };

/** One event for each part; the same bytes twice are one blob under one handle. A store that fails costs the part, never the run (C21). */
export async function keepMedia(result: StoredResult, context: CallContext): Promise<KeptResult> {
  const shownMedia: MediaShown[] = [];
  for (const part of result.media) shownMedia.push(await keepPart(part, result, context));
  return { ...result, shownMedia };
}

async function keepPart(part: SafeMedia, result: StoredResult, context: CallContext): Promise<MediaShown> {
  const { claimPolicy, ports } = context;
  if (claimPolicy === null) return unstored(part, result, STORING_IS_OFF);
  let claim: Claim;
  try {
    claim = await checkedIn(part, result, claimPolicy, context);
  } catch (cause) {
    return unstored(part, result, whyUnstored(cause));
  }
  await record(ports.log, {
    value: claim,
    event: { type: "tool_result_stored", call: result.call.call, ...claim },
  });
  const { handle, sha256, bytes } = claim;
  const facts = { handle, mediaType: part.mediaType, bytes };
  const why = whyNotShown(part, result, context);
  if (why !== null) return { shown: "line", ...facts, text: lineOf(part, result, claim, why) };
  const label = isTainted(result) && { label: untrustedImage(result.call.name) };
  return { shown: "image", ...facts, sha256, ...label };
}

/** `SafeMedia` only: what has not crossed the boundary does not compile here. */
async function checkedIn(
  { bytes, mediaType }: SafeMedia,
  result: StoredResult,
  policy: ClaimPolicy,
  { ports, salt }: CallContext,
): Promise<Claim> {
  const { sha256, frames } = await ports.claims.putBytes(bytes);
  const handle = handleOf(salt, sha256, ports.hash);
  const facts = { handle, sha256, frames, tool: result.call.name, class: result.class, mediaType };
  const sizes = { chars: 0, bytes: bytes.length, lines: 0 };
  return claimOf({ ...facts, ...sizes, tainted: isTainted(result) }, policy);
}

/** Null where the model is shown it. What the whole conversation may hold is judged before every request (fitImages.ts). */
function whyNotShown(
  { mediaType, bytes }: SafeMedia,
  result: StoredResult,
  { ports, settings }: CallContext,
): string | null {
  if (!isShowable(mediaType)) return "it is not text, and no image that can be shown";
  if (ports.model.info.abilities.images !== true) return MEDIA_REASONS.model;
  if (bytes.length > settings.budgets.perTurnBytes) return MEDIA_REASONS.perTurnBytes;
  if (isTainted(result) && settings.claimCheck.taintedHeads === "omit")
    return "images from outside are left out";
  return null;
}

const lineOf = ({ mediaType, bytes }: SafeMedia, result: StoredResult, stored: Claim | null, why: string) =>
  mediaLine({ tool: result.call.name, mediaType, bytes: bytes.length, stored, why });

const unstored = (part: SafeMedia, result: StoredResult, why: string): MediaShown => ({
  shown: "line",
  handle: null,
  mediaType: part.mediaType,
  bytes: part.bytes.length,
  text: lineOf(part, result, null, why),
});
