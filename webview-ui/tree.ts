// The inspector's browser side: the tree on the page. A flat list of rows with ARIA levels, as VS Code's own lists are.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { type Move, moveFor, type Place, rowStartingWith, type VisibleRow } from "./place";
import type { Row } from "./row";
import { WORDS } from "./words";

export type TreeEvents = {
  readonly onMove: (move: Move) => void;
  readonly onOpen: (row: Row) => void;
  readonly onScroll: (scrollTop: number) => void;
};

export const rowId = (key: string): string => `row-${key}`;

const TYPING_MS = 600;
let typed = "";
let typedAt = 0;

export function treeView(visible: readonly VisibleRow[], place: Place, events: TreeEvents): TemplateResult {
  const focused = place.focused ?? visible[0]?.row.key ?? null;
  return html`<div
    id="tree"
    class="tree"
    role="tree"
    aria-label=${WORDS.tree}
    @keydown=${(event: KeyboardEvent) => onKey(event, visible, focused, events)}
    @scroll=${(event: Event) => events.onScroll((event.currentTarget as HTMLElement).scrollTop)}
  >
    ${repeat(
      visible,
      ({ row }) => row.key,
      (shown) => rowView(shown, focused === shown.row.key, place.selected === shown.row.key, events),
    )}
  </div>`;
}

function rowView(
  { row, level, position, setSize, isOpen }: VisibleRow,
  isFocused: boolean,
  isSelected: boolean,
  events: TreeEvents,
): TemplateResult {
  const onClick = () =>
    events.onMove(
      row.isParent ? { kind: "toggle", key: row.key, open: !isOpen } : { kind: "focus", key: row.key },
    );
  return html`<div
    id=${rowId(row.key)}
    class="row ${isSelected ? "selected" : ""}"
    role="treeitem"
    data-key=${row.key}
    data-kind=${row.kind}
    data-tone=${row.tone}
    aria-level=${level}
    aria-posinset=${position}
    aria-setsize=${setSize}
    aria-expanded=${row.isParent ? String(isOpen) : nothing}
    aria-selected=${String(isSelected)}
    aria-label=${row.description === "" ? row.label : `${row.label}, ${row.description}`}
    tabindex=${isFocused ? 0 : -1}
    title=${row.tooltip}
    @click=${onClick}
  >
    ${Array.from({ length: level - 1 }, () => html`<span class="indent"></span>`)}
    <span class="twistie codicon ${twistieOf(row, isOpen)}" aria-hidden="true"></span>
    <span class="row-icon codicon codicon-${row.icon} ${spinOf(row)}" aria-hidden="true"></span>
    <span class="row-text"
      ><span class="row-label">${row.label}</span
      ><span class="row-description">${row.description}</span></span
    >
    ${row.opens === null ? nothing : openButton(row, events)}
  </div>`;
}

const twistieOf = (row: Row, isOpen: boolean): string =>
  row.isParent ? (isOpen ? "codicon-chevron-down" : "codicon-chevron-right") : "";

const spinOf = ({ icon }: Row): string => (icon === "loading" ? "codicon-modifier-spin" : "");

/** Out of the Tab order: by keyboard, Enter on the stored result or the button in the details does the same. */
function openButton(row: Row, { onOpen }: TreeEvents): TemplateResult {
  const onClick = (event: Event) => {
    event.stopPropagation();
    onOpen(row);
  };
  return html`<button
    type="button"
    class="icon-button row-action codicon codicon-go-to-file"
    data-action="openStored"
    tabindex="-1"
    title=${WORDS.openStored}
    aria-label=${WORDS.openStored}
    @click=${onClick}
  ></button>`;
}

function onKey(
  event: KeyboardEvent,
  visible: readonly VisibleRow[],
  focused: string | null,
  events: TreeEvents,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as HTMLElement).getAttribute("role") !== "treeitem") return; // a button of the row has its own keys
  const isTyping = event.key.length === 1 && (event.key !== " " || event.timeStamp - typedAt < TYPING_MS);
  const move = isTyping ? typeAhead(event, visible, focused) : moveFor(visible, focused, event.key);
  if (move === null) return;
  event.preventDefault();
  events.onMove(move);
}

function typeAhead(
  event: KeyboardEvent,
  visible: readonly VisibleRow[],
  focused: string | null,
): Move | null {
  typed = event.timeStamp - typedAt < TYPING_MS ? typed + event.key : event.key;
  typedAt = event.timeStamp;
  const key = rowStartingWith(visible, focused, typed);
  return key === null ? null : { kind: "focus", key };
}
