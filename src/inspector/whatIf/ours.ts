/**
 * What if: ours, with the library's own decisions and its shipped defaults. Results become events of the history's
 * fold; what is over its class's limit is a ticket from the start, and old results age when that pays.
 */

import { headOf, tailOf } from "../../claims/cut";
import { kindOf } from "../../claims/kind";
import { createClaimPolicy, isOver, limitsFor } from "../../claims/policy";
import { subjectOf } from "../../claims/subject";
import { agedLine, agedPageLine, FETCH_RESULT, shortenedText } from "../../claims/ticket";
import { ticketFor } from "../../claims/ticketFor";
import { toolKindOf } from "../../claims/toolKind";
import { parseLabel } from "../../coverage/label";
import {
  agesOf,
  type DueResult,
  dueForAgeing,
  SHORTENED_HEAD_CHARS,
  SHORTENED_TAIL_CHARS,
} from "../../history/age";
import { callKey, type HistoryState, historyFold } from "../../history/fold";
import { messageTokens } from "../../history/messageTokens";
import { type Cut, decideCut, expectedReads, requestCost } from "../../history/promptCache";
import { RequestSizes } from "../../history/sizes";
import type { Digest, Handle } from "../../schema/claim";
import type { CacheProfile } from "../../schema/cost";
import type { Logged, SessionEvent } from "../../schema/event";
import { type ClaimCheckSettings, type CoreSettings, DEFAULT_SETTINGS } from "../../schema/settings";
import { byteLength, charLength, lineCount } from "../../schema/text";
import type { TokenCounter } from "../../schema/tokens";
import { handleOf } from "./handle";
import { firstPageOf } from "./page";
import { cacheProfileFrom } from "./profiles";
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
  readonly #cacheProfile: CacheProfile;
  readonly #counter: TokenCounter;
  readonly #sizes: RequestSizes;
  #state: HistoryState = historyFold.begin();
  #n = 0;
  #seen = 0; // items
  #spentTokens = 0;
  #replyTurn: number | null = null;
  readonly #items = new Map<string, number>(); // of a call's result
  readonly #whole = new Set<string>(); // calls whose results stay: of writes, or as short as their line. Every request asks
  readonly #freed = new WeakMap<object, Map<number, { shown: Shown; freedTokens: number }>>();

  constructor(settings: CoreSettings, counter: TokenCounter, profile: Profile) {
    this.#settings = settings;
    this.#counter = counter;
    this.#cacheProfile = cacheProfileFrom(profile);
    this.#sizes = new RequestSizes(counter);
  }

  before(items: readonly Item[], moment: Moment, requests: number): readonly Change[] {
    const changes: Change[] = [];
    for (; this.#seen < items.length; this.#seen++) {
      const at = this.#seen;
      const shown = this.#add(items, items[at] as Item, at);
      if (shown) changes.push({ at, shown });
    }
    this.#sizes.update(this.#state.messages, this.#state.divergence.at);
    const due = this.#dueAt(items);
    const cut = this.#cutOf(due, moment, requests);
    if (cut !== null) {
      const chosen = cut.chosen.map((at) => due[at] as Candidate);
      for (const { due: one, shown } of chosen) changes.push({ at: this.#itemOf(one), shown });
      const decisions = chosen.map(({ due: { facts, level, text }, shown }) => ({
        call: facts.call,
        level,
        handle: handleOf(facts.at) as Handle, // any: nothing is read by it here
        text: shown.text,
        charsBefore: text.length,
        charsAfter: shown.text.length,
      }));
      this.#fold({ type: "aged", turn: moment.request, strategy: "cacheAware", decisions });
    }
    this.#spend(moment);
    this.#fold({ type: "requested", turn: this.#state.turn + 1, model: "", messages: 0, chars: 0, bytes: 0 });
    return changes;
  }

  #cutOf(due: readonly Candidate[], { idleSeconds, prefixTokens }: Moment, requests: number): Cut | null {
    const { strategy } = this.#settings.ageing;
    if (due.length === 0 || strategy === "off") return null;
    if (strategy === "age")
      return { chosen: [...due.keys()], rule: "pays", freedTokens: 0, resentTokens: 0, readTokens: 0 };
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
        profile: this.#cacheProfile,
        requests,
        idleSeconds,
        totalTokens: prefixTokens + this.#sizes.of().tokens,
        spentTokens: this.#spentTokens,
        isOverflowing: false,
      },
    );
  }

  #dueAt(items: readonly Item[]): Candidate[] {
    const isExempt = ({ call }: DueResult["facts"]) => this.#whole.has(call);
    const due = dueForAgeing(this.#state, agesOf(this.#settings.ageing), this.#state.turn + 1, isExempt);
    return due.flatMap((one) => {
      const item = items[this.#itemOf(one)];
      const message = this.#state.messages[one.facts.at];
      if (item?.kind !== "result" || message?.role !== "tool") return [];
      const known = this.#freed.get(message) ?? new Map();
      this.#freed.set(message, known);
      const shown = known.get(one.level)?.shown ?? agedShown(item, one);
      const freedTokens =
        known.get(one.level)?.freedTokens ??
        messageTokens(message, this.#counter) - this.#counter.count(shown.text);
      known.set(one.level, { shown, freedTokens });
      if (freedTokens <= 0 && one.level === 2) this.#whole.add(one.facts.call);
      return freedTokens > 0 ? [{ due: one, shown, freedTokens }] : [];
    });
  }

  #spend({ request, idleSeconds, prefixTokens }: Moment): void {
    const { messages, divergence } = this.#state;
    this.#sizes.update(messages, divergence.at);
    const reusedTokens = prefixTokens + this.#sizes.of(divergence.at).tokens;
    const totalTokens = prefixTokens + this.#sizes.of().tokens;
    const idle = request === 1 ? null : idleSeconds;
    this.#spentTokens += requestCost(this.#cacheProfile, { reusedTokens, totalTokens }, idle);
  }

  #itemOf({ facts }: DueResult): number {
    return this.#items.get(facts.call) ?? -1;
  }

  #fold(event: SessionEvent): void {
    const logged: Logged = { n: this.#n++, at: 0, origin: "loop", ...event };
    this.#state = historyFold.reduce(this.#state, logged);
  }

  #add(items: readonly Item[], item: Item, at: number): Shown | null {
    if (item.kind === "assistant") return this.#addReply(items, item.text, at);
    const { turn } = this.#state;
    if (item.kind !== "result" || this.#replyTurn === null) {
      this.#fold({ type: "asked", turn: turn + 1, text: item.text });
      return null;
    }
    if (item.isReadBack) return this.#addReadBack(item, at);
    const kind = toolKindOf(item.tool);
    const shown = shownOf(item, this.#settings, at);
    const call = callKey(this.#replyTurn, at);
    this.#items.set(call, at);
    if (kind.effect === "write") this.#whole.add(call);
    this.#fold({
      type: "remembered",
      call,
      shown: shown === null ? "inline" : parseLabel(shown.text) ? "page" : "ticket",
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
    this.#replyTurn = turn;
    const tools: [number, string][] = [];
    for (let next = at + 1; items[next]?.kind === "result"; next++)
      tools.push([next, (items[next] as ResultItem).tool]);
    this.#replied(text, tools); // the arguments are in the text
    return null;
  }

  #addReadBack(item: ResultItem, at: number): null {
    const { turn } = this.#state;
    this.#replied("", [[at, FETCH_RESULT]]);
    const call = callKey(turn, at);
    this.#items.set(call, at);
    const handle = handleOf(at) as Handle;
    const about = { class: "other", limitChars: null, why: "", handle, isError: false } as const;
    this.#fold({ type: "remembered", call, shown: "window", ...about, text: item.text });
    return null;
  }

  #replied(text: string, tools: readonly (readonly [at: number, tool: string])[]): void {
    const { turn } = this.#state;
    const calls = tools.map(([at, name]) => {
      const call = callKey(turn, at);
      return { call, id: call, name, arguments: "" };
    });
    const end = { end: "calls", error: null, usage: null, elapsedMs: 0 } as const;
    this.#fold({ type: "replied", turn, text, calls, ...end });
  }
}

