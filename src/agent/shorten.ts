/** Shortening what was shown already: ageing and budgets. The whole is stored first, always (CONFORMANCE M1, M3). */
import { claimOf, isMedia } from "../claims/claim";
import { headOf, tailOf } from "../claims/cut";
import { handleOf } from "../claims/handle";
import { kindOf } from "../claims/kind";
import { type ClaimPolicy, isExcluded } from "../claims/policy";
import { agedLine, shortenedText, unfenced } from "../claims/ticket";
import { type DueResult, dueForAgeing, SHORTENED_HEAD_CHARS, SHORTENED_TAIL_CHARS } from "../history/age";
import { overBudget, PREVIEW_HEAD_CHARS, PREVIEW_TAIL_CHARS } from "../history/budget";
import type { ResultFacts } from "../history/fold";
import type { Claim } from "../schema/claim";
import type { EventOf, Shortening } from "../schema/event";
import { Failure } from "../schema/failure";
import type { ToolMessage } from "../schema/message";
import type { BudgetSettings, CoreSettings } from "../schema/settings";
import { byteLength, charLength, lineCount, type SafeText } from "../schema/text";
import type { Conversation } from "./conversation";
import { record } from "./step";

/** Ages what is due before the next request. Without a store nothing is cut (M3). */
export async function age(conversation: Conversation): Promise<void> {
  const { settings, claimPolicy, ports } = conversation.context;
  if (claimPolicy === null) return;
  const nextTurn = conversation.history.turn + 1;
  const isExempt = (tool: string) =>
    ports.tools.some(({ spec }) => spec.name === tool && spec.effect === "write");
  const decisions: EventOf<"aged">["decisions"] = [];
  for (const due of dueForAgeing(conversation.history, settings.ageing, nextTurn, isExempt)) {
    const archive = await archived(conversation, claimPolicy, due.facts, due.text);
    if (archive === null) continue;
    const text = agedText(due, archive, subjectOf(conversation, due.facts.call), partsOf(settings));
    if (charLength(text) >= charLength(due.text)) continue; // a small ticket is shorter than its line
    decisions.push({ level: due.level, ...shortening(due.facts.call, due.text, text, archive.claim) });
  }
  if (decisions.length === 0) return;
  await record(conversation, {
    value: undefined,
    event: { type: "aged", turn: nextTurn, strategy: "age", decisions },
  });
}

/** Brings the last turn's results within their budgets. */
export async function budget(conversation: Conversation): Promise<void> {
  const { settings, claimPolicy } = conversation.context;
  const { history } = conversation;
  if (claimPolicy === null) return;
  const last = history.results.filter(({ turn }) => turn === history.turn);
  const texts = new Map(
    history.messages
      .filter((message): message is ToolMessage => message.role === "tool")
      .map(({ call, text }) => [call, text]),
  );
  const sizes = last.map(({ call, tool, shown }) => {
    const text = texts.get(call) ?? "";
    const isFixed = shown === "window" || shown === "branch";
    const isExempt = isFixed || shown === "cut" || isExcluded(claimPolicy, tool);
    return { call, chars: charLength(text), bytes: byteLength(text), isExempt, isFixed };
  });
  for (const { limit, cuts } of overBudget(sizes, settings.budgets)) {
    const shortenings: Shortening[] = [];
    for (const { call, keepChars } of cuts) {
      const facts = last.find((result) => result.call === call);
      const before = texts.get(call);
      if (!facts || before === undefined) continue;
      const archive = await archived(conversation, claimPolicy, facts, before);
      if (archive === null) continue;
      const text = previewText(archive, keepChars, limit, partsOf(settings));
      shortenings.push(shortening(call, before, text, archive.claim));
      texts.set(call, text);
    }
    if (shortenings.length === 0) continue;
    const event: EventOf<"budgeted"> = { type: "budgeted", turn: history.turn, limit, cuts: shortenings };
    await record(conversation, { value: undefined, event });
  }
}

type Archive = { readonly claim: Claim; readonly whole: SafeText };

