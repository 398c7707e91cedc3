/** Ageing: shortens old results, when that pays (seed 001 §Microcompactação, CONFORMANCE §4). */
import { kindOf } from "../claims/kind";
import { subjectOf } from "../claims/subject";
import { agedLine, agedPageLine } from "../claims/ticket";
import { parseLabel } from "../coverage/label";
import {
  agesOf,
  type DueAges,
  type DueResult,
  dueForAgeing,
  SHORTENED_HEAD_CHARS,
  SHORTENED_TAIL_CHARS,
} from "../history/age";
import type { HistoryState } from "../history/fold";
import { messageTokens } from "../history/messageTokens";
import { decideCut, expectedReads, mayCut } from "../history/promptCache";
import type { RequestSizes } from "../history/sizes";
import type { CutCost } from "../schema/cost";
import type { EventOf } from "../schema/event";
import type { ToolMessage } from "../schema/message";
import { type Archive, archiveOf, headAndTail, shortening, stored } from "./archive";
import type { Conversation } from "./conversation";
import { record } from "./step";

type Candidate = { readonly due: DueResult; readonly freedTokens: number };

/** What shortening a message would free, by level: its whole is read for that once. */
const freed = new WeakMap<ToolMessage, Map<DueResult["level"], number>>();

/** Before each request. `isRefused`: the provider said that it does not fit. Without a store nothing is cut (M3). */
export async function age(conversation: Conversation, isRefused = false): Promise<void> {
  const { ageing } = conversation.context.settings;
  const { strategy } = ageing;
  if (strategy === "off") return;
  const { history, sizes, cacheProfile: profile, idleSeconds } = conversation;
  const isOverflowing = isRefused || conversation.isOverflowing;
  const isByCost = strategy === "cacheAware";
  if (isByCost && !mayCut({ profile, idleSeconds, isOverflowing })) return;
  const candidates = await candidatesFor(conversation, agesOf(ageing));
  if (!isByCost) return cut(conversation, candidates, strategy);
  const moment = {
    profile,
    requests: history.requests,
    idleSeconds,
    totalTokens: conversation.prefixSize.tokens + sizes.of().tokens,
    spentTokens: history.cache.spentTokens,
    isOverflowing,
  };
  const decided = decideCut(
    candidates.map(({ due, freedTokens }) => ({
      freedTokens,
      tokensFromBlock: resentFrom(history, sizes, conversation.blockOf(due.facts.at)),
      expectedReads: expectedReads(due.text.length, history.turn + 1 - due.facts.turn),
    })),
    moment,
  );
  if (decided === null) return;
  const { chosen, ...figures } = decided;
  const { requests, totalTokens, spentTokens } = moment;
  const basis = { requests, idleSeconds, totalTokens, spentTokens: Math.round(spentTokens) };
  const cost: CutCost = { profile, ...basis, ...figures, counter: sizes.counter.name };
  const picked = chosen.map((at) => candidates[at] as Candidate);
  await cut(conversation, picked, strategy, cost);
}

/** What must be sent again if the history changes there: nothing more where it has changed before it. */
function resentFrom({ divergence }: HistoryState, sizes: RequestSizes, block: number): number {
  const { at, by } = divergence;
  return by !== null && at <= block ? 0 : sizes.tokensFrom(block);
}

/** Whatever the cost: everything but the last turn's results becomes as short as it may be. */
export async function ageAll(conversation: Conversation): Promise<void> {
  const ages: DueAges = {
    shortenAfterTurns: 2,
    clearAfterTurns: 2,
    minimumChars: 200,
    clearsOutput: true,
  };
  await cut(conversation, await candidatesFor(conversation, ages), "recovery");
}

async function candidatesFor(conversation: Conversation, ages: DueAges): Promise<Candidate[]> {
  const { claimPolicy, ports } = conversation.context;
  if (claimPolicy === null) return [];
  const isExempt = ({ tool }: DueResult["facts"]) =>
    ports.tools.some(({ spec }) => spec.name === tool && spec.effect === "write");
  const candidates: Candidate[] = [];
  for (const due of dueForAgeing(conversation.history, ages, conversation.history.turn + 1, isExempt)) {
    if (due.facts.handle !== null && ports.claims.find(due.facts.handle)?.forgotten) continue;
    const freedTokens = knownFreed(conversation, due) ?? (await freedBy(conversation, due));
    if (freedTokens > 0) candidates.push({ due, freedTokens });
  }
  return candidates;
}

function knownFreed(conversation: Conversation, { facts, level }: DueResult): number | undefined {
  const message = conversation.history.messages[facts.at];
  return message?.role === "tool" ? freed.get(message)?.get(level) : undefined;
}

/** 0: its whole cannot be read, or it would not become shorter. */
async function freedBy(conversation: Conversation, due: DueResult): Promise<number> {
  const message = conversation.history.messages[due.facts.at];
  if (message?.role !== "tool") return 0;
  const archive = await archiveOf(conversation, due.facts, due.text);
  if (archive === null) return 0;
  const text = agedText(conversation, due, archive);
  const counter = conversation.context.ports.tokens;
  const tokens = messageTokens(message, counter) - messageTokens({ ...message, text }, counter);
  freed.set(message, new Map([...(freed.get(message) ?? []), [due.level, tokens]]));
  return tokens;
}

async function cut(
  conversation: Conversation,
  candidates: readonly Candidate[],
  strategy: EventOf<"aged">["strategy"],
  cost?: CutCost,
): Promise<void> {
  const { claimPolicy } = conversation.context;
  if (claimPolicy === null) return;
  const decisions: EventOf<"aged">["decisions"] = [];
  for (const { due } of candidates) {
    const read = await archiveOf(conversation, due.facts, due.text);
    const archive = read && (await stored(conversation, claimPolicy, due.facts, read));
    if (archive === null) continue;
    const text = agedText(conversation, due, archive);
    decisions.push({ level: due.level, ...shortening(due.facts.call, due.text, text, archive.claim) });
  }
  if (decisions.length === 0) return;
  const turn = conversation.history.turn + 1;
  const event: EventOf<"aged"> = { type: "aged", turn, strategy, decisions, ...(cost && { cost }) };
  await record(conversation, { value: undefined, event });
}

/** What stands in the place of a result from now on. */
export function agedText(
  conversation: Conversation,
  { level, facts, text }: DueResult,
  archive: Archive,
): string {
  const { tool, handle, chars, lines } = archive.claim;
  const page = facts.shown === "page" ? parseLabel(text) : null; // our own words
  if (page !== null) {
    const about = subjectOf(conversation.argumentsOf(facts.call) ?? "");
    return agedPageLine({ tool, subject: about, ...page, handle });
  }
  if (level === 1)
    return headAndTail(
      archive,
      SHORTENED_HEAD_CHARS,
      SHORTENED_TAIL_CHARS,
      "shown earlier, now shortened",
      conversation.context.settings,
    );
  const subject = subjectOf(conversation.argumentsOf(facts.call) ?? "");
  return agedLine({ tool, subject, lines, kind: kindOf(archive.whole), totalChars: chars, handle });
}
