/**
 * What if: ours, with the library's own decisions and its shipped defaults. Results become events of the history's
 * fold; what is over its class's limit is a ticket from the start, and old results age when that pays.
 */

import { headOf, tailOf } from "../../claims/cut";
import { kindOf } from "../../claims/kind";
import { createClaimPolicy, isOver, limitsFor } from "../../claims/policy";
import { subjectOf } from "../../claims/subject";
import { agedLine, shortenedText } from "../../claims/ticket";
import { ticketFor } from "../../claims/ticketFor";
import { toolKindOf } from "../../claims/toolKind";
import {
  agesOf,
  type DueResult,
  dueForAgeing,
  SHORTENED_HEAD_CHARS,
  SHORTENED_TAIL_CHARS,
} from "../../history/age";
import { callKey, type HistoryState, historyFold } from "../../history/fold";
import { messageTokens } from "../../history/messageTokens";
import { type Cut, decideCut, expectedReads } from "../../history/promptCache";
import { RequestSizes } from "../../history/sizes";
import type { Digest, Handle } from "../../schema/claim";
import type { Logged, SessionEvent } from "../../schema/event";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../schema/settings";
import { byteLength, charLength, lineCount } from "../../schema/text";
import type { TokenCounter } from "../../schema/tokens";
import { handleOf } from "./handle";
import type { Change, Item, Moment, Policy, Profile, Range, ResultItem, Shown } from "./types";

export const ours: Policy = oursWith("ours", DEFAULT_SETTINGS);

/** The same with other settings, or with another guess of how many requests are to come. */
export function oursWith(
  name: string,
  settings: CoreSettings,
  requestsToCome: (moment: Moment) => number = ({ request }) => request - 1,
): Policy {
  return {
    name,
    open(tokens, profile) {
      const session = new Ours(settings, tokens, profile);
      return (items, moment) => session.before(items, moment, requestsToCome(moment));
    },
  };
}

class Ours {
  readonly #settings: CoreSettings;
  readonly #profile: Profile;
  readonly #counter: TokenCounter;
  readonly #sizes: RequestSizes;
  #state: HistoryState = historyFold.begin();
  #n = 0;
  #reply: { at: number; turn: number } | null = null;
  readonly #freed = new WeakMap<object, Map<number, { shown: Shown; freedTokens: number }>>();

  constructor(settings: CoreSettings, counter: TokenCounter, profile: Profile) {
    this.#settings = settings;
    this.#counter = counter;
    this.#profile = profile;
    this.#sizes = new RequestSizes(counter);
  }

  before(items: readonly Item[], moment: Moment, requests: number): readonly Change[] {
    const changes: Change[] = [];
    for (let at = this.#state.messages.length; at < items.length; at++) {
      const item = items[at] as Item;
      const shown = this.#add(items, item, at);
      if (shown) changes.push({ at, shown });
    }
    this.#sizes.update(this.#state.messages, this.#state.divergence.at);
    const due = this.#dueAt(items);
    const cut = this.#cutOf(due, moment, requests);
    if (cut !== null) {
      const chosen = cut.chosen.map((at) => due[at] as Candidate);
      for (const { due: one, shown } of chosen) changes.push({ at: one.facts.at, shown });
      const decisions = chosen.map(({ due: { facts, level, text }, shown }) => ({
        call: facts.call,
        level,
        handle: handleOf(facts.at) as Handle,
        text: shown.text,
        charsBefore: text.length,
        charsAfter: shown.text.length,
      }));
      this.#fold({ type: "aged", turn: moment.request, strategy: "cacheAware", decisions });
    }
    this.#fold({ type: "requested", turn: this.#state.turn + 1, model: "", messages: 0, chars: 0, bytes: 0 });
    return changes;
  }

  #cutOf(due: readonly Candidate[], { idleSeconds, prefixTokens }: Moment, requests: number): Cut | null {
    const { strategy } = this.#settings.ageing;
    if (due.length === 0 || strategy === "off") return null;
    if (strategy === "age")
      return { chosen: [...due.keys()], rule: "pays", freedTokens: 0, resentTokens: 0, readTokens: 0 };
    const { write, read, ttlSeconds, name, isUnknown } = this.#profile;
    const known = { write, read, ttlSeconds: Number.isFinite(ttlSeconds) ? ttlSeconds : null };
    const prices = isUnknown ? null : known;
    const { messages } = this.#state;
    const blockOf = (at: number) => {
      while (at > 0 && messages[at]?.role !== "assistant") at--;
      return at;
    };
    return decideCut(
      due.map(({ due: { facts, text }, freedTokens }) => ({
        freedTokens,
        tokensFromBlock: this.#sizes.tokensFrom(blockOf(facts.at)),
        expectedReads: expectedReads(text.length, this.#state.turn + 1 - facts.turn),
      })),
      {
        profile: { name, source: "table", prices },
        requests,
        idleSeconds,
        totalTokens: prefixTokens + this.#sizes.of().tokens,
        isOverflowing: false,
      },
    );
  }

