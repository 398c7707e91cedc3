// The inspector's browser side: what is said of sessions, turns, requests and replies. Receipts and results have their own words.
import type { Repair } from "../src/schema/event";
import type { LimitMode } from "../src/schema/policy";
import type { SessionHead, TurnView } from "../src/schema/view";
import { type Format, shortDigest } from "./format";
import { turnAt } from "./loaded";
import type { PageModel } from "./model";

export const WORDS = {
  start: "Start Session…",
  resume: "Continue Session…",
  stop: "Stop",
  analyze: "Analyze Session…",
  more: "More Actions",
  answer: "Answer…",
  intent: "Intent…",
  setLimits: "Result Limits…",
  review: "Review…",
  exportSession: "Export…",
  verify: "Verify",
  openInEditor: "Open in Editor",
  openTranscript: "Open Transcript",
  openStored: "Open Stored Result",
  viewContent: "View in Inspector",
  copyHandle: "Copy Handle",
  pin: "Pin",
  unpin: "Unpin",
  shorten: "Shorten Now",
  forget: "Delete Stored Result…",
  runAgain: "Run Again Without Limit…",
  fork: "Fork Here…",
  copyLink: "Copy Link",
  showRequest: "Show Request",
  showCall: "Show Call",
  showMore: "Show More",
  why: "Why",
  events: "Events",
  returned: "Returned",
  shown: "Shown to the model",
  now: "Now",
  acts: "What can be done with this row",
  versions: "Versions of the result",
  find: "Find in this session",
  findShort: "Find",
  filter: "Filter",
  explained: "Got It",
  firstStored:
    "A result was large, so it was stored whole. The model was shown its beginning and a handle, and can read the rest back. Open the row “In the store” to see all of it.",
  sessions: "Session",
  tree: "Turns and tool calls",
  details: "Details",
  closeDetails: "Close Details",
  loading: "Loading sessions…",
  empty:
    "No session yet. Start or analyze one to see what an agent's context holds, and what was kept out of it.",
  emptyHint:
    "This view then lists each turn: the request, the reply, every tool call with its receipt, and every stored result.",
  choose: "Choose a session…",
  noneSelected: "Choose a session to see its turns.",
} as const;

const MODES: Readonly<Record<LimitMode, string>> = { off: "Off", observe: "Observe", enforce: "Enforce" };
export const modeName = (mode: LimitMode): string => MODES[mode];

/** The sentence at the top: what happened in the session, in numbers. */
export function summaryOf({ totals, lists }: Pick<SessionHead, "totals" | "lists">, f: Format): string {
  if (totals.calls === 0) return "No tool calls yet.";
  const stored =
    totals.storedResults === 0
      ? "no results stored"
      : `${f.count(totals.storedResults, "result")} stored (${f.count(totals.storedChars, "character")}, ${f.number(totals.hiddenChars)} not shown)`;
  const parts = [f.count(totals.calls, "call"), stored];
  if (totals.deletedResults > 0) parts.push(`${f.number(totals.deletedResults)} deleted`);
  if (totals.readBacks > 0) parts.push(`${f.number(totals.readBacks)} read back`);
  const limits = limitsOf(totals, f);
  if (limits !== "") parts.push(limits);
  const incomplete = lists.filter(({ inspected, total, complete }) => inspected < total || complete !== true);
  if (incomplete.length > 0) parts.push(`${f.count(incomplete.length, "list")} incomplete`);
  if (totals.repairs > 0) parts.push(f.count(totals.repairs, "repair"));
  return `${parts.join("; ")}.`;
}

function limitsOf({ clamped, proposed }: SessionHead["totals"], f: Format): string {
  if (clamped > 0 && proposed > 0)
    return `${f.count(clamped, "limit")} lowered, ${f.number(proposed)} proposed`;
  if (clamped > 0) return `${f.count(clamped, "limit")} lowered`;
  return proposed > 0 ? `${f.count(proposed, "lower limit")} proposed` : "";
}

/** The quiet line under it: result limits, model, policy. */
export function settingsOf(session: SessionHead): string[] {
  const { kind, mode, model, policy, policySha256 } = session;
  if (model === "" && policy === "") return [];
  if (kind === "analysed") return [model]; // the rest is not what that session had
  return [`Result limits: ${modeName(mode)}`, model, `${policy} (${shortDigest(policySha256)})`].filter(
    (part) => part !== "",
  );
}

const ENDS: Readonly<Record<string, string>> = {
  answered: "Answered",
  stopped: "Stopped",
  failed: "Failed",
  turn_limit: "Stopped at the turn limit",
};
export const endName = (end: string): string => (Object.hasOwn(ENDS, end) ? (ENDS[end] ?? end) : end);

export const requestLine = ({ messages, chars }: NonNullable<TurnView["request"]>, f: Format): string =>
  `${f.count(messages, "message")}, ${f.count(chars, "character")}`;

export function replyEnd({ reply, calls }: TurnView, f: Format): string {
  switch (reply?.end) {
    case undefined:
      return "Waiting for the reply";
    case "answered":
      return "Answered";
    case "calls":
      return `Asked for ${f.count(calls.length, "call")}`;
    case "stopped":
      return "Stopped";
    case "failed":
      return `Failed: ${reply?.error ?? "no reason was given"}`;
  }
}

const REPAIRS: Readonly<Record<Repair["kind"], string>> = {
  result_missing: "A missing result was filled in",
  result_orphaned: "A result without a call was removed",
  call_duplicated: "A repeated call was removed",
  call_renamed: "A reused call id was replaced",
  call_without_id: "A call without an id was removed",
  result_moved: "A result was moved to its call",
  result_duplicated: "A repeated result was removed",
};
export const repairName = (kind: Repair["kind"]): string => REPAIRS[kind];

/** What a screen reader is told when a message has come; empty for nothing new. */
export function announcement(before: PageModel, after: PageModel): string {
  const [was, now] = [before.head, after.head];
  if (was === null || now === null || was.session !== now.session) return "";
  const newest = after.loaded.turnCount - 1;
  if (was.running && !now.running) {
    const ended = after.loaded.turns.get(newest)?.ended;
    return ended ? `Session: ${endName(ended.end).toLowerCase()}.` : "The session no longer runs.";
  }
  if (now.running && !was.running) return "The session runs.";
  const turn = turnAt(after.loaded, newest);
  return now.running && after.loaded.turnCount > before.loaded.turnCount && turn !== null
    ? `Turn ${turn}.`
    : "";
}
