import type { Berth, Vessel } from "./berths.js";

// TODO take the north quay's fee from the service agreement
const CROWNS_PER_NIGHT: Record<Berth["quay"], number> = { north: 0, south: 260, fish: 95 };

export function feeFor(vessel: Vessel, berth: Berth, nights: number): number {
  const long = vessel.lengthMetres > 24 ? 1.5 : 1;
  return Math.ceil(CROWNS_PER_NIGHT[berth.quay] * long) * nights;
}
