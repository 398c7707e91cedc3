/** What events say of one call, in the view of it. */
import type { Handle } from "../schema/claim";
import type { EventOf, Logged, ReplyCall } from "../schema/event";
import { charLength } from "../schema/text";
import type { CallView } from "../schema/view";
import { callOf, changeCall, type Draft, note, total } from "./draft";
import { mediaShown, mediaStored } from "./media";
import { firstChars } from "./words";

const PREVIEW_CHARS = 300;
const READERS = 50; // that are named

export const callFrom = (call: ReplyCall, n: number): CallView => ({
  call: call.call,
  n,
  tool: call.name,
  arguments: firstChars(call.arguments, PREVIEW_CHARS),
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
  pinnedBy: null,
  page: null,
});

export const pageOf = (
  handle: Handle,
  { first, last, references }: EventOf<"covered">["page"],
  records: number,
): CallView["page"] => ({ handle, first, last, references: references.length, total: records });

export function stored(draft: Draft, event: Logged & EventOf<"tool_result_stored">): Draft {
  const { n, handle, chars, bytes, lines } = event;
  draft.owners.set(handle, event.call);
  hold(draft, handle, chars);
  if (event.mediaType !== undefined) return changeCall(draft, event.call, (call) => mediaStored(call, event));
  const row = { n, handle, chars, bytes, lines, readBy: [], readBacks: 0, isForgotten: false };
  return changeCall(draft, event.call, () => ({ stored: row }));
}

/** One more result under a handle. Those that were deleted under it are there again. */
function hold(draft: Draft, handle: Handle, chars: number): void {
  const { results = 0, isForgotten = false } = draft.held.get(handle) ?? {};
  draft.held.set(handle, { results: results + 1, chars, isForgotten: false });
  const again = isForgotten ? results : 0;
  total(draft, { storedResults: 1 + again, storedChars: (1 + again) * chars, deletedResults: -again });
}

function letGo(draft: Draft, handle: Handle): void {
  const held = draft.held.get(handle);
  if (held === undefined || held.isForgotten) return;
  const { results, chars } = held;
  draft.held.set(handle, { ...held, isForgotten: true });
  total(draft, { storedResults: -results, storedChars: -results * chars, deletedResults: results });
}

export function remembered(draft: Draft, event: Logged & EventOf<"remembered">): Draft {
  const { n, shown, why, isError, text } = event;
  const call = callOf(draft, event.call);
  if (!call) return draft;
  draft.open.delete(event.call);
  const shownChars = charLength(text);
  if (call.stored && shown !== "inline")
    total(draft, { hiddenChars: Math.max(0, call.stored.chars - shownChars) });
  Object.assign(call, mediaShown(event));
  call.tainted = event.tainted === true;
  const preview = firstChars(text, PREVIEW_CHARS);
  call.result = { n, shown, class: event.class, why, isError, shownChars, text: preview };
  return draft;
}

/** The content is gone for everyone that it was stored for under that handle. */
export function forgotten(draft: Draft, { n, type, handle }: Logged & EventOf<"forgotten">): Draft {
  const text = `You deleted the content of ${handle}. What was shown of it stays in the log.`;
  note(draft, null, { n, type, tone: "plain", text });
  letGo(draft, handle);
  const owner = draft.owners.get(handle);
  if (owner === undefined) return draft;
  return changeCall(draft, owner, ({ stored: row }) => ({ stored: row && { ...row, isForgotten: true } }));
}

/** One more use of a stored result, wherever it stands. */
export function redeemed(draft: Draft, call: string, handle: Handle, what: Partial<CallView>): Draft {
  changeCall(draft, call, () => ({ state: "done", ...what }));
  total(draft, { readBacks: 1 });
  const owner = draft.owners.get(handle);
  if (owner === undefined) return draft;
  const read = (row: NonNullable<CallView["stored"]>) =>
    row.handle !== handle // a part of the result that is not text
      ? row
      : { ...row, readBy: [...row.readBy, call].slice(-READERS), readBacks: row.readBacks + 1 };
  return changeCall(draft, owner, ({ stored: row }) => ({ stored: row && read(row) }));
}
