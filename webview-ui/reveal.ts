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
    focused: spot,
    selected: spot,
  };
}
