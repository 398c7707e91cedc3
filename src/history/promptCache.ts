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

/**
 * Cost of one request in tokens of input: of `totalTokens`, `reusedTokens` stood in the one before too. `idleSeconds` null:
 * there was none before.
 */
export function requestCost(
  { prices }: CacheProfile,
  { reusedTokens, totalTokens }: { readonly reusedTokens: number; readonly totalTokens: number },
  idleSeconds: number | null,
): number {
  if (prices === null) return totalTokens;
  const { write, read, ttlSeconds } = prices;
  const isWarm = idleSeconds !== null && idleSeconds <= (ttlSeconds ?? Number.POSITIVE_INFINITY);
  const reused = isWarm ? reusedTokens : 0;
  return read * reused + write * Math.max(0, totalTokens - reused);
}

/**
 * One result that is due: what shortening it frees, what stands from its block's start to the end and is cached, and
 * how often it will be read back.
 */
export type Candidate = {
  readonly freedTokens: number;
  readonly tokensFromBlock: number;
  readonly expectedReads: number;
};

export type Moment = {
  readonly profile: CacheProfile;
  readonly requests: number; // that the session has made so far: the best guess of how many are to come
  readonly idleSeconds: number; // since the last one
  readonly totalTokens: number; // of the request as it is
  readonly spentTokens: number; // what the session's requests have cost so far, as tokens of input
  readonly isOverflowing: boolean; // the request would not fit the model's window
};

/** What is cut: these candidates, in order. `freedTokens` C, `resentTokens` S, substitutes included. */
export type Cut = {
  readonly chosen: readonly number[];
  readonly rule: CutRule;
  readonly freedTokens: number;
  readonly resentTokens: number;
  readonly readTokens: number; // what reading back is expected to cost, in tokens of input
};

const IDLE_SECONDS_IF_UNKNOWN = 3600;

/** Nobody knows how long a session goes on: what a cut costs at once stays within this share of what was spent before it. */
const MOST_SPENT = 0.04;

/** Reading back costs a request, the call for it at five times the price of input, and what comes: three windows, or less if there is less. */
const READ_TOKENS = 3 * 1024;
const CALL_TOKENS = 60 * 5;

/**
 * How often a result is needed again, by its chars and its age in turns. Measured on real transcripts: 0.08 times for
 * every 1,000 characters and at most 0.8, half of that 16 turns later (`docs/benchmarks.md`).
 */
export const expectedReads = (chars: number, ageTurns: number): number =>
  (Math.min(0.8, chars * 8e-5) * 16) / (16 + Math.max(0, ageTurns));

const isColdAt = ({ profile: { prices }, idleSeconds }: Pick<Moment, "profile" | "idleSeconds">): boolean =>
  idleSeconds > (prices === null ? IDLE_SECONDS_IF_UNKNOWN : (prices.ttlSeconds ?? Number.POSITIVE_INFINITY));

/** Whether anything can be cut at all, whatever is due: where nothing is known of the cache, or reading it is free, seldom. */
export const mayCut = (moment: Pick<Moment, "profile" | "idleSeconds" | "isOverflowing">): boolean =>
  moment.isOverflowing || isColdAt(moment) || (moment.profile.prices?.read ?? 0) > 0;

/**
 * What of the results that are due, oldest first, is cut now; null: nothing. Each must be worth more than reading it
 * back is likely to cost (M14). Once the earliest is cut, all behind it must be sent again anyway, so of those only
 * suffixes are worth considering: one pass from the newest backwards. `npm run bench -- traces` holds this against an
 * oracle that knows how long the session goes on.
 */
export function decideCut(candidates: readonly Candidate[], moment: Moment): Cut | null {
  if (candidates.length === 0 || !mayCut(moment)) return null;
  if (moment.isOverflowing) return cutOf(candidates, candidates.keys(), "overflow");
  const { prices } = moment.profile;
  const isCold = isColdAt(moment);
  if (prices === null) return cutOf(candidates, candidates.keys(), "cold");
  const { write, read } = prices;
  const isResent = isCold || write === read; // all of it is sent at the full price anyway
  const readCostOf = ({ freedTokens }: Candidate): number =>
    read * moment.totalTokens +
    (write + moment.requests * read) * Math.min(freedTokens, READ_TOKENS) +
    CALL_TOKENS;
  const worthOf = (candidate: Candidate): number =>
    (moment.requests * read + (isResent ? write : 0)) * candidate.freedTokens -
    candidate.expectedReads * readCostOf(candidate);

  let gain = 0;
  let freedTokens = 0;
  let best = isResent ? 0 : candidates.length;
  let bestGain = 0;
  for (let at = candidates.length - 1; at >= 0 && !isResent; at--) {
    const candidate = candidates[at] as Candidate;
    const worth = worthOf(candidate);
    if (worth <= 0) continue;
    gain += worth;
    freedTokens += candidate.freedTokens;
    const price = (write - read) * Math.max(0, candidate.tokensFromBlock - freedTokens);
    if (gain - price <= bestGain || price > MOST_SPENT * moment.spentTokens) continue;
    bestGain = gain - price;
    best = at;
  }
  const chosen: number[] = [];
  for (let at = best; at < candidates.length; at++)
    if (worthOf(candidates[at] as Candidate) > 0) chosen.push(at);
  if (chosen.length === 0) return null;
  return cutOf(candidates, chosen, isCold ? "cold" : isResent ? "uncached" : "pays", readCostOf);
}

function cutOf(
  candidates: readonly Candidate[],
  places: Iterable<number>,
  rule: CutRule,
  readCostOf: (candidate: Candidate) => number = () => 0,
): Cut {
  const chosen = [...places];
  const cut = chosen.map((at) => candidates[at] as Candidate);
  const freedTokens = cut.reduce((sum, candidate) => sum + candidate.freedTokens, 0);
  const resentTokens = Math.max(0, (cut[0]?.tokensFromBlock ?? 0) - freedTokens);
  const readTokens = cut.reduce((sum, candidate) => sum + candidate.expectedReads * readCostOf(candidate), 0);
  return { chosen, rule, freedTokens, resentTokens, readTokens: Math.round(readTokens) };
}
