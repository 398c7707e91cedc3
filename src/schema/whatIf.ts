/** What if: the settings that can be moved, and what a session would have been under them. */
import * as z from "zod";
import { CachePrices } from "./cost";
import { AgeingSettings } from "./settings";

export const WhatIfKnobs = z.object({
  thresholdChars: z.int().min(0).max(10_000_000),
  headChars: z.int().min(0).max(1_000_000),
  slack: z.number().min(0).max(4),
  strategy: AgeingSettings.shape.strategy,
  shortenAfterTurns: z.int().positive().max(10_000),
  clearAfterTurns: z.int().positive().max(10_000),
  minimumChars: z.int().nonnegative().max(10_000_000),
  prices: CachePrices,
});
export type WhatIfKnobs = z.infer<typeof WhatIfKnobs>;

const tokens = z.int().nonnegative();
/** Of all requests. `cost` in tokens of input at the price of what is not cached. */
const Sum = z.object({ requests: tokens, tokens, cost: tokens, peakTokens: tokens });

/** One figure per request of the session, at most MAXIMUM_POINTS of them: the largest of those that a point stands for. */
export const MAXIMUM_POINTS = 256;
export const WhatIfSeries = z.object({
  requestsPerPoint: z.int().positive(),
  everything: z.array(tokens), // every result whole
  cloakroom: z.array(tokens),
  readBack: z.array(tokens), // what requests that only read something back sent, of the turns that a point stands for
  recorded: z.array(tokens).nullable(), // null: the log does not say
  sums: z.object({ everything: Sum, cloakroom: Sum, recorded: Sum.nullable() }),
  storedOnArrival: tokens,
  shortenedLater: tokens,
  readBacks: tokens,
  hiddenAtEndTokens: tokens,
  counter: z.string(),
});
export type WhatIfSeries = z.infer<typeof WhatIfSeries>;
