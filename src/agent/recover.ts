/** Overflow recovery: the provider refused a request because of its size, so the next one is made smaller, step by step (CONFORMANCE §4). */
import { subjectOf } from "../claims/subject";
import { FETCH_RESULT, prunedText } from "../claims/ticket";
import { naiveOf } from "../history/fills";
import { messageTokens } from "../history/messageTokens";
import { oldBlocks, removalOf } from "../history/overflow";
import type { EventOf } from "../schema/event";
import { age, ageAll } from "./age";
import { budget } from "./budget";
import type { Conversation } from "./conversation";
import { fitImages } from "./images";
import { record } from "./step";

type Step = EventOf<"overflowed">["step"];
const STEPS: readonly Step[] = ["budgets", "age", "blocks"];

/** A note names no more of what left with it: each is a line. */
const NAMED_RESULTS = 40;

/** How far recovery has come since the last reply that came: the next step to take. */
export type Recovery = number;

/** Takes the first step from `next` on that frees something. Null: none does. */
export async function recover(conversation: Conversation, next: Recovery): Promise<Recovery | null> {
  for (let at = next; at < STEPS.length; at++) {
    const step = STEPS[at] as Step;
    const tokensBefore = conversation.sizes.of().tokens;
    await take(conversation, step);
    const tokensAfter = conversation.sizes.of().tokens;
    if (tokensAfter >= tokensBefore) continue;
    const { turn } = conversation.history;
    const counter = conversation.sizes.counter.name;
    const event = { type: "overflowed", turn, step, tokensBefore, tokensAfter, counter } as const;
    await record(conversation, { value: undefined, event });
    return at + 1;
  }
  return null;
}

/** What is told where nothing more can go. */
export function tooLarge(conversation: Conversation): string {
  const { info } = conversation.context.ports.model;
  const tokens = conversation.prefixSize.tokens + conversation.sizes.of().tokens;
  const size = `${tokens.toLocaleString("en")} tokens (${conversation.sizes.counter.name})`;
  return `The request does not fit ${info.name}, and nothing more of it can be shortened: it has ${size}. Start a new session with a smaller question, or pick a model with a larger window.`;
}

async function take(conversation: Conversation, step: Step): Promise<void> {
  if (step === "budgets") {
    const { perResultChars, perTurnChars, perTurnBytes } = conversation.context.settings.budgets;
    const halved = {
      perResultChars: Math.ceil(perResultChars / 2),
      perTurnChars: Math.ceil(perTurnChars / 2),
      perTurnBytes: Math.ceil(perTurnBytes / 2),
    };
    await age(conversation, true);
    await fitImages(conversation, halved);
    await budget(conversation, halved);
  } else if (step === "age") await ageAll(conversation);
  else await prune(conversation);
}

/**
 * Keeps the last blocks: half of what the window holds, as far as that is known, or half of what was sent; where that is
 * no shorter with the note in its place, the last one. Nothing where that is not either.
 */
async function prune(conversation: Conversation): Promise<void> {
  const { history, sizes, prefixSize, context } = conversation;
  const { maxInputTokens } = context.ports.model.info;
  const room = maxInputTokens === null ? Number.POSITIVE_INFINITY : maxInputTokens - prefixSize.tokens;
  const half = Math.max(0, Math.min(room, sizes.of().tokens)) / 2;
  for (const keepTokens of [half, 0]) {
    const count = oldBlocks(history.messages, sizes, keepTokens);
    if (count === null) return;
    const removed = removedWith(conversation, count);
    const isAsked = history.messages
      .slice(count)
      .some(({ role, text }) => role === "user" && text === history.question);
    const text = prunedText(removed, isAsked ? null : history.question);
    const note = { role: "user", text } as const;
    if (messageTokens(note, sizes.counter) >= sizes.of(count).tokens) continue;
    const splices = [removalOf(count, note)];
    const event: EventOf<"pruned"> = { type: "pruned", turn: history.turn + 1, ...removed, splices };
    return record(conversation, { value: undefined, event });
  }
}

/** The first messages, and what left before them: their own note is the first of these. */
function removedWith(
  conversation: Conversation,
  count: number,
): Omit<EventOf<"pruned">, "type" | "turn" | "splices"> {
  const { messages, results, removed: before } = conversation.history;
  const { counter } = conversation.sizes;
  const stored = new Map(before?.named.map((one) => [one.handle, one])); // by handle, the newest last
  for (const message of messages.slice(0, count)) {
    const facts = message.role === "tool" ? results.get(message.call) : undefined;
    if (!facts?.handle) continue;
    const subject = subjectOf(conversation.argumentsOf(facts.call) ?? "");
    const known = facts.tool === FETCH_RESULT ? stored.get(facts.handle) : undefined; // it was named for what it is
    stored.delete(facts.handle);
    stored.set(facts.handle, known ?? { tool: facts.tool, subject, handle: facts.handle });
  }
  const named = [...stored.values()].slice(-NAMED_RESULTS);
  return {
    messages: count + (before === null ? 0 : before.messages - 1),
    named,
    unnamed: stored.size - named.length + (before?.unnamed ?? 0),
    naive: { tokens: naiveOf(conversation.fills.of(count), before, counter), counter: counter.name },
  };
}
