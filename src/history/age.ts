/** Ageing by age: which old results are due, and for which level (seed 001 §Microcompactação, CONFORMANCE §4). */

import type { Message } from "../schema/message";
import type { AgeingSettings } from "../schema/settings";
import { charLength } from "../schema/text";
import type { HistoryState, ResultFacts } from "./fold";

/** Level 1 keeps this much of a result; it is not applied to what is shorter already. */
export const SHORTENED_HEAD_CHARS = 2000;
export const SHORTENED_TAIL_CHARS = 500;

export type DueResult = { readonly facts: ResultFacts; readonly level: 1 | 2; readonly text: string };
/** `clearsOutput`: what commands put out may become a line too, not only head and tail. */
export type DueAges = Pick<AgeingSettings, "shortenAfterTurns" | "clearAfterTurns" | "minimumChars"> & {
  readonly clearsOutput: boolean;
};

/** A line is about as long; shorter results are never worth it. */
const LINE_CHARS = 200;

/** Where the cost decides, neither a length nor the class does: on real transcripts most of what could go is short output. */
export function agesOf({ strategy, ...ages }: AgeingSettings): DueAges {
  return strategy === "cacheAware"
    ? { ...ages, minimumChars: LINE_CHARS, clearsOutput: true }
    : { ...ages, clearsOutput: false };
}

/**
 * Results that may be shortened before the request of `nextTurn`, oldest first. Never: what no reply has followed yet,
 * however many requests failed since; errors, what the person pinned, what `isExempt` (results of writes), what
 * was cut without being stored (M3), a branch's answer, and text a user wrote.
 */
export function dueForAgeing(
  { results, messages }: HistoryState,
  ages: DueAges,
  nextTurn: number,
  isExempt: (facts: ResultFacts) => boolean,
): readonly DueResult[] {
  const due: DueResult[] = [];
  const lastReplyAt = messages.findLastIndex(({ role }) => role === "assistant");
  for (const facts of results.values()) {
    if (facts.at > lastReplyAt) continue;
    if (facts.level === 2 || facts.isError || facts.isPinned || isWholeNowhere(facts)) continue;
    const level = dueLevel(facts, ages, nextTurn - facts.turn);
    if (level <= facts.level || level === 0) continue;
    const message = messages[facts.at];
    if (message?.role !== "tool" || isExempt(facts)) continue;
    const isStandIn = facts.handle !== null; // tickets, windows and pages age whatever their size
    const minimum =
      level === 1
        ? Math.max(ages.minimumChars, SHORTENED_HEAD_CHARS + SHORTENED_TAIL_CHARS)
        : ages.minimumChars;
    if (!isLonger(message, minimum) && !(isStandIn && level === 2)) continue;
    due.push({ facts, level, text: message.text });
  }
  return due.sort((a, b) => a.facts.at - b.facts.at);
}

/** Cut without being stored (M3), or a branch's answer: it is in the conversation only. */
const isWholeNowhere = ({ shown }: ResultFacts): boolean => shown === "cut" || shown === "branch";

function dueLevel(facts: ResultFacts, ages: DueAges, ageTurns: number): 0 | 1 | 2 {
  if (ageTurns >= ages.clearAfterTurns) return facts.class === "execute" && !ages.clearsOutput ? 1 : 2;
  if (ageTurns >= ages.shortenAfterTurns) return facts.shown === "window" || facts.shown === "page" ? 0 : 1; // they go straight to their line
  return 0;
}

/** In chars, counted only where the length leaves it open, and once: every request asks of every result. */
function isLonger(message: Message, minimumChars: number): boolean {
  const { text } = message;
  if (text.length <= minimumChars || text.length > 2 * minimumChars) return text.length > minimumChars;
  const chars = counted.get(message) ?? charLength(text);
  counted.set(message, chars);
  return chars > minimumChars;
}

const counted = new WeakMap<Message, number>();
