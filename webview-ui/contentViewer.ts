// The inspector's browser side: a stored content of any size, a window at a time. It never holds more than that window.
import "./contentViewer.css";
import { html, nothing, type TemplateResult } from "lit";
import type { Direction } from "../src/schema/claim";
import type { ContentWindow, SearchEnd } from "../src/schema/inspector";
import { fieldOf, focusField, isGoToKey, sayInvalid } from "./contentKeys";
import { textView } from "./contentText";
import {
  charsOf,
  goalFrom,
  goToWords,
  notAPlaceWords,
  placeWords,
  previousOffset,
  searchWords,
  WINDOW_STEP,
  CONTENT_WORDS as WORDS,
} from "./contentWords";
import { button, iconButton, range, textField } from "./controls";
import { problemLine } from "./problem";
import type { TokenFormat } from "./tokenFormat";
import { oneLine } from "./visibleText";
import { whenChanged } from "./whenChanged";

export type ContentProps = {
  /** null: not read yet, or it cannot be read (`problem`). */
  readonly window: ContentWindow | null;
  /** What was found, in code points of the content. */
  readonly match: { readonly offset: number; readonly chars: number } | null;
  readonly problem: string | null;
  /** How looking ended; null: nothing was looked for. */
  readonly search: SearchEnd | null;
  /** What is looked for, and to which side last. */
  readonly find: string;
  readonly direction: Direction;
  readonly isReading: boolean;
  readonly format: TokenFormat;
};

/** Offsets in code points of the content. */
export type ContentEvents = {
  readonly onWant: (offset: number) => void;
  /** The first place at or after `from`, or the last before it; the host goes on at the other end where there is none. */
  readonly onFind: (text: string, from: number, direction: Direction) => void;
  readonly onLine: (line: number) => void;
  readonly onOpenDocument: () => void;
  readonly onClose: () => void;
};

export function contentViewer(props: ContentProps, events: ContentEvents): TemplateResult {
  const { window, problem, isReading } = props;
  return html`<section class="content-viewer" tabindex="-1" aria-label=${WORDS.content} aria-busy=${String(isReading)}
    @keydown=${(event: KeyboardEvent) => onViewerKey(event, props, events)}>
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

function findBar(window: ContentWindow, props: ContentProps, events: ContentEvents): TemplateResult {
  const { find, format, search, direction } = props;
  const onFind = (to: Direction) => (event: Event) => look(event, to, window, props, events);
  const onGo = (event: Event) => goTo(event, window, format, events);
  return html`<div class="content-find">
    ${textField({
      label: WORDS.find,
      name: "find",
      value: find,
      placeholder: WORDS.find,
      onEnter: (_, event) => look(event, event.shiftKey ? "previous" : "next", window, props, events),
    })}
    <span class="content-steps">
      ${iconButton({ label: WORDS.findPrevious, action: "findPrevious", icon: "arrow-up", onClick: onFind("previous") })}
      ${iconButton({ label: WORDS.findNext, action: "findNext", icon: "arrow-down", onClick: onFind("next") })}
    </span>
    ${textField({
      label: goToWords(window, format),
      name: "goTo",
      value: "",
      placeholder: WORDS.goToShort,
      onInput: (_, event) => sayInvalid(fieldIn(event, "goTo"), ""),
      onEnter: (_, event) => onGo(event),
    })}
    <p class="content-invalid" role="alert" hidden></p>
    <p class="content-search" role="status">${searchWords(search, direction)}</p>
  </div>`;
}

/** On from what was found last; another text is looked for from the window on, or back from its end. */
function look(
  event: Event,
  direction: Direction,
  { offset, text: shown }: ContentWindow,
  { find, match }: ContentProps,
  { onFind }: ContentEvents,
): void {
  const text = fieldIn(event, "find")?.value ?? "";
  if (text === "") return;
  const isNext = direction === "next";
  const known = text === find ? match : null;
  const from =
    known === null
      ? offset + (isNext ? 0 : charsOf(shown))
      : known.offset + (isNext ? Math.max(known.chars, 1) : 0);
  onFind(text, from, direction);
}

/** The keyboard is in the text then, as in an editor; at the end there is a whole window, not a last character. */
function goTo(event: Event, window: ContentWindow, f: TokenFormat, events: ContentEvents): void {
  const field = fieldIn(event, "goTo");
  const typed = field?.value ?? "";
  const { totalChars } = window;
  const goal = goalFrom(typed, totalChars);
  sayInvalid(field, goal === null && typed.trim() !== "" ? notAPlaceWords(window, f) : "");
  const text = viewerOf(event)?.querySelector<HTMLElement>(".content-text");
  if (goal === null || !text) return;
  if ("line" in goal) events.onLine(goal.line);
  else if (goal.offset < totalChars - 1) events.onWant(goal.offset);
  else toEnd(text, window, events);
  text.focus({ preventScroll: true });
}

function toEnd(text: HTMLElement, window: ContentWindow, { onWant }: ContentEvents): void {
  if (!hasLater(window)) {
    text.scrollTop = text.scrollHeight;
    return;
  }
  text.dataset.enters = "end";
  onWant(previousOffset(window.totalChars));
}

const viewerOf = (event: Event): Element | null =>
  (event.currentTarget as HTMLElement).closest(".content-viewer");

const fieldIn = (event: Event, name: string): HTMLInputElement | null => fieldOf(viewerOf(event), name);

/** The keys of an editor, kept from VS Code, whose editor would take them. On macOS ⌘G looks on and ⌃G goes to a line. */
function onViewerKey(event: KeyboardEvent, props: ContentProps, events: ContentEvents): void {
  const { window } = props;
  if (window === null || event.altKey) return;
  const key = event.key.toLowerCase();
  const isCommand = event.ctrlKey || event.metaKey;
  if (key === "f3" || (key === "g" && event.metaKey))
    look(event, event.shiftKey ? "previous" : "next", window, props, events);
  else if (isGoToKey(event)) focusField(fieldIn(event, "goTo"));
  else if (key === "f" && isCommand && !event.shiftKey) focusField(fieldIn(event, "find"));
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function bodyView(window: ContentWindow, props: ContentProps, events: ContentEvents): TemplateResult {
  const { offset, totalChars } = window;
  const parts = Math.max(1, Math.ceil(totalChars / WINDOW_STEP));
  return html`<div class="content-body">
    <pre
      class="content-text"
      tabindex="0"
      aria-label=${WORDS.text}
      ${whenChanged(props.match ?? `${window.handle} ${offset}`, settle)}
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

/** At what was found, also when it was found again; another window at its end if it was reached backwards, else at its top. */
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
