// The inspector's browser side: the details of the selected row. Whatever came from outside is text, never markup.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Details } from "../src/schema/inspector";
import type { Act } from "./acts";
import type { Texts } from "./answers";
import { NO_TEXT_MENU } from "./contextMenu";
import { eventsView, textsView, type VersionName, versionsView, whyView } from "./detailParts";
import type { Format } from "./format";
import type { Fact, Row } from "./row";
import { shownText } from "./textView";
import { WORDS } from "./words";

/** `details`: null until the host has sent them; what the row itself knows is shown meanwhile. */
export type DetailsProps = {
  readonly row: Row;
  readonly acts: readonly Act[];
  readonly details: Details | null;
  readonly texts: Texts;
  readonly version: VersionName;
  readonly f: Format;
};

export type DetailsEvents = {
  readonly onAct: (act: Act) => void;
  readonly onClose: () => void;
  readonly onVersion: (version: VersionName) => void;
  readonly onMore: (key: string, part: string, offset: number) => void;
  readonly onSetting: (setting: string) => void;
};

export function detailsView(props: DetailsProps, events: DetailsEvents): TemplateResult {
  const { row, acts } = props;
  return html`<section id="details" class="details" aria-label=${WORDS.details} data-key=${row.key} data-kind=${row.kind}>
    <header class="details-head">
      <h2 class="details-title">${row.label}</h2>
      <button
        type="button"
        class="icon-button codicon codicon-close"
        data-action="closeDetails"
        title=${WORDS.closeDetails}
        aria-label=${WORDS.closeDetails}
        @click=${events.onClose}
      ></button>
    </header>
    ${acts.length === 0 ? nothing : actsView(acts, events)}
    ${keyed(row.key, bodyView(props, events))}
  </section>`;
}

function bodyView({ row, details, texts, version, f }: DetailsProps, events: DetailsEvents): TemplateResult {
  const own = row.details();
  const facts = [...own.facts, ...eventFact(row, f)];
  return html`<div class="details-body" tabindex="0" role="group" aria-label=${`${WORDS.details}: ${row.label}`}>
    ${facts.length === 0 ? nothing : html`<dl class="facts">${facts.map((fact) => factView(fact, f))}</dl>`}
    ${details?.problem == null ? nothing : html`<p class="problem" role="note"><span class="codicon codicon-warning" aria-hidden="true"></span><span>${shownText(details.problem)}</span></p>`}
    ${details === null ? nothing : versionsView({ details, texts, version }, events)}
    ${textsView(own.texts, details, texts, events)}
    ${details?.why == null ? nothing : whyView(details.why, f, events)}
    ${details === null ? nothing : eventsView(details.events, f)}
  </div>`;
}

const eventFact = ({ event }: Row, f: Format): Fact[] =>
  event === null ? [] : [{ label: "Log", value: `Event ${f.number(event.n)}, ${event.type}` }];

function actsView(acts: readonly Act[], { onAct }: DetailsEvents): TemplateResult {
  return html`<div class="acts" role="toolbar" aria-label=${WORDS.acts} data-vscode-context=${NO_TEXT_MENU} @keydown=${onToolbarKey}>
    ${acts.map(
      (
        act,
      ) => html`<button type="button" class="button secondary" data-action=${act.action} aria-label=${act.label} title=${`${act.label}: ${act.title}`} @click=${() => onAct(act)}>
        <span class="codicon codicon-${act.icon}" aria-hidden="true"></span><span class="button-label">${act.label}</span>
      </button>`,
    )}
  </div>`;
}

/** Every button is reached by Tab; the arrows go from one to the next, as in toolbars. */
export function onToolbarKey(event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const next = buttons[(at + step + buttons.length) % buttons.length];
  event.preventDefault();
  next?.focus();
}

const factView = ({ label, value, isCode, at }: Fact, f: Format): TemplateResult =>
  html`<div class="fact">
    <dt>${label}</dt>
    <dd class=${isCode ? "code" : ""}>
      ${at === undefined ? shownText(value) : html`<time title=${value}>${f.ago(at, Date.now())}</time>`}
    </dd>
  </div>`;
