/** One result of a transcript as the events of a call: what is long is a stored content with a ticket, as in the loop. */
import { claimOf } from "../claims/claim";
import { handleOf } from "../claims/handle";
import { isShowable, mediaTypeOf } from "../claims/mediaType";
import { type ClaimPolicy, isOver, limitsFor } from "../claims/policy";
import { fenced, mediaLine, NO_OUTPUT, untrustedImage } from "../claims/ticket";
import { ticketFor } from "../claims/ticketFor";
import { toolKindOf } from "../claims/toolKind";
import type { Claim } from "../schema/claim";
import type { SessionEvent } from "../schema/event";
import type { MediaShown } from "../schema/message";
import { byteLength, charLength, lineCount } from "../schema/text";
import type { DraftMedia, DraftResult, TranscriptPorts } from "./draft";

export type ResultEvents = {
  readonly events: readonly SessionEvent[];
  readonly contents: readonly { readonly claim: Claim; readonly content: Buffer }[];
  readonly notes: readonly string[];
  readonly shown: string;
};

const MAXIMUM_PARTS = 100;

/** Everything in a transcript came from outside: whoever wrote the file may have written anything (CONFORMANCE §1, Taint). */
export function resultEvents(
  { call, tool, result }: { readonly call: string; readonly tool: string; readonly result: DraftResult },
  ports: TranscriptPorts,
  policy: ClaimPolicy,
): ResultEvents {
  const { isError = null } = result;
  const toolClass = isError ? "error" : toolKindOf(tool).class;
  const notes: string[] = [];
  const bounded = ports.safe.bound(result.text);
  const { text, hits } = ports.safe.hide(bounded?.text ?? "The result was refused and not kept.");
  if (!bounded) notes.push("result(s) were refused at the boundary");
  const parts = partsOf(result.media ?? [], notes);
  const chars = charLength(text);
  const bytes = byteLength(text);
  const mediaBytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
  const outcome = isError === null ? "unknown" : isError ? "failed" : "ok";
  const events: SessionEvent[] = [
    { type: "executed", call, outcome, code: isError ? "error" : null, items: null, elapsedMs: 0 },
  ];
  const { forgedMarkers = 0, loneSurrogates = 0 } = bounded ?? {};
  if (!bounded || forgedMarkers + loneSurrogates > 0 || Object.keys(hits).length > 0) {
    const refused = bounded ? null : "the boundary refused it";
    events.push({ type: "redacted", call, refused, forgedMarkers, loneSurrogates, secrets: { ...hits } });
  }
  events.push({
    type: "measured",
    call,
    items: null,
    chars,
    bytes,
    ...(parts.length > 0 && { mediaBytes }),
    tokensEstimated: ports.tokens.count(text),
    estimator: ports.tokens.name,
  });

  const contents: { claim: Claim; content: Buffer }[] = [];
  const keep = (content: Buffer, sizes: Pick<Claim, "chars" | "lines" | "mediaType">): Claim => {
    const name = ports.nameOf(content);
    const handle = handleOf(ports.salt, name.sha256, ports.hash);
    const { mediaType, ...size } = sizes;
    const facts = { handle, ...name, tool, class: toolClass, bytes: content.length, ...size };
    const claim = claimOf({ ...facts, ...(mediaType && { mediaType }), tainted: true }, policy);
    contents.push({ claim, content });
    events.push({ type: "tool_result_stored", call, ...claim });
    return claim;
  };
  const limits = limitsFor(policy, tool, toolClass);
  const isLong = isOver(limits, { chars, bytes });
  const claim = isLong ? keep(Buffer.from(text), { chars, lines: lineCount(text) }) : null;
  const media = parts.map((part) =>
    shownOf(part, keep(part.bytes, { chars: 0, lines: 0, mediaType: part.mediaType }), tool),
  );
  const isBlank = text.trim() === "";
  const whole = isBlank ? (media.length > 0 ? "" : NO_OUTPUT) : fenced(text, tool);
  const shown = claim ? ticketFor(text, claim, limits).text : whole;
  events.push({
    type: "remembered",
    call,
    shown: claim ? "ticket" : "inline",
    class: toolClass,
    limitChars: limits.thresholdChars,
    why: `${chars} characters, limit ${limits.thresholdChars}`,
    handle: claim?.handle ?? null,
    isError: isError ?? false,
    ...((!isBlank || media.length > 0) && { tainted: true as const }),
    text: shown,
    ...(media.length > 0 && { media }),
  });
  return { events, contents, notes, shown };
}

type Part = { readonly bytes: Buffer; readonly mediaType: ReturnType<typeof mediaTypeOf> };

function partsOf(media: readonly DraftMedia[], notes: string[]): readonly Part[] {
  const parts: Part[] = [];
  for (const { mediaType, base64 } of media) {
    const isOne = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/.test(base64.slice(0, 1000));
    const bytes = Buffer.from(isOne ? base64 : "", "base64");
    if (bytes.length === 0 || parts.length >= MAXIMUM_PARTS)
      notes.push("image(s) or other parts of results were no data, and left out");
    else parts.push({ bytes, mediaType: mediaTypeOf(bytes, mediaType) });
  }
  return parts;
}

function shownOf({ bytes, mediaType }: Part, { handle, sha256 }: Claim, tool: string): MediaShown {
  const facts = { handle, mediaType, bytes: bytes.length };
  if (isShowable(mediaType)) return { shown: "image", ...facts, sha256, label: untrustedImage(tool) };
  const why = "it is not text, and no image that can be shown";
  const text = mediaLine({ tool, mediaType, bytes: bytes.length, stored: { sha256, handle }, why });
  return { shown: "line", ...facts, text };
}
