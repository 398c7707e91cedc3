/** What fills a request, by kind (schema/cost.ts, `RequestFills`): kept up as messages come, never counted anew. */
import type { CountedTokens, RequestFills } from "../schema/cost";
import type { Message, MessageCall, ToolMessage } from "../schema/message";
import type { TokenCounter } from "../schema/tokens";
import type { HistoryState, ResultFacts } from "./fold";
import { mediaTokens, messageTokens } from "./messageTokens";
import { BeginningSums } from "./sizes";

/** What of a text is content, where it stands for more than it shows: the words are those of other rooms. */
export type ContentOf = (text: string, facts: Pick<ResultFacts, "shown" | "tainted">) => string;

export type PrefixFills = Pick<RequestFills, "system" | "tools">;
/** Of a message `naive` may be below 0: a window takes back what its call counted. */
type MessageFills = Omit<RequestFills, keyof PrefixFills>;

const NOTHING: MessageFills = {
  user: 0,
  assistant: 0,
  inline: 0,
  heads: 0,
  tickets: 0,
  aged: 0,
  naive: 0,
};

/** Of what stands before the messages: `prefixText`, which has this many tokens. */
export function prefixFills(prefix: string, tokens: number, { count }: TokenCounter): PrefixFills {
  const [, , definitions = []] = prefix === "" ? [] : (JSON.parse(prefix) as [string, string, unknown[]]);
  const tools = definitions.length === 0 ? 0 : Math.min(tokens, count(JSON.stringify(definitions)));
  return { system: tokens - tools, tools };
}

/** The sums over the messages of a request and over each beginning of it. */
export class FillSums {
  readonly #counter: TokenCounter;
  readonly #contentOf: ContentOf;
  readonly #sums = new BeginningSums<MessageFills>(NOTHING);
  readonly #known = new WeakMap<Message, Partial<MessageFills>>();

  constructor(counter: TokenCounter, contentOf: ContentOf) {
    this.#counter = counter;
    this.#contentOf = contentOf;
  }

  /** Contract: as `RequestSizes.update`; asked before every request that is recorded. */
  update({ messages, divergence, results, removed }: HistoryState): void {
    const note = removed === null ? undefined : messages[0];
    this.#sums.update(messages, divergence.at, (sum, message) => {
      const known = this.#known.get(message) ?? this.#fillsOf(message, message === note, results);
      this.#known.set(message, known);
      return plus(sum, known);
    });
  }

  /** Of the first `messages`, all where it is not given; without what left before them. */
  of(messages?: number): MessageFills {
    return this.#sums.of(messages);
  }

  #fillsOf(message: Message, isNote: boolean, results: HistoryState["results"]): Partial<MessageFills> {
    const tokens = messageTokens(message, this.#counter);
    if (isNote) return { tickets: tokens }; // what it stands for counts instead (`naiveOf`)
    if (message.role === "user") return { user: tokens, naive: tokens };
    if (message.role === "assistant") return { assistant: tokens, naive: tokens };
    return this.#resultFills(message, tokens, results.get(message.call));
  }

  #resultFills(message: ToolMessage, tokens: number, facts: ResultFacts | undefined): Partial<MessageFills> {
    const { count } = this.#counter;
    const [images, lines] = (["image", "line"] as const).map((shown) =>
      (message.media ?? [])
        .filter((media) => media.shown === shown)
        .reduce((sum, media) => sum + mediaTokens(media, count), 0),
    ) as [number, number];
    const text = tokens - images - lines;
    const by = facts ? this.#textFills(message.text, text, facts) : { inline: text };
    const media = { ...NOTHING, inline: images, tickets: lines };
    return {
      ...plus(media, by),
      naive: this.#naiveOf(text, facts) + (facts?.readBackBy ? 0 : images + lines),
    };
  }

  #textFills(text: string, tokens: number, facts: ResultFacts): Partial<MessageFills> {
    if (facts.isShortened) return { aged: tokens };
    if (!standsForMore(facts)) return { inline: tokens };
    const heads = Math.min(tokens, this.#counter.count(this.#contentOf(text, facts)));
    return { heads, tickets: tokens - heads };
  }

  /** Of a result's text, which has this many tokens as it is shown. */
  #naiveOf(tokens: number, facts: ResultFacts | undefined): number {
    if (facts?.readBackBy) return -callTokens(facts.readBackBy, this.#counter);
    const isWhole = !facts || !(facts.isShortened || standsForMore(facts));
    return isWhole ? tokens : (countedBy(this.#counter, facts.whole) ?? tokens);
  }
}

/** With every result whole: the messages that are there, and what left before them. */
export const naiveOf = (
  sums: Pick<MessageFills, "naive">,
  removed: HistoryState["removed"],
  counter: TokenCounter,
): number => Math.max(0, sums.naive + (countedBy(counter, removed?.naive) ?? 0)); // a log takes no other

/** Null: another counter's. */
const countedBy = ({ name }: TokenCounter, counted: CountedTokens | null | undefined): number | null =>
  counted?.counter === name ? counted.tokens : null;

const callTokens = ({ name, arguments: given }: MessageCall, { count }: TokenCounter): number =>
  count(name) + count(given);

/** A page that was read back is a window. */
const standsForMore = ({ shown, readBackBy }: ResultFacts): boolean =>
  readBackBy === null && shown !== "inline" && shown !== "window" && shown !== "refusal";

const plus = (sum: MessageFills, more: Partial<MessageFills>): MessageFills => ({
  user: sum.user + (more.user ?? 0),
  assistant: sum.assistant + (more.assistant ?? 0),
  inline: sum.inline + (more.inline ?? 0),
  heads: sum.heads + (more.heads ?? 0),
  tickets: sum.tickets + (more.tickets ?? 0),
  aged: sum.aged + (more.aged ?? 0),
  naive: sum.naive + (more.naive ?? 0),
});
