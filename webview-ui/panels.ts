// The inspector's browser side: the sections around the tree, each a slot for a view of its own, and what each is given.
import { html, nothing, type TemplateResult } from "lit";
import { NO_TEXT_MENU } from "./contextMenu";
import { onToolbarKey } from "./details";
import type { PageModel } from "./model";
import type { PanelDesk } from "./panelDesk";
import type { Panel, Place } from "./place";
import { oneLine } from "./visibleText";
import { whenChanged } from "./whenChanged";
import { settingsOf } from "./words";

export type PanelProps = { readonly model: PageModel; readonly desk: PanelDesk };
export type PanelEvents = { readonly onPanel: (panel: Panel, isOpen: boolean) => void };

const TITLES: Readonly<Record<Panel, string>> = {
  overview: "Overview",
  request: "Request",
  content: "Content",
  whatif: "What If",
  analysis: "Analysis",
};

/** The overview is above the tree, and always there. */
export const overviewSlot = ({ model, desk }: PanelProps): TemplateResult =>
  html`<div id="overview">
    ${desk.view("overview", model)}
    ${
      model.head === null
        ? nothing
        : html`<p id="settings" class="quiet" title=${settingsOf(model.head).join(" · ")}>
            ${settingsOf(model.head).map((part) => html`<span class="part">${oneLine(part)}</span>`)}
          </p>`
    }
  </div>`;

const BESIDE: readonly Panel[] = ["request", "content", "whatif", "analysis"];

export const openPanels = ({ panels }: Place): Panel[] => BESIDE.filter((panel) => panels[panel] === true);

/** Buttons that open and close the panels beside the tree. */
export const switchesView = (
  place: Place,
  hasAnalysis: boolean,
  { onPanel }: PanelEvents,
): TemplateResult => {
  const panels = BESIDE.filter((panel) => panel !== "content" && (panel !== "analysis" || hasAnalysis));
  return html`<div class="switches" role="toolbar" aria-label="Panels" data-vscode-context=${NO_TEXT_MENU} @keydown=${onToolbarKey}>
    ${panels.map((panel) => {
      const isOpen = place.panels[panel] === true;
      return html`<button type="button" class="switch" data-panel=${panel} aria-pressed=${String(isOpen)}
        title=${`${isOpen ? "Hide" : "Show"} ${TITLES[panel]}`} @click=${() => onPanel(panel, !isOpen)}>${TITLES[panel]}</button>`;
    })}
  </div>`;
};

/** The other panels that are open, one below the other. */
export const panelsView = (
  place: Place,
  { model, desk }: PanelProps,
  events: PanelEvents,
): TemplateResult[] =>
  openPanels(place).map(
    (
      panel,
    ) => html`<section id=${panel} class="panel" tabindex="-1" aria-label=${TITLES[panel]} ${whenChanged(panel, bringIntoSight)}>
      ${panel === "content" ? nothing : headView(panel, events)}
      <div class="panel-body">${desk.view(panel, model)}</div>
    </section>`,
  );

/** In a low side bar a panel that opens would be below what is in sight. */
const bringIntoSight = (panel: HTMLElement): void => panel.scrollIntoView({ block: "nearest" });

/** The content's own bar has its name. */
const headView = (panel: Panel, { onPanel }: PanelEvents): TemplateResult =>
  html`<header class="details-head">
        <h2 class="details-title">${TITLES[panel]}</h2>
        <button
          type="button"
          class="icon-button codicon codicon-close"
          data-action="closePanel"
          title="Close ${TITLES[panel]}"
          aria-label="Close ${TITLES[panel]}"
          @click=${() => onPanel(panel, false)}
        ></button>
      </header>`;