  #dueAt(items: readonly Item[]): Candidate[] {
    const isExempt = (tool: string) => toolKindOf(tool).effect === "write";
    const due = dueForAgeing(this.#state, agesOf(this.#settings.ageing), this.#state.turn + 1, isExempt);
    return due.flatMap((one) => {
      const item = items[one.facts.at];
      const message = this.#state.messages[one.facts.at];
      if (item?.kind !== "result" || message?.role !== "tool") return [];
      const known = this.#freed.get(message) ?? new Map();
      this.#freed.set(message, known);
      const shown = known.get(one.level)?.shown ?? agedShown(item, one);
      const freedTokens =
        known.get(one.level)?.freedTokens ??
        messageTokens(message, this.#counter) - this.#counter.count(shown.text);
      known.set(one.level, { shown, freedTokens });
      return freedTokens > 0 ? [{ due: one, shown, freedTokens }] : [];
    });
  }

  #fold(event: SessionEvent): void {
    const logged: Logged = { n: this.#n++, at: 0, origin: "loop", ...event };
    this.#state = historyFold.reduce(this.#state, logged);
  }

  /** One item is one message. */
  #add(items: readonly Item[], item: Item, at: number): Shown | null {
    if (item.kind === "assistant") return this.#addReply(items, item.text, at);
    const turn = this.#state.turn;
    if (item.kind !== "result" || this.#reply === null) {
      this.#fold({ type: "asked", turn: turn + 1, text: item.text });
      return null;
    }
    const kind = toolKindOf(item.tool);
    const shown = shownOf(item, this.#settings, at);
    const call = callKey(this.#reply.turn, at - this.#reply.at - 1);
    this.#fold({
      type: "remembered",
      call,
      shown: shown ? "ticket" : "inline",
      class: item.isError ? "error" : kind.class,
      limitChars: null,
      why: "",
      handle: shown ? (handleOf(at) as Handle) : null,
      isError: item.isError,
      text: shown?.text ?? item.text,
    });
    return shown;
  }

  #addReply(items: readonly Item[], text: string, at: number): null {
    const { turn } = this.#state;
    this.#reply = { at, turn };
    const calls = [];
    for (let next = at + 1; items[next]?.kind === "result"; next++) {
      const { tool } = items[next] as ResultItem;
      const call = callKey(turn, next - at - 1);
      calls.push({ call, id: call, name: tool, arguments: "" });
    }
    // The arguments are in the text; one item is one message, also where nothing was said.
    const said = text === "" && calls.length === 0 ? " " : text;
    this.#fold({
      type: "replied",
      turn,
      text: said,
      calls,
      end: "calls",
      error: null,
      usage: null,
      elapsedMs: 0,
    });
    return null;
  }
}

type Candidate = { readonly due: DueResult; readonly shown: Shown; readonly freedTokens: number };

/** As long as one. */
const NO_DIGEST = "0".repeat(64) as Digest;
const POLICY = new WeakMap<CoreSettings, ReturnType<typeof createClaimPolicy>>();

/** As it arrives: null where it stays whole. */
function shownOf(item: ResultItem, settings: CoreSettings, at: number): Shown | null {
  const policy = POLICY.get(settings) ?? createClaimPolicy(settings.claimCheck, []);
  POLICY.set(settings, policy);
  const { text, tool } = item;
  const limits = limitsFor(policy, tool, item.isError ? "error" : toolKindOf(tool).class);
  const chars = charLength(text);
  const bytes = byteLength(text);
  if (!isOver(limits, { chars, bytes })) return null;
  const claim = { tool, handle: handleOf(at) as Handle, chars, bytes, sha256: NO_DIGEST };
  const ticket = ticketFor(text, claim, limits);
  return { text: ticket.text, kept: keptOf(text, ticket.head, ticket.tail), isKept: true };
}

function agedShown(item: ResultItem, { facts, level }: DueResult): Shown {
  const { text, tool } = item;
  const handle = handleOf(facts.at) as Handle;
  const totalChars = charLength(text);
  if (level === 2) {
    const subject = subjectOf(item.arguments);
    const line = agedLine({ tool, subject, lines: lineCount(text), kind: kindOf(text), totalChars, handle });
    return { text: line, kept: [], isKept: true };
  }
  const head = headOf(text, SHORTENED_HEAD_CHARS);
  const tail = tailOf(text.slice(head.length), SHORTENED_TAIL_CHARS);
  const hiddenChars = totalChars - charLength(head) - charLength(tail);
  const why = "shown earlier, now shortened";
  const shown = shortenedText({ head, tail, hiddenChars, handle, why, outside: null });
  return { text: shown, kept: keptOf(text, head, tail), isKept: true };
}

function keptOf(text: string, head: string, tail: string): readonly Range[] {
  const ranges: Range[] = [];
  if (head !== "") ranges.push([0, head.length]);
  if (tail !== "") ranges.push([text.length - tail.length, text.length]);
  return ranges;
}
