// The inspector's browser side: what can be done with a session: the buttons at the top, and the menu behind them.
import { html, nothing, type TemplateResult } from "lit";
import type { FromView } from "../src/schema/inspector";
import type { SessionHead } from "../src/schema/view";
import { NO_TEXT_MENU } from "./contextMenu";
import { onToolbarKey } from "./details";
import { WORDS } from "./words";

export type Post = (message: FromView) => void;

type Command = {
  readonly label: string;
  readonly icon: string;
  readonly title: string;
  readonly message: FromView;
};

const command = (label: string, icon: string, title: string, message: FromView): Command => ({
  label,
  icon,
  title,
  message,
});

/** In the order of how often they are needed. What is impossible is not offered. */
export function commandsOf(head: SessionHead | null, isAsking = false): Command[] {
  const start = command(WORDS.start, "add", "Start a session with a model", { type: "startSession" });
  const analyze = command(WORDS.analyze, "graph-line", "Look at a session of another agent", {
    type: "analyzeSession",
  });
  if (head === null) return [start, analyze];
  const { session, kind, running } = head;
  const resume = command(WORDS.resume, "debug-continue", "Ask again in this session", {
    type: "continueSession",
    session,
  });
  const stop = command(WORDS.stop, "debug-stop", "Stop the run", { type: "stopSession", session });
  const answer = command(WORDS.answer, "question", "A tool call waits for your answer", {
    type: "answerQuestion",
  });
  const isOurs = kind !== "analysed";
  return [
    ...(isAsking ? [answer] : []),
    start,
    ...(isOurs ? [running ? stop : resume] : []),
    analyze,
    ...(isOurs
      ? [
          command(WORDS.intent, "target", "Say what this session needs: complete results, or not", {
            type: "setIntent",
            session,
          }),
        ]
      : []),
    command(WORDS.setLimits, "settings", "Turn result limits off, observe or enforce them", {
      type: "setResultLimits",
    }),
    command(WORDS.review, "checklist", "Review proposed result limits", { type: "reviewResultLimits" }),
    command(WORDS.exportSession, "export", "Write this session to a file", {
      type: "exportSession",
      session,
    }),
    ...(isOurs
      ? [
          command(WORDS.verify, "verified", "Check the log and every stored result", {
            type: "verifySession",
            session,
          }),
        ]
      : []),
    ...(isOurs
      ? [
          command(WORDS.openTranscript, "book", "Read this session as a text", {
            type: "openTranscript",
            session,
          }),
        ]
      : []),
    command(WORDS.openInEditor, "empty-window", "Show this view beside the editors", {
      type: "openInEditor",
      session,
    }),
  ];
}

export type ToolbarProps = {
  readonly head: SessionHead | null;
  readonly isAsking: boolean; // a call waits for the person
  readonly room: number; // how many buttons there is room for
  readonly isMenuOpen: boolean;
};

export function toolbarView(
  { head, isAsking, room, isMenuOpen }: ToolbarProps,
  post: Post,
  onMenu: (isOpen: boolean) => void,
): TemplateResult {
  const commands = commandsOf(head, isAsking);
  const shown = commands.slice(0, commands.length <= room + 1 ? commands.length : room);
  const rest = commands.slice(shown.length);
  return html`<div class="buttons" role="toolbar" aria-label="Session" data-vscode-context=${NO_TEXT_MENU} @keydown=${onToolbarKey}>
    ${shown.map((one, at) => buttonView(one, at === 0 ? "primary" : "secondary", () => post(one.message)))}
    ${rest.length === 0 ? nothing : menuView(rest, isMenuOpen, post, onMenu)}
  </div>`;
}

/** A disclosure: its buttons are in the Tab order while it is open; Escape closes it. */
function menuView(
  commands: readonly Command[],
  isOpen: boolean,
  post: Post,
  onMenu: (isOpen: boolean) => void,
): TemplateResult {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    onMenu(false);
    (event.currentTarget as HTMLElement).querySelector("button")?.focus();
  };
  const onLeave = (event: FocusEvent) => {
    const menu = event.currentTarget as HTMLElement;
    if (isOpen && event.relatedTarget instanceof Node && !menu.contains(event.relatedTarget)) onMenu(false);
  };
  return html`<div class="menu" @keydown=${onKey} @focusout=${onLeave}>
    <button type="button" class="button secondary" data-action="more" aria-expanded=${String(isOpen)} aria-controls="more-actions"
      title=${WORDS.more} aria-label=${WORDS.more} @click=${() => onMenu(!isOpen)}>
      <span class="codicon codicon-ellipsis" aria-hidden="true"></span>
    </button>
    <div id="more-actions" class="menu-items" ?hidden=${!isOpen}>
      ${commands.map((one) =>
        buttonView(one, "item", () => {
          onMenu(false);
          post(one.message);
        }),
      )}
    </div>
  </div>`;
}

const buttonView = (
  { label, icon, title, message }: Command,
  kind: string,
  onClick: () => void,
): TemplateResult =>
  html`<button type="button" class="button ${kind}" data-action=${message.type} aria-label=${label} title=${`${label}: ${title}`} @click=${onClick}>
    <span class="codicon codicon-${icon}" aria-hidden="true"></span><span class="button-label">${label}</span>
  </button>`;
