// The inspector's browser side: what an open turn has: asked, notes, recovery, repairs, request, reply, calls, end. Pure.
import type { ListView, NoteView, Recovered, RequestFill, TurnView } from "../src/schema/view";
import { callRow } from "./callRows";
import type { Format } from "./format";
import { factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";
import { endName, repairName, replyEnd, requestLine } from "./words";

/** The rows below a turn whose key is `key`. `isRunning`: its reply is awaited. */
export const belowTurn = (key: string, turn: TurnView, isRunning: boolean, f: Format): Row[] => [
  ...(turn.asked === null ? [] : [askedRow(key, turn.asked, turn.askedAt)]),
  ...turn.notes.map((note, at) => noteRow(`${key}/note${at}`, note)),
  ...turn.recovery.map((step, at) => recoveryRow(`${key}/recovery${at}`, step, f)),
  ...turn.repairs.map((repair, at) => repairRow(`${key}/repair${at}`, repair)),
  ...(turn.request === null ? [] : [requestRow(key, turn.request, f)]),
  ...(turn.reply === null && !isRunning ? [] : [replyRow(key, turn, f)]),
  ...turn.calls.map((call) => callRow(`${key}/${call.call}`, call, f)),
  ...(turn.ended === null ? [] : [endRow(key, turn.ended)]),
];

const noteRow = (key: string, { n, type, tone, text }: NoteView): Row =>
  rowOf({
    key,
    kind: "note",
    icon: tone === "warning" ? "warning" : "note",
    tone: tone === "warning" ? "warning" : "quiet",
    label: oneLine(text),
    event: { n, type },
    details: () => ({ facts: factsOf(["Note", text]), texts: [] }),
  });

const askedRow = (key: string, asked: string, n: number | null): Row =>
  rowOf({
    key: `${key}/asked`,
    kind: "asked",
    icon: "account",
    label: "Asked",
    description: oneLine(asked),
    event: n === null ? null : { n, type: "asked" },
    details: () => ({ facts: [], texts: [{ label: "Asked", text: asked }] }),
  });

const requestRow = (key: string, request: NonNullable<TurnView["request"]>, f: Format): Row =>
  rowOf({
    key: `${key}/request`,
    kind: "request",
    icon: "arrow-up",
    label: "Request",
    description: requestLine(request, f),
    event: { n: request.n, type: "requested" },
    details: () => ({
      facts: [
        { label: "Sent", value: f.fullTime(request.at), at: request.at },
        ...factsOf(
          ["Messages", f.number(request.messages)],
          ["Characters", f.number(request.chars)],
          ["Bytes", f.number(request.bytes)],
          ["Images", request.imageBytes === 0 ? null : f.count(request.imageBytes, "byte")],
          ["Model", request.model],
          ["Filled", request.fill && fillText(request.fill, f)],
          ...prefixFacts(request.prefix, f),
        ),
      ],
      texts: [],
    }),
  });

const fillText = ({ tokens, counter }: RequestFill, f: Format): string =>
  `${f.count(
    tokens.reduce((sum, one) => sum + one, 0),
    "token",
  )} (${counter})`;

/** What of a request the one before it began with too, which a prompt cache can give back. */
function prefixFacts(
  prefix: NonNullable<TurnView["request"]>["prefix"],
  f: Format,
): readonly (readonly [string, string | null])[] {
  if (prefix === null) return [];
  const { tokens, totalTokens, bytes, messages, counter, by } = prefix;
  return [
    ["Tokens", `${f.number(totalTokens)} (${counter})`],
    ["As before", `${f.count(tokens, "token")}, ${f.count(bytes, "byte")}`],
    ["First change", by === null ? null : `Message ${messages + 1}, by event ${by.n} (${by.type})`],
  ];
}

const recoveryRow = (
  key: string,
  { n, step, tokensBefore, tokensAfter, counter }: Recovered,
  f: Format,
): Row => {
  const line = `${RECOVERY_STEPS[step]}: ${f.number(tokensBefore)} → ${f.count(tokensAfter, "token")}`;
  return rowOf({
    key,
    kind: "recovery",
    icon: "fold",
    tone: "warning",
    label: "Did not fit",
    description: line,
    event: { n, type: "overflowed" },
    details: () => ({ facts: factsOf(["Step", line], ["Counted with", counter]), texts: [] }),
  });
};

const RECOVERY_STEPS: Readonly<Record<Recovered["step"], string>> = {
  budgets: "half the budgets for the last results",
  age: "older results shortened",
  blocks: "the oldest messages left out",
};

/** "search_text: 12 of 241 records read". */
const unreadText = (lists: readonly ListView[], f: Format): string =>
  lists
    .map(({ tool, inspected, total, complete }) => {
      const more = complete === true ? "" : "; the source has, or may have, more";
      return `${oneLine(tool, 80)}: ${f.number(inspected)} of ${f.count(total, "record")} read${more}`;
    })
    .join(". ");

function replyRow(key: string, turn: TurnView, f: Format): Row {
  const { reply } = turn;
  const said = oneLine(reply?.text ?? "");
  const end = replyEnd(turn, f);
  const isPlainAnswer = reply?.end === "answered" && said !== "";
  return rowOf({
    key: `${key}/reply`,
    kind: "reply",
    icon: reply?.end === "failed" ? "error" : "arrow-down",
    tone:
      reply === null
        ? "busy"
        : reply.end === "failed"
          ? "error"
          : reply.unread.length > 0
            ? "warning"
            : "plain",
    label: reply !== null && reply.unread.length > 0 ? "Reply, lists unread" : "Reply",
    event: reply && { n: reply.n, type: "replied" },
    description: isPlainAnswer ? said : [oneLine(end), said].filter((part) => part !== "").join(" · "),
    details: () => ({
      facts: factsOf(
        ["End", end],
        ["Time", reply && f.ms(reply.elapsedMs)],
        ["Input", reply?.inputTokens == null ? null : f.count(reply.inputTokens, "token")],
        ["Unread", unreadText(reply?.unread ?? [], f)],
        ["From its cache", reply?.cachedTokens == null ? null : f.count(reply.cachedTokens, "token")],
        ["Output", reply?.outputTokens == null ? null : f.count(reply.outputTokens, "token")],
      ),
      texts: reply === null || reply.text === "" ? [] : [{ label: "Text", text: reply.text }],
    }),
  });
}

const repairRow = (key: string, { n, kind, call, detail }: TurnView["repairs"][number]): Row =>
  rowOf({
    key,
    kind: "repair",
    icon: "wrench",
    tone: "warning",
    label: "Repaired",
    event: { n, type: "repaired" },
    description: oneLine(detail),
    details: () => ({
      facts: factsOf(["Repair", repairName(kind)], ["Detail", detail], ["Call", call, "code"]),
      texts: [],
    }),
  });

const endRow = (key: string, { n, end, message }: NonNullable<TurnView["ended"]>): Row =>
  rowOf({
    key: `${key}/end`,
    kind: "end",
    icon: end === "failed" ? "error" : end === "answered" ? "pass" : "debug-stop",
    tone: end === "failed" ? "error" : end === "turn_limit" ? "warning" : "quiet",
    label: end === "answered" ? "Run ended" : endName(end),
    event: { n, type: "run_ended" },
    description: oneLine(end === "answered" && message === "" ? "answered" : message),
    details: () => ({ facts: factsOf(["End", endName(end)], ["Message", message]), texts: [] }),
  });
