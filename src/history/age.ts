/** Ageing by age: which old results are due, and for which level (seed 001 §Microcompactação, CONFORMANCE §4). */

import type { AgeingSettings } from "../schema/settings";
import { charLength } from "../schema/text";
import type { HistoryState, ResultFacts } from "./fold";

/** Level 1 keeps this much of a result; it is not applied to what is shorter already. */
export const SHORTENED_HEAD_CHARS = 2000;
export const SHORTENED_TAIL_CHARS = 500;

export type DueResult = { readonly facts: ResultFacts; readonly level: 1 | 2; readonly text: string };

/**
 * Results to shorten before the request of `nextTurn`, oldest first. Never: errors, results of tools for which
 * `isExempt` (writes), execute results beyond level 1, what was cut without being stored (M3), a branch's answer, and text a user wrote.
 */
export function dueForAgeing(
  state: HistoryState,
  settings: AgeingSettings,
  nextTurn: number,
  isExempt: (tool: string) => boolean,
): readonly DueResult[] {
  if (settings.strategy === "off") return [];
  const texts = new Map(
    state.messages.map((message) => (message.role === "tool" ? [message.call, message.text] : ["", ""])),
  );
  return state.results.flatMap((facts) => {
    const text = texts.get(facts.call);
    if (text === undefined || facts.isError || isWholeNowhere(facts) || isExempt(facts.tool)) return [];
    const level = dueLevel(facts, settings, nextTurn - facts.turn);
    if (level <= facts.level || level === 0) return [];
    const isStandIn = facts.handle !== null; // tickets, windows and pages age whatever their size
    const minimum =
      level === 1
        ? Math.max(settings.minimumChars, SHORTENED_HEAD_CHARS + SHORTENED_TAIL_CHARS)
        : settings.minimumChars;
    if (charLength(text) <= minimum && !(isStandIn && level === 2)) return [];
    return [{ facts, level, text }];
  });
}

/** Cut without being stored (M3), or a branch's answer: it is in the conversation only. */
const isWholeNowhere = ({ shown }: ResultFacts): boolean => shown === "cut" || shown === "branch";

function dueLevel(facts: ResultFacts, settings: AgeingSettings, ageTurns: number): 0 | 1 | 2 {
  if (ageTurns >= settings.clearAfterTurns) return facts.class === "execute" ? 1 : 2;
  if (ageTurns >= settings.shortenAfterTurns) return facts.shown === "window" ? 0 : 1; // a window goes straight to its line
  return 0;
}
