// The inspector's browser side: one tool call as rows: arguments, receipt, permission, result and what became of it. Pure.
import type { Receipt } from "../src/schema/receipt";
import type { CallView } from "../src/schema/view";
import {
  changesLine,
  changesText,
  changeText,
  continuationText,
  DECISIONS,
  permissionLine,
  reasonName,
  receiptLine,
  resultWords,
  stateName,
} from "./callWords";
import { capital, type Format, pointerName, shortDigest } from "./format";
import { responseRow } from "./responseRow";
import { changesRow, refusalRow, resultRow, shortenedRow } from "./resultRows";
import { type Details, factsOf, type Row, rowOf, type Tone } from "./row";
import { mediaRow, pageRow, storedHandle, storedRow } from "./storedRows";
import { oneLine, prettyJson } from "./visibleText";
import { modeName } from "./words";

const ICONS: Readonly<Record<CallView["state"], readonly [icon: string, tone: Tone]>> = {
  proposed: ["circle-outline", "quiet"],
  waiting: ["question", "warning"],
  running: ["loading", "busy"],
  done: ["tools", "plain"],
  refused: ["circle-slash", "warning"],
  failed: ["error", "error"],
  interrupted: ["debug-disconnect", "warning"],
};

/** `key` is the turn's key and the call's id. */
export function callRow(key: string, call: CallView, f: Format): Row {
  const [icon, tone] = ICONS[call.state];
  const subject = subjectOf(call.arguments);
  const outcome = outcomeOf(call, f);
  return rowOf({
    key,
    kind: "call",
    icon,
    tone,
    label: oneLine(call.tool, 80),
    description: [oneLine(subject, 40), ...outcome].filter((part) => part !== "").join(" · "),
    tooltip: [`${oneLine(call.tool, 80)} ${oneLine(subject)}`.trim(), ...outcome].join("\n"),
    children: () => [
      argumentsRow(key, call),
      ...(call.receipt === null ? [] : [receiptRow(key, call.receipt, f)]),
      ...(call.authorised === null ? [] : [permissionRow(key, call.authorised)]),
      ...(call.result === null ? [] : [resultRow(key, call, call.result, f)]),
      ...(call.page === null ? [] : [pageRow(key, call.page, f)]),
      ...(call.response === null ? [] : [responseRow(key, call.response, f)]),
      ...(call.stored === null ? [] : [storedRow(key, call, call.stored, f)]),
      ...call.media.map((media, at) => mediaRow(`${key}/media${at}`, media, f)),
      ...(changesLine(call.changes, f) === "" ? [] : [changesRow(key, call.changes, f)]),
      ...(call.refusal === null ? [] : [refusalRow(key, call.refusal)]),
      ...call.shortened.map((entry, at) => shortenedRow(`${key}/shortened${at}`, call, entry, f)),
    ],
    details: () => callDetails(call, f),
    opens: storedHandle(call) ?? call.media[0]?.handle ?? call.redeemed?.handle ?? null,
    event: { n: call.n, type: "replied" },
  });
}

/** The parts of a call that a person looks for first: a changed limit, and what was shown of the result. */
function outcomeOf(call: CallView, f: Format): string[] {
  const { receipt, result, state, shortened } = call;
  const changes = receipt === null ? "" : changesText(receipt.changes, f);
  const proposed = receipt === null ? "" : changesText(receipt.proposed_changes, f);
  const { label, description } = resultWords(call, f);
  const isBrief = result?.shown === "inline";
  const shown =
    call.stored !== null && result?.shown === "ticket"
      ? `Stored result, ${f.count(call.stored.chars, "character")}`
      : isBrief
        ? description
        : `${label}: ${description}`;
  return [
    changes,
    proposed === "" ? "" : `${proposed} proposed`,
    result === null ? stateName(state).toLowerCase() : oneLine(isOnlyMedia(call) ? "" : shown),
    ...call.media.slice(0, 1).map(({ mediaType, bytes }) => `${mediaType}, ${f.count(bytes, "byte")}`),
    call.media.length > 1 ? `${f.number(call.media.length - 1)} more` : "",
    shortened.length > 0 ? "Shortened" : "",
    call.isPinned ? "Pinned" : "",
  ].filter((part) => part !== "");
}

const isOnlyMedia = ({ media, result }: CallView): boolean => media.length > 0 && result?.shownChars === 0;

