/** What a session knows of its model's prompt cache, event by event: part of the history's fold. */
import type { EventOf } from "../schema/event";
import { type CacheOverrides, cacheProfileOf, contradicts, requestCost } from "./promptCache";

/** What is known of the model's prompt cache: its profile, and how often in a row its replies contradicted that. */
export type CacheState = {
  readonly model: string;
  readonly overrides: CacheOverrides;
  /** Of the last request: what stood in the one before it too, and how long that was ago. */
  readonly expected: { readonly reusedTokens: number; readonly idleSeconds: number } | null;
  readonly contradictions: number;
  readonly spentTokens: number; // what all requests have cost, as tokens of input
};

export const NO_CACHE: CacheState = {
  model: "",
  overrides: {},
  expected: null,
  contradictions: 0,
  spentTokens: 0,
};

export function cacheConfigured(cache: CacheState, { model, settings }: EventOf<"configured">): CacheState {
  const contradictions = model.id === cache.model ? cache.contradictions : 0;
  return { ...cache, model: model.id, overrides: settings.ageing.cacheProfiles, contradictions };
}

/** `idleSeconds` since the request before; null: there was none. */
export function cacheAfterRequest(
  cache: CacheState,
  { prefix }: EventOf<"requested">,
  idleSeconds: number | null,
): CacheState {
  const expected = prefix && idleSeconds !== null ? { reusedTokens: prefix.tokens, idleSeconds } : null;
  const size = { reusedTokens: prefix?.tokens ?? 0, totalTokens: prefix?.totalTokens ?? 0 };
  const cost = requestCost(
    cacheProfileOf(cache.model, cache.overrides, cache.contradictions),
    size,
    idleSeconds,
  );
  const spentTokens = Math.min(Number.MAX_SAFE_INTEGER, cache.spentTokens + cost); // whatever a log says: it is logged again
  return { ...cache, expected, spentTokens };
}

/** Replies that do not report what was cached say nothing. */
export function cacheAfterReply(cache: CacheState, { usage }: EventOf<"replied">): CacheState {
  const cachedTokens = usage?.cachedTokens ?? null;
  if (cachedTokens === null || cache.expected === null) return cache;
  const profile = cacheProfileOf(cache.model, cache.overrides);
  const isWrong = contradicts(profile, cache.expected, cachedTokens);
  return { ...cache, contradictions: isWrong ? cache.contradictions + 1 : 0 };
}
