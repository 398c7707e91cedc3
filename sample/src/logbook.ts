import type { Berth, Vessel } from "./berths.js";
import type { HighWater } from "./tides.js";

export type Entry =
  | { readonly kind: "arrived"; readonly at: string; readonly vessel: Vessel; readonly berth: Berth }
  | { readonly kind: "left"; readonly at: string; readonly vessel: Vessel }
  | { readonly kind: "high-water"; readonly reading: HighWater };

const line = (entry: Entry): string => {
  switch (entry.kind) {
    case "arrived":
      return `${entry.at} ${entry.vessel.name} to ${entry.berth.quay} ${entry.berth.number}`;
    case "left":
      return `${entry.at} ${entry.vessel.name} left`;
    case "high-water":
      return `${entry.reading.at} high water ${entry.reading.metres.toFixed(2)} m`;
  }
};

/** The day's page, oldest entry first. */
export const page = (entries: readonly Entry[]): string => entries.map(line).sort().join("\n");
