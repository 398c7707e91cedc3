// The inspector's browser side: what became of a call's result as rows: shown, stored, made safe, refused, shortened. Pure.
import type { CallView } from "../src/schema/view";
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
import { storedHandle } from "./storedRows";
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
  const { redeemed } = call;
  const handle = redeemed?.handle ?? (STANDS_IN.includes(result.shown) ? storedHandle(call) : null);
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
        ["Why", f.sentence(reasonName(result.why))],
        ["Kind", className(result.class)],
        ["Origin", call.tainted ? "From outside, marked as untrusted" : null],
        ["Shown", f.count(result.shownChars, "character")],
        ["Read back", redeemed && capital(windowText(redeemed, f))],
        ["Handle", handle, "code"],
      ),
      texts: [{ label: "Shown to the model", text: result.text }],
    }),
    opens: handle,
    event: { n: result.n, type: "remembered" },
  });
}

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

export function shortenedRow(
  key: string,
  { stored }: Pick<CallView, "stored">,
  entry: CallView["shortened"][number],
  f: Format,
): Row {
  const isDeleted = stored?.isForgotten === true && stored.handle === entry.handle;
  const handle = isDeleted ? null : entry.handle;
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
        ["Whole result", isDeleted ? "Deleted by you" : "Stored unchanged"],
      ),
      texts: [],
    }),
    opens: handle,
    event: { n: entry.n, type: entry.by === "budget" ? "budgeted" : "aged" },
  });
}
