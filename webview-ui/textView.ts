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
  const next = windows.at(-1)?.next ?? null;
  const isEmpty = windows.every(({ text }) => text === "");
  return html`<pre class="text" data-text=${label}>${
    isEmpty ? html`<span class="escape">(empty)</span>` : windows.map(({ text }) => shownText(text))
  }</pre>
    ${
      next === null
        ? nothing
        : html`<button type="button" class="button secondary more" data-action="showMore" title="Show the next part of this text" @click=${() => onMore(next)}>
            <span class="codicon codicon-chevron-down" aria-hidden="true"></span>${WORDS.showMore}
          </button>`
    }`;
}
