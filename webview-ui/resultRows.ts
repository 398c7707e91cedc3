// The inspector's browser side: what became of a call's result as rows: shown, stored, made safe, refused, shortened. Pure.
import type { Handle } from "../src/schema/claim";
import type { CallView, MediaView } from "../src/schema/view";
import {
  changesLine,
  className,
  cutFacts,
  reasonName,
  refusalName,
  resultWords,
  shortenedLine,
  windowText,
} from "./callWords";
import { capital, type Format } from "./format";
import { factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";

const RESULT_ICONS = {
  inline: "symbol-string",
  ticket: "archive",
  page: "list-ordered",
  projection: "filter",
  branch: "git-branch",
  cut: "warning",
  window: "book",
  refusal: "circle-slash",
} as const;

/** What the stored whole stands behind. */
const STANDS_IN: readonly string[] = ["ticket", "page", "projection", "branch"];

export function resultRow(
  key: string,
  call: CallView,
  result: NonNullable<CallView["result"]>,
  f: Format,
): Row {
  const { label, description } = resultWords(call, f);
  const { redeemed, stored } = call;
  const storedHandle = STANDS_IN.includes(result.shown) ? (stored?.handle ?? null) : null;
  return rowOf({
    key: `${key}/result`,
    kind: "result",
    icon: RESULT_ICONS[result.shown],
    tone:
      result.shown === "cut" || result.shown === "refusal" ? "warning" : result.isError ? "error" : "plain",
    label,
    description: oneLine(description),
    details: () => ({
      facts: factsOf(
        ["Result", label],
        ["Why", reasonName(result.why)],
        ["Kind", className(result.class)],
        ["Origin", call.tainted ? "From outside, marked as untrusted" : null],
        ["Shown", f.count(result.shownChars, "character")],
        ["Read back", redeemed && capital(windowText(redeemed, f))],
        ["Handle", redeemed?.handle ?? storedHandle, "code"],
      ),
      texts: [{ label: "Shown to the model", text: result.text }],
    }),
    opens: redeemed?.handle ?? storedHandle,
  });
}

export function storedRow(key: string, stored: NonNullable<CallView["stored"]>, f: Format): Row {
  const times = stored.readBacks === 1 ? "once" : f.count(stored.readBacks, "time");
  const readBacks = stored.readBacks === 0 ? "not read back" : `read back ${times}`;
  return rowOf({
    key: `${key}/stored`,
    kind: "stored",
    icon: "database",
    label: "In the store",
    description: `${f.count(stored.bytes, "byte")}, ${f.count(stored.lines, "line")}, ${readBacks}`,
    details: () => ({
      facts: factsOf(
        ["Handle", stored.handle, "code"],
        ["Characters", f.number(stored.chars)],
        ["Bytes", f.number(stored.bytes)],
        ["Lines", f.number(stored.lines)],
        ["Read backs", f.number(stored.readBacks)],
      ),
      texts: [],
    }),
    opens: stored.handle,
  });
}

/** One part that is not text. Its row opens a line that says what it is. */
export const mediaRow = (key: string, { handle, mediaType, bytes, shown, text }: MediaView, f: Format): Row =>
  rowOf({
    key,
    kind: "stored",
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

export const changesRow = (key: string, changes: CallView["changes"], f: Format): Row =>
  rowOf({
    key: `${key}/changes`,
    kind: "changes",
    icon: "shield",
    tone: changes.refused === null ? "plain" : "warning",
    label: "Made safe",
    description: oneLine(changesLine(changes, f)),
    details: () => ({
      facts: factsOf(
        ["Not kept", changes.refused],
        ["Forged markers escaped", f.number(changes.forgedMarkers)],
        ["Secrets hidden", f.number(changes.secrets)],
        ["Broken characters replaced", f.number(changes.loneSurrogates)],
      ),
      texts: [],
    }),
  });

export const refusalRow = (key: string, { reason, given }: NonNullable<CallView["refusal"]>): Row =>
  rowOf({
    key: `${key}/refusal`,
    kind: "refusal",
    icon: "circle-slash",
    tone: "warning",
    label: "Handle refused",
    description: refusalName(reason),
    details: () => ({
      facts: factsOf(["Reason", capital(refusalName(reason))], ["Given", given, "code"]),
      texts: [],
    }),
  });

export function shortenedRow(key: string, entry: CallView["shortened"][number], f: Format): Row {
  return rowOf({
    key,
    kind: "shortened",
    icon: "fold",
    label: "Shortened",
    description: shortenedLine(entry, f),
    details: () => ({
      facts: factsOf(
        ["Shortened", capital(shortenedLine(entry, f))],
        ...cutFacts(entry.cost, f),
        ["Handle", entry.handle, "code"],
        ["Whole result", "Stored unchanged"],
      ),
      texts: [],
    }),
    opens: entry.handle,
  });
}
