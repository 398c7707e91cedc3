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

/** What the tokens of a request are. */
export const RequestFills = z.object({
  system: tokens,
  tools: tokens,
  user: tokens,
  assistant: tokens,
  inline: tokens,
  heads: tokens,
  tickets: tokens,
  aged: tokens,
  naive: tokens,
});
export type RequestFills = z.infer<typeof RequestFills>;
