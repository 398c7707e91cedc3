// test/support: the details of rows as the host makes them: from the lines of a log that have what the row is about.
import { detailsOf, textOf } from "../../src/inspector/details";
import { type InspectorFold, inspectorFold } from "../../src/inspector/project";
import { isAbout, needlesOf, placeOfKey, type RowPlace } from "../../src/inspector/rowPlace";
import type { Logged } from "../../src/schema/event";
import type { Details } from "../../src/schema/inspector";
import { CHAIN_START, lineOf } from "../../src/store/chain";

export const foldOf = (events: readonly Logged[]): InspectorFold =>
  events.reduce(inspectorFold.reduce, inspectorFold.begin());

/** A log, and what its rows have to tell. */
export class LoggedRows {
  readonly fold: InspectorFold;
  readonly #lines: readonly { readonly event: Logged; readonly line: string }[];

  constructor(events: readonly Logged[]) {
    this.fold = foldOf(events);
    this.#lines = events.map((event) => ({ event, line: lineOf(event, CHAIN_START).line }));
  }

  placeOf(key: string): RowPlace {
    const place = placeOfKey(this.fold, key);
    if (place === null) throw new Error(`${key} is no key of a row`);
    return place;
  }

  eventsOf(place: RowPlace): readonly Logged[] {
    const needles = needlesOf(place);
    const found = this.#lines.filter(({ line }) => needles.some((needle) => line.includes(needle)));
    return found.map(({ event }) => event).filter((event) => isAbout(place, event));
  }

  details(key: string): Details {
    const place = this.placeOf(key);
    return detailsOf(key, place, this.eventsOf(place)).details;
  }

  text(key: string, part: string): ReturnType<typeof textOf> {
    const place = this.placeOf(key);
    return textOf(place, this.eventsOf(place), part);
  }
}
