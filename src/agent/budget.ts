/** The turn's budgets: what of its results is more than a request may carry is cut, the whole kept (CONFORMANCE §3). */
import { type ClaimPolicy, isExcluded } from "../claims/policy";
import { overBudget, PREVIEW_HEAD_CHARS, PREVIEW_TAIL_CHARS, type ResultSize } from "../history/budget";
import { lastResults, type ResultFacts } from "../history/fold";
import type { EventOf, Shortening } from "../schema/event";
import type { BudgetSettings } from "../schema/settings";
import { byteLength, charLength } from "../schema/text";
import { type Archive, archiveOf, headAndTail, shortening, stored } from "./archive";
import type { Conversation } from "./conversation";
import { record } from "./step";

/** Brings the last turn's results within their budgets, by default those of the settings. */
export async function budget(
  conversation: Conversation,
  limits = conversation.context.settings.budgets,
): Promise<void> {
  const { claimPolicy } = conversation.context;
  const { history } = conversation;
  if (claimPolicy === null) return;
  const sizes = lastResults(history).map((facts) => sizeOf(conversation, claimPolicy, facts));
  for (const { limit, cuts } of overBudget(sizes, limits)) {
    const shortenings: Shortening[] = [];
    for (const { call, keepChars } of cuts) {
      const facts = conversation.history.results.get(call); // as an earlier pass left it
      const before = conversation.textOf(call);
      const read = facts && before !== null ? await archiveOf(conversation, facts, before) : null;
      const archive = facts && read && (await stored(conversation, claimPolicy, facts, read));
      if (!archive || before === null) continue;
      const text = previewText(conversation, archive, keepChars, limit);
      if (charLength(text) >= charLength(before)) continue; // its labels are as long as what they would hide
      shortenings.push(shortening(call, before, text, archive.claim));
    }
    if (shortenings.length === 0) continue;
    const event: EventOf<"budgeted"> = { type: "budgeted", turn: history.turn, limit, cuts: shortenings };
    await record(conversation, { value: undefined, event });
  }
}

function sizeOf(
  conversation: Conversation,
  policy: ClaimPolicy,
  { call, tool, shown }: ResultFacts,
): ResultSize {
  const text = conversation.textOf(call) ?? "";
  const isFixed = shown === "window" || shown === "branch" || shown === "page";
  const isExempt = isFixed || shown === "cut" || isExcluded(policy, tool);
  return { call, chars: charLength(text), bytes: byteLength(text), isExempt, isFixed };
}

function previewText(
  { context }: Conversation,
  archive: Archive,
  keepChars: number,
  limit: keyof BudgetSettings,
): string {
  const headChars = Math.floor((keepChars * PREVIEW_HEAD_CHARS) / (PREVIEW_HEAD_CHARS + PREVIEW_TAIL_CHARS));
  const why =
    limit === "perResultChars" ? "one result may not be larger" : "the results of one turn may not be larger";
  return headAndTail(archive, headChars, keepChars - headChars, why, context.settings);
}
