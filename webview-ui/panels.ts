// The inspector's browser side: the sections around the tree, each a slot for a view of its own, and what each is given.
import { html, nothing, type TemplateResult } from "lit";
import { onToolbarKey } from "./details";
import type { Format } from "./format";
import type { PageModel } from "./model";
import type { Panel, Place } from "./place";
import type { Post } from "./toolbar";
import { oneLine } from "./visibleText";
import { settingsOf, summaryOf } from "./words";

/** All that a panel may need. `onSelectTurn` takes a turn's place: the tree goes there, opens it, and everything follows. */
export type PanelProps = { readonly model: PageModel; readonly f: Format };
export type PanelEvents = {
  readonly post: Post;
  readonly onSelectTurn: (at: number) => void;
  readonly onReveal: (key: string) => void;
  readonly onPanel: (panel: Panel, isOpen: boolean) => void;
};

const TITLES: Readonly<Record<Panel, string>> = {
  overview: "Overview",
  request: "Request",
  content: "Content",
  whatif: "What If",
  analysis: "Analysis",
};

/** What is in each section. */
const VIEWS: Readonly<
  Record<Panel, (props: PanelProps, events: PanelEvents) => TemplateResult | typeof nothing>
> = {
  overview: ({ model, f }) =>
    model.head === null
      ? nothing
      : html`<p id="summary" class="summary">${summaryOf(model.head, f)}</p>
          <p id="settings" class="quiet">
            ${settingsOf(model.head).map((part) => html`<span class="part">${oneLine(part)}</span>`)}
          </p>`,
  request: () => nothing,
  content: () => nothing,
  whatif: () => nothing,
  analysis: () => nothing,
};

/** The overview is above the tree, and always there. */
export const overviewView = (props: PanelProps, events: PanelEvents): TemplateResult =>
  html`<section id="overview" class="overview" aria-label=${TITLES.overview}>${VIEWS.overview(props, events)}</section>`;

const BESIDE: readonly Panel[] = ["request", "content", "whatif", "analysis"];

export const openPanels = ({ panels }: Place): Panel[] => BESIDE.filter((panel) => panels[panel] === true);

/** Buttons that open and close the panels beside the tree. */
export const switchesView = (
  place: Place,
  hasAnalysis: boolean,
  { onPanel }: PanelEvents,
): TemplateResult => {
  const panels = BESIDE.filter((panel) => panel !== "content" && (panel !== "analysis" || hasAnalysis));
  return html`<div class="switches" role="toolbar" aria-label="Panels" @keydown=${onToolbarKey}>
    ${panels.map((panel) => {
      const isOpen = place.panels[panel] === true;
      return html`<button type="button" class="switch" data-panel=${panel} aria-pressed=${String(isOpen)}
        title=${`${isOpen ? "Hide" : "Show"} ${TITLES[panel]}`} @click=${() => onPanel(panel, !isOpen)}>${TITLES[panel]}</button>`;
    })}
  </div>`;
};

/** The other panels that are open, one below the other. */
export const panelsView = (place: Place, props: PanelProps, events: PanelEvents): TemplateResult[] =>
  openPanels(place).map(
    (panel) => html`<section id=${panel} class="panel" aria-label=${TITLES[panel]}>
      <header class="details-head">
        <h2 class="details-title">${TITLES[panel]}</h2>
        <button
          type="button"
          class="icon-button codicon codicon-close"
          data-action="closePanel"
          title="Close ${TITLES[panel]}"
          aria-label="Close ${TITLES[panel]}"
          @click=${() => events.onPanel(panel, false)}
        ></button>
      </header>
      <div class="panel-body">${VIEWS[panel](props, events)}</div>
    </section>`,
  );
