/** What requests cost with a prompt cache (CONFORMANCE §4). Prices are relative to that of a token of input. */
import * as z from "zod";

const tokens = z.int().nonnegative();

/** Sums over a session must stay whole numbers: a log has no others. No provider asks for a hundredth of it. */
const GREATEST_PRICE = 1000;

/** `write` of what is not cached, `read` of what is; an entry lives `ttlSeconds` after its last use, null: as long as it is there. */
export const CachePrices = z.object({
  write: z.number().nonnegative().max(GREATEST_PRICE),
  read: z.number().nonnegative().max(GREATEST_PRICE),
  ttlSeconds: z.int().positive().nullable(),
});
export type CachePrices = z.infer<typeof CachePrices>;

/** Without prices nothing is known of the model's cache; `contradicted`: its replies say that the table is wrong. */
export const CacheProfile = z.object({
  name: z.string(),
  source: z.enum(["table", "setting", "contradicted"]),
  prices: CachePrices.nullable(),
});
export type CacheProfile = z.infer<typeof CacheProfile>;

/** Why old results are cut now: it pays; the cache is cold; there is none; the request would not fit. */
export const CutRule = z.enum(["pays", "cold", "uncached", "overflow"]);
export type CutRule = z.infer<typeof CutRule>;

/** The figures behind a cut: with them and the log it can be computed again (CONFORMANCE §4). */
export const CutCost = z.object({
  rule: CutRule,
  profile: CacheProfile,
  requests: z.int().nonnegative(), // n̂
  idleSeconds: z.number().nonnegative(),
  totalTokens: tokens, // of the request before the cut
  spentTokens: tokens, // what the session had cost, as tokens of input
  freedTokens: tokens, // C
  resentTokens: tokens, // S
  readTokens: tokens, // what reading back is expected to cost, as tokens of input
  counter: z.string(), // the name of the token counter
});
export type CutCost = z.infer<typeof CutCost>;

/** `counter` is the name of what counted: figures of two counters are never added. */
export const CountedTokens = z.object({ tokens, counter: z.string() });
export type CountedTokens = z.infer<typeof CountedTokens>;

/** How much of a request the one before it began with too, and which event made the difference; null: there was only more. */
export const ReusedPrefix = z.object({
  messages: z.int().min(-1), // -1: not even the system prompt and the tools
  bytes: tokens, // of their canonical JSON
  tokens,
  totalTokens: tokens, // of the whole request
  counter: z.string(),
  by: z.object({ n: z.int().nonnegative(), type: z.string() }).nullable(),
});
export type ReusedPrefix = z.infer<typeof ReusedPrefix>;

/**
 * What fills a request, by kind: tokens by the counter that `prefix.counter` names. Contract: all but `naive` together
 * are `prefix.totalTokens`.
 */
export const RequestFills = z.object({
  system: tokens, // the system prompt, with the model's name and what is written around it and the tools
  tools: tokens, // their definitions
  user: tokens, // the person's words, and the sentences of the gate
  assistant: tokens, // replies, with the names and arguments of their calls
  inline: tokens, // results shown whole, what was read back, refusals; every image
  heads: tokens, // of what stands for a longer result (ticket, page, projection, branch, cut): the content
  tickets: tokens, // the words around it; lines that stand for media; the note in place of what was pruned
  aged: tokens, // results that were shortened after they were shown, by age or by a budget
  /**
   * The same request with every result whole and nothing read back or pruned: of what stands for more than it shows the
   * tokens that were measured, of windows and pages that were read back, and of their calls, 0. Media as they are shown.
   * What another counter measured is not used: such a result counts as it is shown.
   */
  naive: tokens,
});
export type RequestFills = z.infer<typeof RequestFills>;
