/** What if: price lists, relative to input. */
import { cacheProfileOf } from "../../history/promptCache";
import type { CachePrices, CacheProfile } from "../../schema/cost";
import type { EventOf } from "../../schema/event";
import type { Profile } from "./types";

export const PROFILES: readonly Profile[] = [
  { name: "anthropic-5m", write: 1.25, read: 0.1, ttlSeconds: 300 },
  { name: "openai-auto", write: 1, read: 0.1, ttlSeconds: 600 },
  { name: "uncached", write: 1, read: 1, ttlSeconds: Number.POSITIVE_INFINITY },
];

/** Nothing is known of the model: priced as if nothing were cached. */
export const UNKNOWN_PROFILE: Profile = {
  name: "unknown",
  write: 1,
  read: 1,
  ttlSeconds: Number.POSITIVE_INFINITY,
  isUnknown: true,
};

/** The same as the loop has it. */
export function cacheProfileFrom({ name, write, read, ttlSeconds, isUnknown }: Profile): CacheProfile {
  const prices = { write, read, ttlSeconds: Number.isFinite(ttlSeconds) ? ttlSeconds : null };
  return { name, source: "table", prices: isUnknown ? null : prices };
}

/** By the model's name, as the session's settings and the table know it. */
export function profileOf(model: string, configured: EventOf<"configured"> | undefined): Profile {
  const overrides = configured?.settings.ageing.cacheProfiles ?? {};
  const { name, prices } = cacheProfileOf(model, overrides);
  return profileFrom(name, prices);
}

/** `prices` null: nothing is known. */
export function profileFrom(name: string, prices: CachePrices | null): Profile {
  if (prices === null) return UNKNOWN_PROFILE;
  return { name, ...prices, ttlSeconds: prices.ttlSeconds ?? Number.POSITIVE_INFINITY };
}
