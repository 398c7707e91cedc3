// The inspector's browser side: the top of the page: the sentence, the quiet line, the session picker and the buttons.
import { html, nothing, type TemplateResult } from "lit";
import type { FromView, InspectorState, SessionRow, SessionView } from "../src/schema/view";
import type { Format } from "./format";
import { oneLine } from "./visibleText";
import { settingsOf, summaryOf, WORDS } from "./words";

export type Post = (message: FromView) => void;

export function headerView(state: InspectorState, f: Format, post: Post): TemplateResult {
  const { selected, sessions, problem } = state;
  return html`<header class="head">
    ${problem === null ? nothing : problemView(problem)}
    ${selected === null ? nothing : sentenceView(selected, f)}
    ${selected === null && problem === null ? emptyView(sessions.length > 0) : nothing}
    ${sessions.length > 1 || (selected === null && sessions.length > 0) ? pickerView(state, f, post) : nothing}
    ${buttonsView(selected, post)}
    ${
      selected === null && sessions.length === 0 && problem === null
        ? html`<p class="quiet">${WORDS.emptyHint}</p>`
        : nothing
    }
  </header>`;
}

const problemView = (problem: string): TemplateResult =>
  html`<div id="problem" class="problem" role="alert">
    <span class="codicon codicon-warning" aria-hidden="true"></span><span>${problem}</span>
  </div>`;

function sentenceView(session: SessionView, f: Format): TemplateResult {
  return html`<p id="summary" class="summary">${summaryOf(session, f)}</p>
    <p id="settings" class="quiet">
      ${settingsOf(session).map((part) => html`<span class="part">${oneLine(part)}</span>`)}
    </p>`;
}

const emptyView = (hasSessions: boolean): TemplateResult =>
  html`<p id="empty" class="summary">${hasSessions ? WORDS.noneSelected : WORDS.empty}</p>`;

function pickerView({ sessions, selected }: InspectorState, f: Format, post: Post): TemplateResult {
  const onChange = (event: Event) => {
    const { value } = event.currentTarget as HTMLSelectElement;
    if (value !== "") post({ type: "selectSession", session: value });
  };
  const chosen = selected?.session ?? "";
  return html`<div class="picker">
    <select id="sessions" aria-label=${WORDS.sessions} @change=${onChange}>
      ${chosen === "" ? html`<option value="" selected>${WORDS.choose}</option>` : nothing}
      ${sessions.map((row) => optionView(row, row.session === chosen, f))}
    </select>
    <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
  </div>`;
}

const optionView = (row: SessionRow, isChosen: boolean, f: Format): TemplateResult =>
  html`<option value=${row.session} .selected=${isChosen}>
    ${oneLine(row.title, 80)} (${f.time(row.startedAt)}${row.running ? ", running" : ""})
  </option>`;

function buttonsView(selected: SessionView | null, post: Post): TemplateResult {
  const session = selected?.session ?? "";
  return html`<div class="buttons">
    ${button("startSession", WORDS.start, "primary", () => post({ type: "startSession" }))}
    ${
      selected === null
        ? nothing
        : selected.running
          ? button("stopSession", WORDS.stop, "secondary", () => post({ type: "stopSession", session }))
          : button("continueSession", WORDS.resume, "secondary", () =>
              post({ type: "continueSession", session }),
            )
    }
    ${
      selected === null
        ? nothing
        : button("setResultLimits", WORDS.setLimits, "secondary", () => post({ type: "setResultLimits" }))
    }
  </div>`;
}

const button = (action: FromView["type"], label: string, kind: string, onClick: () => void): TemplateResult =>
  html`<button type="button" class="button ${kind}" data-action=${action} @click=${onClick}>${label}</button>`;
