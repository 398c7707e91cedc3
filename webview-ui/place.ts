// The inspector's browser side: where the person is: what is open, selected, looked for, and what outlives the page. Pure.
import type { Handle } from "../src/schema/claim";
import type { ContentWindow, FindQuery } from "../src/schema/inspector";
import type { WhatIfKnobs } from "../src/schema/whatIf";
import type { VersionName } from "./detailParts";
import { NO_QUERY } from "./filter";
import type { Outline, VisibleRow } from "./outline";
import type { Unit } from "./overviewWords";
import type { RequestFilter } from "./requestPane";

/** A row: its key, and the place of the turn that it is, or is in (null above the turns): known before the row is there. */
export type Spot = { readonly key: string; readonly at: number | null };

export const PANELS = ["overview", "request", "content", "whatif", "analysis"] as const;
export type Panel = (typeof PANELS)[number];

/** How a person wants things of one session shown. */
export type Choices = {
  readonly unit: Unit; // of what was saved
  readonly isFilterOpen: boolean;
  readonly version: VersionName; // of a result
  readonly requestFilter: RequestFilter;
  readonly knobs: WhatIfKnobs | null; // of What If; null: the session's own
};

/**
 * A person's place in one session. `open` and `turns` (by place) hold only what they opened or closed themselves: it
 * wins over the default. `top`: the row at the top of the tree, and how much of it is out of sight. `content`: the stored
 * content that was read last, and from which character on. `passed`: the turn that is open only because it was chosen in
 * the plot, and what the person had said of it.
 */
export type Place = {
  readonly open: Readonly<Record<string, boolean>>;
  readonly turns: Readonly<Record<number, boolean>>;
  readonly passed?: { readonly at: number; readonly wasOpen: boolean | null } | null;
  readonly focused: Spot | null;
  readonly selected: Spot | null;
  readonly top: (Spot & { readonly hiddenPx: number }) | null;
  readonly selectedTurn: number | null; // null: the newest
  readonly query: FindQuery;
  readonly panels: Readonly<Partial<Record<Panel, boolean>>>;
  readonly content?: { readonly handle: Handle; readonly offset: number };
  readonly choices: Choices;
};
export const START: Place = {
  open: {},
  turns: {},
  focused: null,
  selected: null,
  top: null,
  selectedTurn: null,
  query: NO_QUERY,
  panels: {},
  choices: { unit: "tokens", isFilterOpen: false, version: "shown", requestFilter: "all", knobs: null },
};

/** What outlives the page, by session (`setState` of the webview). `session`: what it shows, for a tab that comes back. */
export type Saved = {
  readonly version: 3;
  readonly places: Readonly<Record<string, Place>>;
  readonly session?: string;
};
export const NOTHING_SAVED: Saved = { version: 3, places: {} };

/** What a page left behind, if a page of this version did. */
export function savedFrom(value: unknown): Saved {
  const saved = value as Saved | undefined;
  return saved?.version === 3 && saved.places instanceof Object ? saved : NOTHING_SAVED;
}

/** Places of sessions that are gone are dropped. */
export function withoutGone(saved: Saved, known: ReadonlySet<string>): Saved {
  const places = Object.entries(saved.places);
  if (places.every(([session]) => known.has(session))) return saved;
  return { ...saved, places: Object.fromEntries(places.filter(([session]) => known.has(session))) };
}

const parentKey = (key: string): string | null => {
  const end = key.lastIndexOf("/");
  return end < 0 ? null : key.slice(0, end);
};

/** The keys of the rows that a row is below, the nearest first. */
export function keysAbove(key: string): string[] {
  const parent = parentKey(key);
  return parent === null ? [] : [parent, ...keysAbove(parent)];
}

/** The row itself, or the nearest row above it in the tree that can be seen; -1: not even that. */
export function nearestIndex(outline: Outline, spot: Spot | null): number {
  if (spot === null) return -1;
  for (const key of [spot.key, ...keysAbove(spot.key)]) {
    const index = outline.indexOf({ ...spot, key });
    if (index >= 0) return index;
  }
  return spot.at === null ? -1 : outline.indexOf({ key: spot.key.split("/")[0] ?? "", at: null });
}

/**
 * The newest turn is open only while it is the newest; one in which the person looks at a row stays open when a newer
 * one comes: a row must not vanish under their eyes.
 */
export function heldOpen(place: Place, newestAt: number): Place {
  const isThere = [place.focused, place.selected].some(
    (spot) => spot?.at === newestAt && spot.key.includes("/"),
  );
  if (!isThere || place.turns[newestAt] !== undefined) return place;
  return { ...place, turns: { ...place.turns, [newestAt]: true } };
}

/** The place in which a row is opened or closed by the person: a turn that they do this in is theirs from then on. */
export function toggled(place: Place, { row, at, level }: VisibleRow, open: boolean): Place {
  const isTurn = level === 2 && at !== null;
  const own = at === null || place.passed?.at !== at ? place : { ...place, passed: null };
  return isTurn
    ? { ...own, turns: { ...own.turns, [at]: open } }
    : { ...own, open: { ...own.open, [row.key]: open } };
}

export const chosen = (place: Place, choices: Partial<Choices>): Place => ({
  ...place,
  choices: { ...place.choices, ...choices },
});

/** The place in which a stored content is read from there on. */
export const readingAt = (
  place: Place,
  { handle, offset }: Pick<ContentWindow, "handle" | "offset">,
): Place =>
  place.content?.handle === handle && place.content.offset === offset
    ? place
    : { ...place, content: { handle, offset } };

export const isSameTop = (a: Place["top"], b: Place["top"]): boolean =>
  a?.key === b?.key && a?.at === b?.at && a?.hiddenPx === b?.hiddenPx;
