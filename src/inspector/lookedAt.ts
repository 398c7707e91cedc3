/** Another agent's session, looked at where it is: in memory, gone with the window, shown like one of ours. */
import { charOfLine, lineEndsBefore } from "../claims/lines";
import { type Found, nextIn } from "../claims/nextMatch";
import { previousIn } from "../claims/previousMatch";
import { type ContentPart, type ContentWindow, windowOf } from "../claims/window";
import type { Direction, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { byteLength, charLength, lineCount } from "../schema/text";
import { transcriptNotices } from "./notes";
import { type InspectorFold, inspectorFold, settle } from "./project";
import type { RecordedSession } from "./whatIf/wholes";

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
  const [started] = events;
  if (fold.head === null || started?.type !== "session_started") return fold;
  fold.head.kind = "analysed";
  fold.head.notices.splice(0, transcriptNotices(started).length, ...transcriptNotices(started, "Read"));
  return fold;
}

/** Throws `blob-missing`. */
export function contentLookedAt({ content }: LookedAt, handle: Handle): string {
  const text = content(handle);
  if (text === null)
    throw new Failure(
      "blob-missing",
      "This session has no stored result of that name. Look for its handle in the inspector.",
    );
  return text;
}

/** Like those of the store: offsets in code points, `bytes` and `lines` of all of it. Throws as `contentLookedAt`. */
export function windowLookedAt(
  recorded: LookedAt,
  handle: Handle,
  offset: number,
  maximumChars: number,
): ContentWindow & {
  readonly tool: string;
  readonly bytes: number;
  readonly line: number;
  readonly lines: number;
} {
  const text = contentLookedAt(recorded, handle);
  const window = windowOf(text, offset, maximumChars);
  const line = lineEndsBefore(wholeOf(text, window.totalChars), window.offset) + 1;
  return { tool: "", ...window, bytes: byteLength(text), line, lines: lineCount(text) };
}

/** Where a text stands next, or last. Throws as `contentLookedAt`. */
export const findLookedAt = (
  recorded: LookedAt,
  handle: Handle,
  text: string,
  from: number,
  direction: Direction,
): Found | null =>
  (direction === "next" ? nextIn : previousIn)(contentLookedAt(recorded, handle), text, from);

/** Where a line starts, from 1; the last where there are fewer. Throws as `contentLookedAt`. */
export function lineLookedAt(recorded: LookedAt, handle: Handle, line: number): number {
  const text = contentLookedAt(recorded, handle);
  return charOfLine(wholeOf(text, charLength(text)), Math.min(line, lineCount(text)) - 1);
}

const wholeOf = (text: string, totalChars: number): ContentPart => ({ text, startChar: 0, totalChars });
