// The inspector's browser side: the text of a window of a stored content, with what was found in it.
import { html, nothing, type TemplateResult } from "lit";
import type { ContentWindow } from "../src/schema/inspector";
import type { ContentProps } from "./contentViewer";
import { cutAt, piecesOf, CONTENT_WORDS as WORDS } from "./contentWords";
import { visibleSegments } from "./visibleText";

export function textView(window: ContentWindow, { match }: ContentProps): TemplateResult {
  if (window.totalChars === 0) return html`<span class="content-empty">${WORDS.empty}</span>`;
  const { before, found, after } = cutAt(window, match);
  return html`${visible(before)}${found === "" ? nothing : html`<mark class="content-match">${visible(found)}</mark>`}${visible(after)}`;
}

const visible = (text: string) =>
  piecesOf(text)
    .flatMap(visibleSegments)
    .map((segment) =>
      segment.isEscape ? html`<span class="content-escape">${segment.text}</span>` : segment.text,
    );
