// The inspector's browser side: the page's parts in their places: top, overview, finder, tree, details, panels.
import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import type { Found } from "../src/schema/inspector";
import { actsOf } from "./acts";
import { type DetailsEvents, detailsView } from "./details";
import { type FilterState, isFiltered } from "./filter";
import { type FinderEvents, finderView } from "./finder";
import type { Format } from "./format";
import { type HeaderEvents, headerView } from "./header";
import { matchAt, matchesOf } from "./matches";
import type { PageModel } from "./model";
import type { Outline, VisibleRow } from "./outline";
import type { PanelDesk } from "./panelDesk";
import { openPanels, overviewSlot, type PanelEvents, panelsView, switchesView } from "./panels";
import { nearestIndex, type Place } from "./place";
import { type TreeEvents, type TreeProps, treeView } from "./tree";
import type { View } from "./treeScroll";
import { WORDS } from "./words";

export type Page = {
  readonly model: PageModel;
  readonly place: Place;
  readonly tree: { readonly outline: Outline; readonly view: View } | null;
  readonly selected: VisibleRow | null;
  readonly filter: FilterState;
  readonly found: Found | null;
  readonly isMenuOpen: boolean;
  readonly isWide: boolean;
  readonly said: string;
  readonly desk: PanelDesk;
  readonly f: Format;
};

export type PageEvents = TreeEvents &
  DetailsEvents &
  HeaderEvents &
  PanelEvents &
  Pick<FinderEvents, "onQuery" | "onStep" | "onTree"> & { readonly onFilterOpen: (isOpen: boolean) => void };

const NOTHING_MATCHES: ReadonlySet<string> = new Set();

/** Parts that did not change are not made again: while a person scrolls, only the tree is. */
export function pageView(page: Page, events: PageEvents): TemplateResult {
  const { model, isMenuOpen, isWide, said } = page;
  const { head, sessions, problem } = model;
  const explains = model.isFirstStored && (head?.totals.storedResults ?? 0) > 0;
  const newest = model.loaded.turns.get(model.loaded.turnCount - 1);
  const isAsking = newest?.calls.some(({ state }) => state === "waiting") ?? false;
  return html`
    <div class="progress ${head?.running === true ? "active" : ""}" aria-hidden="true"></div>
    ${guard([sessions, problem, model.selected, head, explains, isMenuOpen, isWide, isAsking], () =>
      headerView(
        {
          ...page,
          head,
          sessions,
          problem,
          selected: model.selected,
          explains,
          isAsking,
          room: isWide ? 5 : 2,
        },
        events,
      ),
    )}
    ${head !== null ? sessionView(page, events) : model.selected === null || problem !== null ? nothing : rowsSkeleton()}
    <div id="announcements" class="unseen" role="status" aria-live="polite">${said}</div>
  `;
}

function sessionView(page: Page, events: PageEvents): TemplateResult {
  const { model, place, tree, filter, found, selected, f } = page;
  const { isFilterOpen } = place.choices;
  const { desk } = page;
  const props = { model, desk };
  const isSplit = isDetailed(page) || openPanels(place).length > 0;
  const { head, plot, selectedTurn, request, messages, content, whatIf, analysis } = model;
  return html`
    ${guard([head, plot, selectedTurn, model.loaded, whatIf, desk.state, place.choices], () => overviewSlot(props))}
    ${guard([place.panels, analysis === null], () => switchesView(place, analysis !== null, events))}
    ${guard([place.query, found, isFilterOpen, place.focused], () =>
      finderView(
        { query: place.query, found, at: atMatch(page), isOpen: isFilterOpen, f },
        { ...events, onOpen: events.onFilterOpen },
      ),
    )}
    <main class="panes ${isSplit ? "split" : ""}">
      ${tree === null ? nothing : treeView(treeProps(tree, place, filter), events)}
      ${
        isSplit
          ? html`<div class="side">
              ${guard(
                [place.panels, place.choices, head, request, messages, content, whatIf, analysis, desk.state],
                () => panelsView(place, props, events),
              )}
              ${isDetailed(page) ? (selected === null ? emptyDetails() : detailsOf(page, selected, events)) : nothing}
            </div>`
          : nothing
      }
    </main>`;
}

const atMatch = ({ found, place }: Page): number =>
  found === null ? -1 : matchAt(matchesOf(found), place.focused);

const treeProps = (
  { outline, view }: NonNullable<Page["tree"]>,
  { focused, selected }: Place,
  filter: FilterState,
): TreeProps => ({
  outline,
  view,
  focused: nearestIndex(outline, focused),
  selected: outline.indexOf(selected),
  matches: isFiltered(filter) ? filter.keys : NOTHING_MATCHES,
});

/** A row is selected that can be seen, or that will be once its turn is here. */
function isDetailed({ selected, place, model }: Page): boolean {
  const at = place.selected?.at ?? null;
  return selected !== null || (at !== null && at < model.loaded.turnCount && !model.loaded.turns.has(at));
}

const emptyDetails = (): TemplateResult =>
  html`<section id="details" class="details" aria-label=${WORDS.details} aria-busy="true"><header class="details-head"></header></section>`;

function detailsOf({ model, place, f }: Page, { row, at }: VisibleRow, events: PageEvents): unknown {
  const { version } = place.choices;
  const details = model.details.get(row.key) ?? null;
  return guard([row.key, model.head, model.loaded, details, model.texts, version], () =>
    detailsView({ row, acts: actsOf(model, row, at), details, texts: model.texts, version, f }, events),
  );
}

/** Before anything is known: the room that rows will take, so that nothing jumps. */
const rowsSkeleton = (): TemplateResult =>
  html`<div class="skeleton" aria-hidden="true">${Array.from({ length: 8 }, () => html`<div class="skeleton-row"></div>`)}</div>`;

export const skeletonView = (): TemplateResult =>
  html`<p class="loading" role="status">${WORDS.loading}</p>${rowsSkeleton()}`;
