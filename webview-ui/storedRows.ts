// The inspector's browser side: what of a call's result is kept: the stored whole, what read it back, its parts that are no text. Pure.
import type { Handle } from "../src/schema/claim";
import type { CallView, MediaView } from "../src/schema/view";
import { className } from "./callWords";
import { capital, type Format } from "./format";
import { factsOf, type Row, rowOf } from "./row";

type Stored = NonNullable<CallView["stored"]>;

/** What can be opened of a call's own result: nothing whose content the person deleted. */
export const storedHandle = ({ stored }: Pick<CallView, "stored">): Handle | null =>
  stored === null || stored.isForgotten ? null : stored.handle;

export function storedRow(key: string, call: CallView, stored: Stored, f: Format): Row {
  const readers = stored.readBy.map((id, at) => readerRow(`${key}/stored/reader${at}`, key, id));
  const class_ = call.result?.class ?? null;
  return rowOf({
    key: `${key}/stored`,
    kind: "stored",
    icon: stored.isForgotten ? "trash" : call.isPinned ? "pinned" : "database",
    tone: stored.isForgotten ? "quiet" : "plain",
    label: stored.isForgotten ? "Deleted" : "In the store",
    description: `${f.count(stored.bytes, "byte")}, ${f.count(stored.lines, "line")}, ${timesRead(stored, f)}`,
    ...(readers.length > 0 && { children: () => readers }),
    details: () => ({
      facts: factsOf(
        ["Handle", stored.handle, "code"],
        ["Content", stored.isForgotten ? "Deleted by you: the model's handle leads nowhere now" : null],
        ["Kind", class_ && className(class_)],
        ["Characters", f.number(stored.chars)],
        ["Bytes", f.number(stored.bytes)],
        ["Lines", f.number(stored.lines)],
        ["Pinned", call.isPinned ? "Never shortened" : null],
        ["Read backs", f.number(stored.readBacks)],
        ["Read back by", stored.readBy.join(", "), "code"],
      ),
      texts: [],
    }),
    opens: storedHandle(call),
    event: { n: stored.n, type: "tool_result_stored" },
  });
}

function timesRead({ readBacks }: Stored, f: Format): string {
  if (readBacks === 0) return "not read back";
  return `read back ${readBacks === 1 ? "once" : f.count(readBacks, "time")}`;
}

/** A call that read it back; its row leads there. An id of ours names its turn ("t5c0"); any other leads nowhere. */
function readerRow(key: string, callKey: string, id: string): Row {
  const turn = /^t(\d+)c\d+$/.exec(id)?.[1];
  const session = callKey.split("/").slice(0, -2).join("/");
  return rowOf({
    key,
    kind: "readBack",
    icon: "book",
    label: "Read back by",
    description: turn === undefined ? id : `${id}, turn ${turn}`,
    leadsTo: turn === undefined ? null : `${session}/t${turn}/${id}`,
    details: () => ({ facts: factsOf(["Call", id, "code"], ["Turn", turn ?? null]), texts: [] }),
  });
}

/** Records of a list that a call's result has. */
export function pageRow(key: string, page: NonNullable<CallView["page"]>, f: Format): Row {
  const { first, last, references, total, handle } = page;
  const count = Math.max(0, last - first + 1);
  const records =
    count === 0 ? "no records" : `records ${f.number(first)}–${f.number(last)} of ${f.number(total)}`;
  return rowOf({
    key: `${key}/page`,
    kind: "page",
    icon: "list-ordered",
    label: "Page",
    description: references === 0 ? records : `${records}, ${f.number(references)} by reference`,
    details: () => ({
      facts: factsOf(
        ["Records", capital(records)],
        ["Total", f.count(total, "record")],
        ["By reference", references === 0 ? null : `${f.count(references, "record")}, too large for a page`],
        ["Handle", handle, "code"],
      ),
      texts: [],
    }),
    opens: handle,
  });
}

/** One part that is not text. Its row opens a line that says what it is. */
export const mediaRow = (key: string, { handle, mediaType, bytes, shown, text }: MediaView, f: Format): Row =>
  rowOf({
    key,
    kind: "media",
    icon: mediaType.startsWith("image/") ? "file-media" : "file-binary",
    tone: handle === null ? "warning" : "plain",
    label: mediaType.startsWith("image/") ? "Image" : "Not text",
    description: `${mediaType}, ${f.count(bytes, "byte")}, ${mediaState(shown, handle)}`,
    details: () => ({
      facts: factsOf(
        ["Type", mediaType],
        ["Bytes", f.number(bytes)],
        ["Shown", capital(mediaState(shown, handle))],
        ["Handle", handle, "code"],
      ),
      texts: text === "" ? [] : [{ label: "Shown to the model", text }],
    }),
    opens: handle,
  });

const mediaState = (shown: MediaView["shown"], handle: Handle | null): string =>
  shown === "image" ? "shown as an image" : handle === null ? "not stored" : "stored, not shown";
