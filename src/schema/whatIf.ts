/** A recorded session under other settings: what can be turned, what it would have sent, and what Settings would get of it. */
import * as z from "zod";
import { CachePrices } from "./cost";
import { AgeingSettings } from "./settings";

const size = z.int().nonnegative();
const Hidden = z.object({ results: size, tokens: size });

/** `prices` null: nothing is known of the model's cache. `headChars` is below `thresholdChars`. */
export const WhatIfKnobs = z
  .object({
    thresholdChars: z.int().positive(),
    headChars: z.int().positive(),
    slack: z.number().min(0).max(4),
    strategy: AgeingSettings.shape.strategy,
    shortenAfterTurns: z.int().positive(),
    clearAfterTurns: z.int().positive(),
    minimumChars: size,
    prices: CachePrices.nullable(),
  })
  .refine(({ headChars, thresholdChars }) => headChars < thresholdChars, { path: ["headChars"] });
export type WhatIfKnobs = z.infer<typeof WhatIfKnobs>;

const ways = <T extends z.ZodType>(of: T) =>
  z.object({ everything: of, cloakroom: of, recorded: of.nullable() }); // recorded null: nobody wrote down what was sent

/** Lists have one figure for each request of the session, in tokens of the one `counter`; costs are in tokens of input. */
export const WhatIfRun = z.object({
  counter: z.string(),
  turns: z.array(size),
  tokens: ways(z.array(size)),
  readBack: z.array(size), // of the requests that read something back before it, under `cloakroom`
  cost: ways(z.number().nonnegative()),
  peak: ways(size),
  hiddenAtEnd: Hidden,
  readBacks: size, // requests
  goneResults: size, // stored results whose content is deleted or cannot be read
  storedOnArrival: Hidden,
  shortenedLater: Hidden.extend({ toOneLine: size }),
});
export type WhatIfRun = z.infer<typeof WhatIfRun>;

/** One setting of `package.json` and what it would become. */
export const SettingChange = z.object({ setting: z.string(), from: z.json(), to: z.json() });
export type SettingChange = z.infer<typeof SettingChange>;

/** Of all requests. `cost` in tokens of input at the price of what is not cached. */
const Sum = z.object({ requests: size, tokens: size, cost: size, peakTokens: size });

/** One figure per request of the session, at most MAXIMUM_POINTS of them: the largest of those that a point stands for. */
export const MAXIMUM_POINTS = 256;
export const WhatIfSeries = z.object({
  requestsPerPoint: z.int().positive(),
  everything: z.array(size), // every result whole
  cloakroom: z.array(size),
  readBack: z.array(size), // what requests that only read something back sent, of the turns that a point stands for
  recorded: z.array(size).nullable(), // null: the log does not say
  sums: z.object({ everything: Sum, cloakroom: Sum, recorded: Sum.nullable() }),
  storedOnArrival: size,
  shortenedLater: size,
  readBacks: size,
  goneResults: size,
  hiddenAtEndTokens: size,
  counter: z.string(),
});
export type WhatIfSeries = z.infer<typeof WhatIfSeries>;
