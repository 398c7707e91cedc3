// The inspector's browser side: the top of the page: what is wrong, what to begin with, the session picker, what is explained.
import { html, nothing, type TemplateResult } from "lit";
import type { SessionRow } from "../src/schema/inspector";
import type { Format } from "./format";
import type { PageModel } from "./model";
import { type Post, type ToolbarProps, toolbarView } from "./toolbar";
import { oneLine } from "./visibleText";
import { WORDS } from "./words";

export type HeaderProps = Pick<PageModel, "head" | "sessions" | "problem"> &
  Pick<ToolbarProps, "isAsking" | "room" | "isMenuOpen"> & {
    readonly selected: string | null;
    readonly explains: boolean; // there is a first stored result, and nobody said what that is
    readonly f: Format;
  };

export type HeaderEvents = {
  readonly post: Post;
  readonly onMenu: (isOpen: boolean) => void;
  readonly onExplained: () => void;
};

export function headerView(props: HeaderProps, { post, onMenu, onExplained }: HeaderEvents): TemplateResult {
  const { head, problem, selected, explains } = props;
  const sessions = props.sessions ?? [];
  const isEmpty = selected === null && problem === null;
  const picks = sessions.length > (selected === null || (head === null && problem !== null) ? 0 : 1);
  return html`<header class="head">
    ${problem === null ? nothing : problemView(problem)}
    ${isEmpty ? emptyView(sessions.length > 0) : nothing}
    ${picks ? pickerView(props, post) : nothing}
    ${toolbarView({ ...props, head }, post, onMenu)}
    ${isEmpty && sessions.length === 0 ? html`<p class="quiet">${WORDS.emptyHint}</p>` : nothing}
    ${explains ? calloutView(onExplained) : nothing}
  </header>`;
}

const problemView = (problem: string): TemplateResult =>
  html`<div id="problem" class="problem" role="alert">
    <span class="codicon codicon-warning" aria-hidden="true"></span><span>${problem}</span>
  </div>`;

const emptyView = (hasSessions: boolean): TemplateResult =>
  html`<p id="empty" class="summary">${hasSessions ? WORDS.noneSelected : WORDS.empty}</p>`;

const calloutView = (onExplained: () => void): TemplateResult =>
  html`<div id="first-stored" class="callout" role="note">
    <span class="codicon codicon-lightbulb" aria-hidden="true"></span>
    <p>${WORDS.firstStored}</p>
    <button type="button" class="button secondary" data-action="explained" title="Do not show this again" @click=${onExplained}>${WORDS.explained}</button>
  </div>`;

function pickerView({ sessions, selected, f }: HeaderProps, post: Post): TemplateResult {
  const onChange = (event: Event) => {
    const { value } = event.currentTarget as HTMLSelectElement;
    if (value !== "") post({ type: "selectSession", session: value });
  };
  return html`<div class="picker">
    <select id="sessions" aria-label=${WORDS.sessions} @change=${onChange}>
      ${selected === null ? html`<option value="" selected>${WORDS.choose}</option>` : nothing}
      ${sessions?.map((row) => optionView(row, row.session === selected, f))}
    </select>
    <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
  </div>`;
}

const KINDS: Readonly<Record<SessionRow["kind"], string>> = {
  own: "",
  imported: ", imported",
  analysed: ", analyzed",
};

/** The end of a long title is out of sight: what tells a fork from its session comes first. */
export const markedFirst = (title: string): string =>
  title.replace(/^(.*) (\((?:fork|imported)\))$/su, "$2 $1");

const optionView = ({ session, title, startedAt, running, kind }: SessionRow, isChosen: boolean, f: Format) =>
  html`<option value=${session} .selected=${isChosen} title=${f.fullTime(startedAt)}>
    ${oneLine(markedFirst(title), 80)} (${f.ago(startedAt, Date.now())}${running ? ", running" : ""}${KINDS[kind]})
  </option>`;
