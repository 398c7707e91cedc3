/** What is told of result limits at a run: intent, exemptions, and what became of the policy's sources and contracts. */
import type { EventOf, Logged } from "../schema/event";
import type { ContractCheck } from "../schema/policy";
import type { LimitNotice } from "../schema/view";

/** Of the configuration that is in force: a later one takes the place of all of it. */
export function limitNotices(event: Logged & EventOf<"configured">): LimitNotice[] {
  const { at, intent, exemptions = [], policyNotes = [], contractChecks = [] } = event;
  const exempt = exemptions.map(({ tool, once, reason, owner, expiresAt }) => {
    const what = `${once ? "one call of " : ""}${tool ?? "every tool"}`;
    return `Exempt: ${what}${leftOf(expiresAt, at)}. ${owner}: ${reason}`;
  });
  const said = intent === null ? [] : [`Intent: ${intent.replaceAll("_", " ")}. No result count is lowered.`];
  return [
    ...[...said, ...exempt, ...policyNotes].map((line) => noticeOf(line, [])),
    ...checkNotices(contractChecks),
  ];
}

function leftOf(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return "";
  const minutes = Math.round((expiresAt - now) / 60_000);
  if (minutes <= 0) return ", no longer";
  const hours = Math.round(minutes / 60);
  return minutes < 120 ? ` for ${counted(minutes, "minute")} more` : ` for ${counted(hours, "hour")} more`;
}

/** One line for all contracts of a source that share a reason. Contracts that do what they say need no words. */
function checkNotices(checks: readonly ContractCheck[]): LimitNotice[] {
  const groups = new Map<string, ContractCheck[]>();
  for (const check of checks) {
    if (check.result === "usable" || check.result === "overridden") continue;
    const key = JSON.stringify([check.source, check.result, check.reason]);
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = group.map(({ tool, argument }) => `${tool} ${argument}`);
    const isOne = group.length === 1;
    const who = isOne ? `${names[0]} (${first.source})` : `${group.length} contracts (${first.source})`;
    return [noticeOf(`${outcomeOf(first)}: ${who}, ${reasonOf(first)}.`, isOne ? [] : names)];
  });
}

const REASONS: Readonly<Record<string, string>> = {
  other_server: "the server is another one",
  other_tool: "the tool is another one",
  argument_gone: "the tool has no such argument",
  not_a_number: "the argument is no number",
  continuation_gone: "the argument to go on with is gone",
  ceiling_below_schema: "the tool takes no count that low",
  ceiling_not_allowed: "the tool does not take that count",
};

const outcomeOf = ({ result }: ContractCheck): string =>
  result === "observe_only" ? "Only observed" : "Not used";

function reasonOf({ result, reason }: ContractCheck): string {
  if (result === "observe_only") return "nobody says that the tool only reads";
  if (result === "not_read_only") return "the tool does more than read";
  return REASONS[reason ?? ""] ?? (reason ?? result).replaceAll("_", " ");
}

/** A line begins with what became of what it is about: in a narrow view that is what is left of it. */
function noticeOf(line: string, details: string[]): LimitNotice {
  const end = line.indexOf(": ");
  return { label: line.slice(0, end), text: line.slice(end + 2), details };
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