type Candidate = { readonly due: DueResult; readonly shown: Shown; readonly freedTokens: number };

/** As long as one. */
const NO_DIGEST = "0".repeat(64) as Digest;
const POLICY = new WeakMap<CoreSettings, ReturnType<typeof createClaimPolicy>>();

/** As it arrives: null where it stays whole. */
function shownOf(item: ResultItem, settings: CoreSettings, at: number): Shown | null {
  const policy = POLICY.get(settings) ?? createClaimPolicy(settings.claimCheck, toolsIn(settings.claimCheck));
  POLICY.set(settings, policy);
  const { text, tool } = item;
  const limits = limitsFor(policy, tool, item.isError ? "error" : toolKindOf(tool).class);
  const chars = charLength(text);
  const bytes = byteLength(text);
  if (!isOver(limits, { chars, bytes })) return null;
  const handle = handleOf(at) as Handle;
  const { class: toolClass } = toolKindOf(tool);
  const mayBeList = !item.isError && (toolClass === "list" || toolClass === "other");
  if (mayBeList && limits.hasPreview && limits.capBytes === null) {
    const page = firstPageOf(text, handle);
    if (page !== null) return page;
  }
  const claim = { tool, handle, chars, bytes, sha256: NO_DIGEST };
  const ticket = ticketFor(text, claim, limits);
  return { text: ticket.text, kept: keptOf(text, ticket.head, ticket.tail), isKept: true };
}

function agedShown(item: ResultItem, { facts, level }: DueResult): Shown {
  const { text, tool } = item;
  const handle = handleOf(facts.at) as Handle;
  const totalChars = charLength(text);
  if (level === 2) {
    const subject = subjectOf(item.arguments);
    const page = facts.shown === "page" ? parseLabel(item.shown.text) : null;
    if (page !== null)
      return { text: agedPageLine({ tool, subject, ...page, handle }), kept: [], isKept: true };
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

/** A session that another one's settings are tried on need not have the tools that they name. */
const toolsIn = ({ perTool, digests, include, exclude, reclaimable }: ClaimCheckSettings): string[] => [
  ...[...Object.keys(perTool), ...Object.keys(digests)],
  ...[...(include ?? []), ...exclude, ...reclaimable],
];
