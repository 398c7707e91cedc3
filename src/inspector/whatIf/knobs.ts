/** What if: what can be turned, from a session's settings and back into them. */
import { cacheProfileOf } from "../../history/promptCache";
import type { CachePrices } from "../../schema/cost";
import type { Logged } from "../../schema/event";
import { type CoreSettings, DEFAULT_SETTINGS } from "../../schema/settings";
import type { SettingChange, WhatIfKnobs } from "../../schema/whatIf";

/** Those that knobs are of. */
export type TurnedSettings = Pick<CoreSettings, "claimCheck" | "ageing">;

/** As the session was configured at last. */
export function knobsOf(events: readonly Logged[]): WhatIfKnobs {
  const configured = events.findLast((event) => event.type === "configured");
  return knobsIn(configured?.settings ?? DEFAULT_SETTINGS, configured?.model.id ?? "");
}

/** `model`: its id, by which prices are found. */
export function knobsIn({ claimCheck, ageing }: TurnedSettings, model: string): WhatIfKnobs {
  const { thresholdChars, headChars, slack } = claimCheck;
  const { strategy, shortenAfterTurns, clearAfterTurns, minimumChars, cacheProfiles } = ageing;
  const { prices } = cacheProfileOf(model, cacheProfiles);
  return {
    ...{ thresholdChars, headChars, slack },
    ...{ strategy, shortenAfterTurns, clearAfterTurns, minimumChars, prices },
  };
}

/** The rest stays as it was. Prices are not among them: a replay is given them beside. */
export function settingsWith(
  { thresholdChars, headChars, slack, prices: _, ...ageing }: WhatIfKnobs,
  settings: CoreSettings,
): CoreSettings {
  return {
    ...settings,
    claimCheck: { ...settings.claimCheck, thresholdChars, headChars, slack },
    ageing: { ...settings.ageing, ...ageing },
  };
}

const LIMITS = ["thresholdChars", "headChars", "slack"] as const;
const AGES = ["strategy", "shortenAfterTurns", "clearAfterTurns", "minimumChars"] as const;

/**
 * What Settings would get: only what differs from what they say now. Prices are those of one model, under the part of its
 * id that names them already, or under its name; unknown ones, and those of a model without a name, are no setting.
 */
export function changesFor(
  knobs: WhatIfKnobs,
  current: TurnedSettings,
  model: string,
): readonly SettingChange[] {
  const now = knobsIn(current, model);
  const changed = (section: string, names: readonly (keyof WhatIfKnobs)[]): SettingChange[] =>
    names
      .filter((name) => knobs[name] !== now[name])
      .map((name) => ({ setting: `cloakroom.${section}.${name}`, from: now[name], to: knobs[name] }));
  return [
    ...changed("claimCheck", LIMITS),
    ...changed("ageing", AGES),
    ...priceChange(knobs.prices, now.prices, current.ageing.cacheProfiles, model),
  ];
}

function priceChange(
  prices: CachePrices | null,
  now: CachePrices | null,
  profiles: CoreSettings["ageing"]["cacheProfiles"],
  model: string,
): SettingChange[] {
  if (prices === null || model === "" || isSame(prices, now)) return [];
  const { name, source } = cacheProfileOf(model, profiles);
  const part = source === "setting" ? name : (model.split("/").at(-1) ?? model);
  const to = { ...profiles, [part]: prices };
  return [{ setting: "cloakroom.ageing.cacheProfiles", from: profiles, to }];
}

const isSame = (a: CachePrices, b: CachePrices | null): boolean =>
  b !== null && a.write === b.write && a.read === b.read && a.ttlSeconds === b.ttlSeconds;