/** What a call is about, from its arguments; empty where they say nothing short. */
function subjectOf(argumentsText: string): string {
  const match = /"(?:path|query|command|glob|pattern|url)"\s*:\s*("(?:[^"\\]|\\.){1,200}")/u.exec(
    argumentsText,
  );
  try {
    return match?.[1] ? String(JSON.parse(match[1])) : "";
  } catch {
    return ""; // a string that JSON does not know: the arguments row shows it as it is
  }
}

function callDetails(call: CallView, f: Format): Details {
  const result = call.result === null ? null : resultWords(call, f);
  return {
    facts: factsOf(
      ["Tool", call.tool, "code"],
      ["State", stateName(call.state)],
      ["Receipt", call.receipt && capital(receiptLine(call.receipt, f))],
      ["Permission", call.authorised && permissionLine(call.authorised)],
      ["Result", result && `${result.label}: ${result.description}`],
      ["Time", call.elapsedMs === null ? null : f.ms(call.elapsedMs)],
      ["Pinned", call.isPinned ? "Never shortened" : null],
      ["Call", call.call, "code"],
    ),
    texts: [
      { label: "Arguments", text: prettyJson(call.arguments) },
      ...(call.result === null ? [] : [{ label: "Shown to the model", text: call.result.text }]),
    ],
  };
}

const argumentsRow = (key: string, call: CallView): Row =>
  rowOf({
    key: `${key}/arguments`,
    kind: "arguments",
    icon: "json",
    label: "Arguments",
    description: oneLine(call.arguments),
    event: { n: call.n, type: "replied" },
    details: () => ({ facts: [], texts: [{ label: "Arguments", text: prettyJson(call.arguments) }] }),
  });

function receiptRow(key: string, receipt: Receipt, f: Format): Row {
  const { policy, actual, contract, continuation } = receipt;
  const isSame = receipt.effective_args_sha256 === receipt.original_args_sha256;
  const isChanged = receipt.changes.length + receipt.proposed_changes.length > 0;
  return rowOf({
    key: `${key}/receipt`,
    kind: "receipt",
    icon: "output",
    tone: receipt.decision === "error" ? "error" : receipt.decision === "deny" ? "warning" : "plain",
    label: "Receipt",
    description: oneLine(isChanged ? receiptLine(receipt, f) : capital(receiptLine(receipt, f))),
    details: () => ({
      facts: factsOf(
        ["Decision", DECISIONS[receipt.decision]],
        ["Reason", capital(reasonName(receipt.reason))],
        ...receipt.changes.map((change) => ["Lowered", changeText(change, f)] as const),
        ...receipt.proposed_changes.map((change) => ["Proposed", changeText(change, f)] as const),
        ["Result limits", modeName(receipt.mode)],
        ["Exemption", receipt.exemption],
        ["Contract", contract && `${contract.tool}, ${pointerName(contract.argument)}`],
        ["Policy", `${policy.name} ${policy.version} (${shortDigest(policy.sha256)})`],
        ["Items", actual === null ? null : actual.items === null ? "not counted" : f.number(actual.items)],
        ["Bytes", actual && f.number(actual.bytes)],
        [
          "Tokens",
          actual &&
            `${f.number(actual.tokens_estimated)}${receipt.estimator === null ? "" : ` (estimated: ${receipt.estimator})`}`,
        ],
        ["Measured", actual === null ? "nothing came back" : null],
        ["Continuation", continuation && continuationText(continuation)],
        [
          "Arguments",
          receipt.arguments_source === "raw"
            ? "the model's own text"
            : "an object that the model adapter parsed",
        ],
        ["Digest, asked", receipt.original_args_sha256, "code"],
        isSame
          ? ["Digest, run", "the same: no byte was changed"]
          : ["Digest, run", receipt.effective_args_sha256, "code"],
        ["Digest, policy", policy.sha256, "code"],
        ["Digest, rules", policy.rules_sha256, "code"],
      ),
      texts: [],
    }),
  });
}

const permissionRow = (key: string, authorised: NonNullable<CallView["authorised"]>): Row =>
  rowOf({
    key: `${key}/permission`,
    kind: "permission",
    icon: authorised.granted ? "check" : "circle-slash",
    tone: authorised.granted ? "plain" : "warning",
    label: "Permission",
    description: oneLine(permissionLine(authorised)),
    details: () => ({
      facts: factsOf(["Permission", permissionLine(authorised)], ["Reason", reasonName(authorised.reason)]),
      texts: [],
    }),
  });
