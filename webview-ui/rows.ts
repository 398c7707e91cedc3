// The inspector's browser side: from the host's state to the tree: session → turn → request, reply, calls. Pure.
import type { InspectorState, ListView, Recovered, SessionView, TurnView } from "../src/schema/view";
import { callRow } from "./callRows";
import type { Format } from "./format";
import { factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";
import { endName, modeName, repairName, replyEnd, requestLine, summaryOf } from "./words";

/** The tree's top: the selected session, or nothing. */
export function rowsOf({ selected }: Pick<InspectorState, "selected">, f: Format): readonly Row[] {
  return selected === null ? [] : [sessionRow(selected, f)];
}

function sessionRow(session: SessionView, f: Format): Row {
  const { title, workspace, startedAt, running, turns, notices, limits } = session;
  return rowOf({
    key: session.session,
    kind: "session",
    icon: running ? "loading" : "comment-discussion",
    tone: running ? "busy" : "plain",
    label: oneLine(title),
    description: [oneLine(workspace), running ? "running" : ""].filter((part) => part !== "").join(" · "),
    tooltip: `${oneLine(title)}: ${oneLine(workspace)}, started ${f.fullTime(startedAt)}`,
    startsOpen: true,
    isParent: turns.length + notices.length + limits.length > 0,
    children: () => [
      ...limits.map((limit, at) => limitRow(`${session.session}/limit${at}`, limit)),
      ...notices.map((text, at) => noticeRow(`${session.session}/notice${at}`, text)),
      ...turns.map((turn, at) => turnRow(session, turn, at === turns.length - 1, f)),
    ],
    details: () => ({
      facts: factsOf(
        ["Summary", summaryOf(session, f)],
        ["Title", title],
        ["Workspace", workspace],
        ["Started", f.fullTime(startedAt)],
        ["Model", session.model],
        ["Result limits", modeName(session.mode)],
        ["Policy", session.policy],
        ["Digest, policy", session.policySha256, "code"],
        ["Session", session.session, "code"],
      ),
      texts: [],
    }),
  });
}

const noticeRow = (key: string, text: string): Row =>
  rowOf({
    key,
    kind: "notice",
    icon: "info",
    tone: "quiet",
    label: oneLine(text),
    details: () => ({ facts: factsOf(["Notice", text]), texts: [] }),
  });

const limitRow = (key: string, { label, text, details }: SessionView["limits"][number]): Row =>
  rowOf({
    key,
    kind: "notice",
    icon: "info",
    label,
    description: oneLine(text),
    details: () => ({
      facts: factsOf([label, text]),
      texts: details.length === 0 ? [] : [{ label: "Contracts", text: details.join("\n") }],
    }),
  });

function turnRow(session: SessionView, turn: TurnView, isNewest: boolean, f: Format): Row {
  const { asked, calls, reply, ended } = turn;
  const key = `${session.session}/t${turn.turn}`;
  const isRunning = isNewest && session.running;
  const hasFailed = reply?.end === "failed" || ended?.end === "failed";
  return rowOf({
    key,
    kind: "turn",
    icon: isRunning ? "loading" : asked === null ? "arrow-small-right" : "comment",
    tone: isRunning ? "busy" : hasFailed ? "error" : "plain",
    label: `Turn ${f.number(turn.turn)}`,
    description: turnDescription(turn, f),
    startsOpen: isNewest,
    children: () => [
      ...(asked === null ? [] : [askedRow(key, asked)]),
      ...turn.recovery.map((step, at) => recoveryRow(`${key}/recovery${at}`, step, f)),
      ...turn.repairs.map((repair, at) => repairRow(`${key}/repair${at}`, repair)),
      ...(turn.request === null ? [] : [requestRow(key, turn.request, f)]),
      ...(reply === null && !isRunning ? [] : [replyRow(key, turn, f)]),
      ...calls.map((call) => callRow(`${key}/${call.call}`, call, f)),
      ...(ended === null ? [] : [endRow(key, ended)]),
    ],
    details: () => ({
      facts: factsOf(
        ["Reply", reply === null && !isRunning ? null : replyEnd(turn, f)],
        ["Request", turn.request === null ? null : requestLine(turn.request, f)],
        ["Calls", calls.length === 0 ? null : oneLine(calls.map(({ tool }) => tool).join(", "), 400)],
        ["Run ended", ended === null ? null : endName(ended.end)],
      ),
      texts: asked === null ? [] : [{ label: "Asked", text: asked }],
    }),
  });
}

/** What was asked; in a turn where nothing was, what the turn did. */
function turnDescription(turn: TurnView, f: Format): string {
  if (turn.asked !== null) return oneLine(turn.asked);
  if (turn.calls.length > 0) return oneLine(turn.calls.map(({ tool }) => tool).join(", "));
  const said = oneLine(turn.reply?.text ?? "");
  return said === "" ? replyEnd(turn, f) : said;
}

const askedRow = (key: string, asked: string): Row =>
  rowOf({
    key: `${key}/asked`,
    kind: "asked",
    icon: "account",
    label: "Asked",
    description: oneLine(asked),
    details: () => ({ facts: [], texts: [{ label: "Asked", text: asked }] }),
  });

const requestRow = (key: string, request: NonNullable<TurnView["request"]>, f: Format): Row =>
  rowOf({
    key: `${key}/request`,
    kind: "request",
    icon: "arrow-up",
    label: "Request",
    description: requestLine(request, f),
    details: () => ({
      facts: factsOf(
        ["Messages", f.number(request.messages)],
        ["Characters", f.number(request.chars)],
        ["Bytes", f.number(request.bytes)],
        ["Images", request.imageBytes === 0 ? null : f.count(request.imageBytes, "byte")],
        ["Model", request.model],
        ...prefixFacts(request.prefix, f),
      ),
      texts: [],
    }),
  });

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
  { step, tokensBefore, tokensAfter, counter }: Recovered,
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

const repairRow = (key: string, { kind, call, detail }: TurnView["repairs"][number]): Row =>
  rowOf({
    key,
    kind: "repair",
    icon: "wrench",
    tone: "warning",
    label: "Repaired",
    description: oneLine(detail),
    details: () => ({
      facts: factsOf(["Repair", repairName(kind)], ["Detail", detail], ["Call", call, "code"]),
      texts: [],
    }),
  });

const endRow = (key: string, { end, message }: NonNullable<TurnView["ended"]>): Row =>
  rowOf({
    key: `${key}/end`,
    kind: "end",
    icon: end === "failed" ? "error" : end === "answered" ? "pass" : "debug-stop",
    tone: end === "failed" ? "error" : end === "turn_limit" ? "warning" : "quiet",
    label: end === "answered" ? "Run ended" : endName(end),
    description: oneLine(end === "answered" && message === "" ? "answered" : message),
    details: () => ({ facts: factsOf(["End", endName(end)], ["Message", message]), texts: [] }),
  });