/** The stored content behind a result: what it has, or a new claim for a result that was inline. Null: leave it as it is. */
async function archived(
  conversation: Conversation,
  policy: ClaimPolicy,
  facts: ResultFacts,
  shown: string,
): Promise<Archive | null> {
  const { ports } = conversation.context;
  try {
    if (facts.handle === null) return await archive(conversation, policy, facts, shown);
    const claim = ports.claims.find(facts.handle);
    return claim && !isMedia(claim) ? { claim, whole: await ports.claims.read(claim.sha256) } : null;
  } catch (cause) {
    if (cause instanceof Failure && cause.code === "log-unwritable") throw cause;
    return null; // the store cannot give or take it: nothing is cut
  }
}

async function archive(
  conversation: Conversation,
  policy: ClaimPolicy,
  { call, tool, class: toolClass, tainted }: ResultFacts,
  shown: string,
): Promise<Archive> {
  const { ports, salt } = conversation.context;
  const whole = (tainted ? unfenced(shown) : shown) as SafeText; // it crossed the boundary
  const { sha256, frames } = await ports.claims.put(whole);
  const handle = handleOf(salt, sha256, ports.hash);
  const sizes = { chars: charLength(whole), bytes: byteLength(whole), lines: lineCount(whole) };
  const claim = claimOf({ handle, sha256, frames, tool, class: toolClass, ...sizes, tainted }, policy);
  const value = { claim, whole };
  return record(conversation, { value, event: { type: "tool_result_stored", call, ...claim } });
}

/** Whether heads and tails of results from outside are shown at all. */
type Parts = { readonly omitsTainted: boolean };
const partsOf = ({ claimCheck }: CoreSettings): Parts => ({
  omitsTainted: claimCheck.taintedHeads === "omit",
});

function agedText(due: DueResult, { claim, whole }: Archive, subject: string, parts: Parts): string {
  const { tool, handle, chars, lines } = claim;
  if (due.level === 2)
    return agedLine({ tool, subject, lines, kind: kindOf(whole), totalChars: chars, handle });
  return headAndTail(
    { claim, whole },
    SHORTENED_HEAD_CHARS,
    SHORTENED_TAIL_CHARS,
    "shown earlier, now shortened",
    parts,
  );
}

function previewText(archive: Archive, keepChars: number, limit: keyof BudgetSettings, parts: Parts): string {
  const headChars = Math.floor((keepChars * PREVIEW_HEAD_CHARS) / (PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS));
  const why =
    limit === "perResultChars" ? "one result may not be larger" : "the results of one turn may not be larger";
  return headAndTail(archive, headChars, keepChars - headChars, why, parts);
}

function headAndTail(
  { claim, whole }: Archive,
  headChars: number,
  tailChars: number,
  why: string,
  { omitsTainted }: Parts,
): string {
  const isOmitted = claim.tainted === true && omitsTainted;
  const head = isOmitted ? "" : headOf(whole, headChars);
  const tail = isOmitted ? "" : tailOf(whole.slice(head.length), tailChars);
  const hiddenChars = claim.chars - charLength(head) - charLength(tail);
  const outside = claim.tainted ? claim.tool : null;
  return shortenedText({ head, tail, hiddenChars, handle: claim.handle, why, outside });
}

/** What a call was about: its path, query or command, as the model wrote it. */
function subjectOf(conversation: Conversation, call: string): string {
  for (const message of conversation.history.messages) {
    if (message.role !== "assistant") continue;
    const found = message.calls.find((candidate) => candidate.call === call);
    if (!found) continue;
    const match = /"(?:path|query|command|glob)"\s*:\s*"((?:[^"\\]|\\.){1,80})"/.exec(found.arguments);
    return match?.[1] ?? "";
  }
  return "";
}

function shortening(call: string, before: string, after: string, claim: Claim): Shortening {
  return {
    call,
    handle: claim.handle,
    text: after,
    charsBefore: charLength(before),
    charsAfter: charLength(after),
  };
}
