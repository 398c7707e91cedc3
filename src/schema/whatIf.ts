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
export const WhatIfSeries = z.object({
  counter: z.string(),
  turns: z.array(size),
  tokens: ways(z.array(size)),
  readBack: z.array(size), // of the requests that read something back before it, under `cloakroom`
  cost: ways(z.number().nonnegative()),
  peak: ways(size),
  hiddenAtEnd: Hidden,
  readBacks: size, // requests
  storedOnArrival: Hidden,
  shortenedLater: Hidden.extend({ toOneLine: size }),
});
export type WhatIfSeries = z.infer<typeof WhatIfSeries>;

/** One setting of `package.json` and what it would become. */
export const SettingChange = z.object({ setting: z.string(), from: z.json(), to: z.json() });
export type SettingChange = z.infer<typeof SettingChange>;
