/** Depth over the sill and the times at which a vessel can cross it. */

export type HighWater = { readonly at: string; readonly metres: number };

/** One reading of the gauge at the harbour mouth. */
export const highWater = (at: string, metres: number): HighWater => ({ at, metres });

/** The sill lies this far below the gauge's zero. */
export const SILL_METRES = 1.35;

/** The least water that the pilots want under the keel. */
export const CLEARANCE_METRES = 0.4;

export function canCross(reading: HighWater, draughtMetres: number): boolean {
  return reading.metres + SILL_METRES >= draughtMetres + CLEARANCE_METRES;
}

/** The first high water on or after `from` that carries this draught over the sill. */
export function nextCrossing(
  readings: readonly HighWater[],
  from: string,
  draughtMetres: number,
): HighWater | undefined {
  return readings.find((reading) => reading.at >= from && canCross(reading, draughtMetres));
}
