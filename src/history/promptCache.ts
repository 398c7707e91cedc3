/**
 * What a request costs where the provider caches its beginning, and when a cut of old results pays (CONFORMANCE §4).
 * Prices are relative to that of a token of input.
 */
import type { CachePrices, CacheProfile, CutRule } from "../schema/cost";

/** What settings may say of a family of models: its prices by a part of the model's id. */
export type CacheOverrides = Readonly<Record<string, CachePrices>>;

const ANTHROPIC: CachePrices = { write: 1.25, read: 0.1, ttlSeconds: 300 };
const AUTOMATIC: CachePrices = { write: 1, read: 0.1, ttlSeconds: 600 };
const LOCAL: CachePrices = { write: 1, read: 0, ttlSeconds: null };

/** By the provider's published prices; the first that matches. */
const FAMILIES: readonly (readonly [pattern: RegExp, name: string, prices: CachePrices])[] = [
  [/\b(?:ollama|lm-?studio|llamacpp|llama\.cpp|vllm|local(?:host)?)\b/, "local", LOCAL],
  [/claude|anthropic/, "anthropic-5m", ANTHROPIC],
  [/gpt|\bo[134]\b|codex|openai/, "openai-auto", AUTOMATIC],
  [/gemini|deepseek|grok|kimi|moonshot|\bglm\b/, "automatic", AUTOMATIC],
];

/** So many replies in a row whose cached tokens contradict a profile make it unknown. */
export const CONTRADICTIONS = 2;

/** `id` as the log has it ("copilot/claude-sonnet-4.5"). The longest part that settings name wins over the table. */
export function cacheProfileOf(id: string, overrides: CacheOverrides, contradictions = 0): CacheProfile {
  const model = id.toLowerCase();
  const [named] = Object.keys(overrides)
    .filter((part) => model.includes(part.toLowerCase()))
    .sort((a, b) => b.length - a.length);
  if (named !== undefined) return { name: named, source: "setting", prices: overrides[named] ?? null };
  const [, name = "unknown", prices = null] = FAMILIES.find(([pattern]) => pattern.test(model)) ?? [];
  if (prices !== null && contradictions >= CONTRADICTIONS)
    return { name, source: "contradicted", prices: null };
  return { name, source: "table", prices };
}

/** Fewer tokens than these are not cached by any provider that says what it caches. */
const LEAST_CACHED_TOKENS = 2048;

/** Whether what the provider reports cannot be if the profile is right: `reusedTokens` of the request stood before it within the ttl. */
export function contradicts(
  { prices }: CacheProfile,
  { reusedTokens, idleSeconds }: { readonly reusedTokens: number; readonly idleSeconds: number },
  cachedTokens: number,
): boolean {
  if (prices === null || reusedTokens < LEAST_CACHED_TOKENS) return false;
  const isCold = prices.ttlSeconds !== null && idleSeconds > prices.ttlSeconds;
  const isCached = cachedTokens > reusedTokens / 2;
  return isCold || prices.write === prices.read ? false : !isCached;
}

/** Cost of one request in tokens of input. */
export const requestCost = (prices: CachePrices, reusedTokens: number, restTokens: number): number =>
  prices.read * reusedTokens + prices.write * restTokens;

/** One result that is due: how many tokens shortening it frees, and how many stand from its block's start to the end. */
export type Candidate = { readonly freedTokens: number; readonly tokensFromBlock: number };

export type Moment = {
  readonly profile: CacheProfile;
  readonly requests: number; // that the session has made so far: the best guess of how many are to come
  readonly idleSeconds: number; // since the last one
  readonly isOverflowing: boolean; // the request would not fit the model's window
};

/** What is cut: the candidates from `from` on. `freedTokens` C, `resentTokens` S, substitutes included. */
export type Cut = {
  readonly from: number;
  readonly rule: CutRule;
  readonly freedTokens: number;
  readonly resentTokens: number;
};

const IDLE_SECONDS_IF_UNKNOWN = 3600;

/**
 * Which suffix of what is due, oldest first, is cut now; null: none. Once the earliest is cut, all behind it must be
 * sent again anyway, so only suffixes are worth considering: one pass from the newest backwards.
 */
export function decideCut(candidates: readonly Candidate[], moment: Moment): Cut | null {
  const [oldest] = candidates;
  if (!oldest) return null;
  const { prices } = moment.profile;
  const all = (rule: CutRule): Cut => {
    const freedTokens = candidates.reduce((sum, candidate) => sum + candidate.freedTokens, 0);
    return { from: 0, rule, freedTokens, resentTokens: Math.max(0, oldest.tokensFromBlock - freedTokens) };
  };
  if (moment.isOverflowing) return all("overflow");
  if (moment.idleSeconds > (prices === null ? IDLE_SECONDS_IF_UNKNOWN : (prices.ttlSeconds ?? Infinity)))
    return all("cold");
  if (prices === null) return null;
  if (prices.write === prices.read) return all("uncached");
  let best: Cut | null = null;
  let bestGain = 0;
  let freedTokens = 0;
  for (let from = candidates.length - 1; from >= 0; from--) {
    const candidate = candidates[from] as Candidate;
    freedTokens += candidate.freedTokens;
    const resentTokens = Math.max(0, candidate.tokensFromBlock - freedTokens);
    const gain = moment.requests * prices.read * freedTokens - (prices.write - prices.read) * resentTokens;
    if (gain <= bestGain) continue;
    bestGain = gain;
    best = { from, rule: "pays", freedTokens, resentTokens };
  }
  return best;
}
