/** Another agent's session, looked at where it is: in memory, gone with the window, shown like one of ours. */
import { type Found, nextIn } from "../claims/nextMatch";
import { type ContentWindow, windowOf } from "../claims/window";
import type { Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { byteLength } from "../schema/text";
import { type InspectorFold, inspectorFold, settle } from "./project";
import type { RecordedSession } from "./whatIf/session";

export type LookedAt = {
  readonly session: string;
  readonly events: readonly Logged[];
  /** Null for a handle that it does not have. */
  readonly content: (handle: Handle) => string | null;
};

/** `session`: an id of its own. The file has one that any number of files may have. */
export function lookedAtFrom(session: string, { events, contents }: RecordedSession): LookedAt {
  const stored = new Map(
    events.flatMap((event) =>
      event.type === "tool_result_stored" ? [[event.handle, event.sha256] as const] : [],
    ),
  );
  return {
    session,
    events: events.map((event) => (event.type === "session_started" ? { ...event, session } : event)),
    content: (handle) => {
      const digest = stored.get(handle);
      return digest === undefined ? null : (contents.get(digest)?.toString("utf8") ?? null);
    },
  };
}

export function foldLookedAt({ events }: LookedAt): InspectorFold {
  const fold = settle(events.reduce(inspectorFold.reduce, inspectorFold.begin()));
  if (fold.head) fold.head.kind = "analysed";
  return fold;
}

/** Throws `blob-missing`. */
export function contentLookedAt({ content }: LookedAt, handle: Handle): string {
  const text = content(handle);
  if (text === null) throw new Failure("blob-missing", "This session has no stored result of that name.");
  return text;
}

/** Like those of the store: offsets in code points, `bytes` of all of it. Throws as `contentLookedAt`. */
export function windowLookedAt(
  recorded: LookedAt,
  handle: Handle,
  offset: number,
  maximumChars: number,
): ContentWindow & { readonly tool: string; readonly bytes: number } {
  const text = contentLookedAt(recorded, handle);
  return { tool: "", ...windowOf(text, offset, maximumChars), bytes: byteLength(text) };
}

/** Where a text stands next. Throws as `contentLookedAt`. */
export const findLookedAt = (recorded: LookedAt, handle: Handle, text: string, from: number): Found | null =>
  nextIn(contentLookedAt(recorded, handle), text, from);
