// The inspector's browser side: the way to a row that may not be here yet: its turn's place, its turn, the row. Pure.
import { placeOf } from "./loaded";
import { type PageModel, turnOf } from "./model";
import { isTurnKey } from "./outline";
import { keysAbove, type Place, type Spot } from "./place";

/** `waits`: the row of a turn, or the turn at a place, has to come first. `gone`: there is no such turn. */
export type Way =
  | { readonly kind: "there"; readonly spot: Spot }
  | { readonly kind: "waits"; readonly closed: readonly number[]; readonly open: readonly number[] }
  | { readonly kind: "gone" };

/** Contract: of a key that is in the session that is shown. */
export function wayTo({ head, loaded }: PageModel, key: string): Way {
  const session = head?.session ?? "";
  const turn = turnOf(session, key);
  if (turn === null) return { kind: "there", spot: { key, at: null } };
  const place = placeOf(loaded, turn);
  if (place === null) return { kind: "gone" };
  const { at, isExact } = place;
  if (!isExact) return { kind: "waits", closed: [at], open: [] };
  const isThere = isTurnKey(session, key) || loaded.turns.has(at);
  return isThere ? { kind: "there", spot: { key, at } } : { kind: "waits", closed: [], open: [at] };
}

/** The place in which a row can be seen: everything above it is open, and it is what the person looks at. */
export function placeAt(place: Place, spot: Spot): Place {
  const above = keysAbove(spot.key).map((key) => [key, true] as const);
  return {
    ...place,
    open: { ...place.open, ...Object.fromEntries(above) },
    turns: spot.at === null ? place.turns : { ...place.turns, [spot.at]: true },
    passed: spot.at !== null && place.passed?.at === spot.at ? null : (place.passed ?? null),
    focused: spot,
    selected: spot,
  };
}

/** The same for a turn that is chosen in the plot: it closes again when the next one is, unless the person opened it. */
export function placePassing(place: Place, spot: Spot & { readonly at: number }): Place {
  const { passed, ...before } = place;
  if (passed?.at === spot.at) return { ...placeAt(before, spot), passed };
  const turns = passed == null ? place.turns : { ...withoutTurn(place.turns, passed.at), ...wasOf(passed) };
  const wasOpen = turns[spot.at] ?? null;
  const there = placeAt({ ...before, turns }, spot);
  return { ...there, passed: wasOpen === true ? null : { at: spot.at, wasOpen } };
}

const withoutTurn = (turns: Place["turns"], at: number): Place["turns"] =>
  Object.fromEntries(Object.entries(turns).filter(([there]) => Number(there) !== at));

const wasOf = ({ at, wasOpen }: NonNullable<Place["passed"]>): Place["turns"] =>
  wasOpen === null ? {} : { [at]: wasOpen };
