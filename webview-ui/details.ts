// The inspector's browser side: the details of the selected row. Whatever came from outside is text, never markup.
import { html, nothing, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Fact, Row, TextBlock } from "./row";
import { visibleSegments } from "./visibleText";
import { WORDS } from "./words";

export type DetailsEvents = {
  readonly onOpen: (row: Row) => void;
  readonly onClose: () => void;
};

export function detailsView(row: Row, events: DetailsEvents): TemplateResult {
  const { facts, texts } = row.details();
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
    ${keyed(
      row.key,
      html`<div class="details-body" tabindex="0" role="group" aria-label=${`${WORDS.details}: ${row.label}`}>
        ${row.opens === null ? nothing : openButton(row, events)}
        ${facts.length === 0 ? nothing : html`<dl class="facts">${facts.map(factView)}</dl>`}
        ${texts.map(textView)}
      </div>`,
    )}
  </section>`;
}

const openButton = (row: Row, { onOpen }: DetailsEvents): TemplateResult =>
  html`<button type="button" class="button secondary" data-action="openStored" @click=${() => onOpen(row)}>
    <span class="codicon codicon-go-to-file" aria-hidden="true"></span>${WORDS.openStored}
  </button>`;

const factView = ({ label, value, isCode }: Fact): TemplateResult =>
  html`<div class="fact">
    <dt>${label}</dt>
    <dd class=${isCode ? "code" : ""}>${shown(value)}</dd>
  </div>`;

const textView = ({ label, text }: TextBlock): TemplateResult =>
  html`<h3 class="text-label">${label}</h3>
    <pre class="text" data-text=${label}>${text === "" ? html`<span class="escape">(empty)</span>` : shown(text)}</pre>`;

const shown = (text: string) =>
  visibleSegments(text).map(({ text: part, isEscape }) =>
    isEscape ? html`<span class="escape">${part}</span>` : part,
  );
