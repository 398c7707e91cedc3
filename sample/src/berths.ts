/** Berths and who lies at them. */

export type Vessel = {
  readonly name: string;
  readonly lengthMetres: number;
  readonly draughtMetres: number;
};

export type Berth = {
  readonly quay: "north" | "south" | "fish";
  readonly number: number;
  readonly lengthMetres: number;
  readonly depthMetres: number;
};

/** The shortest free berth that takes the vessel: long berths stay free for long vessels. */
export function assignBerth(
  vessel: Vessel,
  berths: readonly Berth[],
  taken: ReadonlySet<Berth>,
): Berth | undefined {
  return berths
    .filter((berth) => !taken.has(berth))
    .filter((berth) => berth.lengthMetres >= vessel.lengthMetres + 2 && berth.depthMetres > vessel.draughtMetres)
    .sort((left, right) => left.lengthMetres - right.lengthMetres)[0];
}
