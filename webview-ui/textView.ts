// The inspector's browser side: a text of unknown origin on the page: always text, what cannot be seen made visible.
import { html, nothing, type TemplateResult } from "lit";
import type { TextWindow } from "../src/schema/inspector";
import { visibleSegments } from "./visibleText";
import { WORDS } from "./words";

export const shownText = (text: string) =>
  visibleSegments(text).map(({ text: part, isEscape }) =>
    isEscape ? html`<span class="escape">${part}</span>` : part,
  );

/** The windows of one text, and a way to its next one. */
export function windowsView(
  label: string,
  windows: readonly TextWindow[],
  onMore: (offset: number) => void,
): TemplateResult {
  const last = windows.at(-1);
  const end = last === undefined ? 0 : last.offset + last.text.length;
  const isWhole = last === undefined || end >= last.totalChars;
  const isEmpty = windows.every(({ text }) => text === "");
  return html`<pre class="text" data-text=${label}>${
    isEmpty ? html`<span class="escape">(empty)</span>` : windows.map(({ text }) => shownText(text))
  }</pre>
    ${
      isWhole
        ? nothing
        : html`<button type="button" class="button secondary more" data-action="showMore" title="Show the next part of this text" @click=${() => onMore(end)}>
            <span class="codicon codicon-chevron-down" aria-hidden="true"></span>${WORDS.showMore}
          </button>`
    }`;
}
