// The inspector's browser side: the rows above the turns: the session, its limits, its notices. Pure.
import type { LimitNotice, SessionHead } from "../src/schema/view";
import type { Format } from "./format";
import { factsOf, type Row, rowOf } from "./row";
import { oneLine } from "./visibleText";
import { modeName, summaryOf } from "./words";

const KINDS: Readonly<Record<SessionHead["kind"], string>> = {
  own: "",
  imported: "imported",
  analysed: "analyzed, read only",
};

/** Its children are the rows of `belowHead`, and the turns, which nobody makes all at once. */
export function sessionRow(head: SessionHead, isParent: boolean, f: Format): Row {
  const { title, workspace, startedAt, running, kind } = head;
  const parts = [oneLine(workspace), KINDS[kind], running ? "running" : ""].filter((part) => part !== "");
  return rowOf({
    key: head.session,
    kind: "session",
    icon: running ? "loading" : kind === "own" ? "comment-discussion" : "file-symlink-file",
    tone: running ? "busy" : "plain",
    label: oneLine(title),
    description: parts.join(" · "),
    tooltip: `${oneLine(title)}: ${oneLine(workspace)}, started ${f.fullTime(startedAt)}`,
    startsOpen: true,
    isParent,
    details: () => ({ facts: sessionFacts(head, f), texts: [] }),
  });
}

const sessionFacts = (head: SessionHead, f: Format) => [
  ...factsOf(
    ["Summary", summaryOf(head, f)],
    ["Title", head.title],
    ["Workspace", head.workspace],
    ["Kind", KIND_FACTS[head.kind]],
  ),
  { label: "Started", value: f.fullTime(head.startedAt), at: head.startedAt },
  ...factsOf(
    ["Model", head.model],
    ["Window", head.windowTokens === null ? null : f.count(head.windowTokens, "token")],
    ["Intent", head.intent],
    ["Result limits", modeName(head.mode)],
    ["Policy", head.policy],
    ["Digest, policy", head.policySha256, "code"],
    ["Session", head.session, "code"],
  ),
];

const KIND_FACTS: Readonly<Record<SessionHead["kind"], string | null>> = {
  own: null,
  imported: "Imported from another agent's file",
  analysed: "Another agent's file, read where it is; it cannot be changed here",
};

export const belowHead = ({ session, limits, notices }: SessionHead): Row[] => [
  ...limits.map((limit, at) => limitRow(`${session}/limit${at}`, limit)),
  ...notices.map((text, at) => noticeRow(`${session}/notice${at}`, text)),
];

const noticeRow = (key: string, text: string): Row =>
  rowOf({
    key,
    kind: "notice",
    icon: "info",
    tone: "quiet",
    label: oneLine(text),
    details: () => ({ facts: factsOf(["Notice", text]), texts: [] }),
  });

const limitRow = (key: string, { label, text, details }: LimitNotice): Row =>
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
