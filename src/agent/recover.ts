/** Overflow recovery: the provider refused a request because of its size, so the next one is made smaller, step by step (CONFORMANCE §4). */
import { subjectOf } from "../claims/subject";
import { prunedText } from "../claims/ticket";
import { oldBlocks, removalOf } from "../history/overflow";
import type { EventOf } from "../schema/event";
import { age, ageAll } from "./age";
import { budget } from "./budget";
import type { Conversation } from "./conversation";
import { record } from "./step";

type Step = EventOf<"overflowed">["step"];
const STEPS: readonly Step[] = ["budgets", "age", "blocks"];

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
    await age(conversation, true);
    await budget(conversation, {
      perResultChars: Math.ceil(perResultChars / 2),
      perTurnChars: Math.ceil(perTurnChars / 2),
      perTurnBytes: Math.ceil(perTurnBytes / 2),
    });
  } else if (step === "age") await ageAll(conversation);
  else await prune(conversation);
}

/** Keeps the last blocks: half of what the window holds, as far as that is known, or half of what was sent. */
async function prune(conversation: Conversation): Promise<void> {
  const { history, sizes, prefixSize, context } = conversation;
  const { maxInputTokens } = context.ports.model.info;
  const room = maxInputTokens === null ? Number.POSITIVE_INFINITY : maxInputTokens - prefixSize.tokens;
  const keepTokens = Math.max(0, Math.min(room, sizes.of().tokens)) / 2;
  const old = oldBlocks(history.messages, sizes, keepTokens);
  if (old === null) return;
  const { count, removed } = old;
  const stored = removed.flatMap((message) => {
    const facts = message.role === "tool" ? history.results.get(message.call) : undefined;
    if (!facts?.handle) return [];
    const subject = subjectOf(conversation.argumentsOf(facts.call) ?? "");
    return [{ tool: facts.tool, subject, handle: facts.handle }];
  });
  const isAsked = !removed.some((message) => message.role === "user" && message.text === history.question);
  const text = prunedText(count, isAsked ? null : history.question, stored);
  const turn = history.turn + 1;
  const event = { type: "pruned", turn, messages: count, splices: [removalOf(count, text)] } as const;
  await record(conversation, { value: undefined, event: { ...event, splices: [...event.splices] } });
}
