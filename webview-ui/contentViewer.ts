// The inspector's browser side: a stored content of any size, a window at a time. It never holds more than that window.
import "./contentViewer.css";
import { html, nothing, type TemplateResult } from "lit";
import type { ContentWindow } from "../src/schema/inspector";
import {
  charsOf,
  cutAt,
  offsetFrom,
  piecesOf,
  placeWords,
  previousOffset,
  WINDOW_STEP,
  CONTENT_WORDS as WORDS,
} from "./contentWords";
import { button, iconButton, range, textField } from "./controls";
import { problemLine } from "./problem";
import type { TokenFormat } from "./tokenFormat";
import { oneLine, visibleSegments } from "./visibleText";
import { whenChanged } from "./whenChanged";

export type ContentProps = {
  /** null: not read yet, or it cannot be read (`problem`). */
  readonly window: ContentWindow | null;
  /** What was found, in code points of the content. */
  readonly match: { readonly offset: number; readonly chars: number } | null;
  readonly problem: string | null;
  /** What is looked for. */
  readonly find: string;
  readonly isReading: boolean;
  readonly format: TokenFormat;
};

/** Offsets in code points of the content. */
export type ContentEvents = {
  readonly onWant: (offset: number) => void;
  /** The first place at or after `from`; the host begins again at the top where there is none. */
  readonly onFind: (text: string, from: number) => void;
  readonly onOpenDocument: () => void;
  readonly onClose: () => void;
};

export function contentViewer(props: ContentProps, events: ContentEvents): TemplateResult {
  const { window, problem, isReading } = props;
  return html`<section class="content-viewer" aria-label=${WORDS.content} aria-busy=${String(isReading)}>
    ${barView(props, events)}
    ${problemLine(problem)}
    ${
      window === null
        ? html`<p class="content-status" role="status">${problem === null ? WORDS.reading : ""}</p>`
        : html`${findBar(window, props, events)}${bodyView(window, props, events)}${footView(window, props, events)}`
    }
  </section>`;
}

const barView = ({ window }: ContentProps, { onOpenDocument, onClose }: ContentEvents): TemplateResult =>
  html`<header class="content-bar">
    <h2 class="content-title">${window === null ? WORDS.content : oneLine(window.tool, 80)}</h2>
    ${iconButton({ label: WORDS.open, action: "openDocument", icon: "go-to-file", isDisabled: window === null, onClick: onOpenDocument })}
    ${iconButton({ label: WORDS.close, action: "close", icon: "close", onClick: onClose })}
  </header>`;

function findBar(
  window: ContentWindow,
  { find, match }: ContentProps,
  events: ContentEvents,
): TemplateResult {
  const next = match === null ? window.offset : match.offset + Math.max(match.chars, 1);
  const look = (text: string) => {
    if (text !== "") events.onFind(text, text === find ? next : window.offset);
  };
  const onNext = (event: Event) => look(fieldIn(event, "find"));
  const onGo = (typed: string) => {
    const offset = offsetFrom(typed, window.totalChars);
    if (offset !== null) events.onWant(offset);
  };
  return html`<div class="content-find">
    ${textField({ label: WORDS.find, name: "find", value: find, placeholder: WORDS.find, onEnter: look })}
    ${iconButton({ label: WORDS.findNext, action: "findNext", icon: "arrow-down", onClick: onNext })}
    ${textField({ label: WORDS.goTo, name: "goTo", value: "", placeholder: WORDS.goToShort, onEnter: onGo })}
  </div>`;
}

const fieldIn = (event: Event, name: string): string =>
  (event.currentTarget as HTMLElement)
    .closest(".content-viewer")
    ?.querySelector<HTMLInputElement>(`[data-name="${name}"]`)?.value ?? "";

function bodyView(window: ContentWindow, props: ContentProps, events: ContentEvents): TemplateResult {
  const { offset, totalChars } = window;
  const parts = Math.max(1, Math.ceil(totalChars / WINDOW_STEP));
  return html`<div class="content-body">
    <pre
      class="content-text"
      tabindex="0"
      aria-label=${WORDS.text}
      ${whenChanged(`${window.handle} ${offset} ${props.match?.offset ?? ""}`, settle)}
      @keydown=${(event: KeyboardEvent) => onKey(event, window, events)}
    >${textView(window, props)}</pre>
    ${
      parts === 1
        ? nothing
        : html`<div class="content-range">${range({
            label: WORDS.place,
            name: "place",
            value: Math.floor(offset / WINDOW_STEP),
            minimum: 0,
            maximum: parts - 1,
            step: 1,
            valueText: placeWords(window, props.format),
            onChange: (part) => events.onWant(part * WINDOW_STEP),
          })}</div>`
    }
  </div>`;
}

function textView(window: ContentWindow, { match }: ContentProps): TemplateResult {
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

/** Where another window begins: at what was found, at its end when it was reached backwards, else at its top. */
function settle(text: HTMLElement): void {
  const match = text.querySelector("mark");
  if (match !== null) match.scrollIntoView({ block: "center" });
  else text.scrollTop = text.dataset.enters === "end" ? text.scrollHeight : 0;
  delete text.dataset.enters;
}

const hasLater = ({ offset, text, totalChars }: ContentWindow): boolean =>
  offset + charsOf(text) < totalChars;

/** Page Up and Page Down go on into the window beside; otherwise the keys scroll, as everywhere. */
function onKey(event: KeyboardEvent, window: ContentWindow, { onWant }: ContentEvents): void {
  const text = event.currentTarget as HTMLElement;
  const isAtTop = text.scrollTop <= 0;
  const isAtEnd = text.scrollTop + text.clientHeight >= text.scrollHeight - 1;
  const isWhole = event.ctrlKey || event.metaKey;
  const to =
    event.key === "PageUp" && isAtTop && window.offset > 0
      ? previousOffset(window.offset)
      : event.key === "PageDown" && isAtEnd && hasLater(window)
        ? window.offset + charsOf(window.text)
        : event.key === "Home" && isWhole && window.offset > 0
          ? 0
          : event.key === "End" && isWhole && hasLater(window)
            ? previousOffset(window.totalChars)
            : null;
  if (to === null) return;
  event.preventDefault();
  if (event.key === "PageUp" || event.key === "End") text.dataset.enters = "end";
  onWant(to);
}

function footView(window: ContentWindow, { format: f }: ContentProps, events: ContentEvents): TemplateResult {
  const { offset, text } = window;
  return html`<footer class="content-foot">
    ${button({
      label: WORDS.earlier,
      action: "earlier",
      isSecondary: true,
      isDisabled: offset === 0,
      onClick: () => events.onWant(previousOffset(offset)),
    })}
    ${button({
      label: WORDS.later,
      action: "later",
      isSecondary: true,
      isDisabled: !hasLater(window),
      onClick: () => events.onWant(offset + charsOf(text)),
    })}
    <p class="content-status" role="status">${placeWords(window, f)}</p>
  </footer>`;
}
