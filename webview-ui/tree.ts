// The inspector's browser side: the tree on the page. Of its rows only those in sight are elements, as in VS Code's own lists.
import { html, nothing, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { NO_TEXT_MENU } from "./contextMenu";
import { type Move, moveFor, rowStartingWith } from "./moves";
import type { Outline, VisibleRow } from "./outline";
import { heightPx, topPx } from "./pixels";
import type { Row } from "./row";
import { onPage, ROW_PX, type View } from "./treeScroll";
import { WORDS } from "./words";

export type TreeEvents = {
  readonly onMove: (move: Move) => void;
  readonly onOpen: (row: Row, at: number | null) => void;
  readonly onScroll: () => void;
};

/** `focused` and `selected` are indices of rows; -1: none. `matches`: keys of rows that were looked for. */
export type TreeProps = {
  readonly outline: Outline;
  readonly focused: number;
  readonly selected: number;
  readonly view: View;
  readonly matches: ReadonlySet<string>;
};

export const rowId = (key: string): string => `row-${key}`;

/**
 * The tree itself has the keyboard, and says which row is active: rows come and go while a person scrolls, and focus
 * must not go with them. The active row is on the page wherever it is, so that what is said of it is never empty.
 */
export function treeView(props: TreeProps, events: TreeEvents): TemplateResult {
  const { outline, view } = props;
  const focused = Math.max(0, props.focused);
  const { from, to } = onPage(view, outline.length);
  const indices = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  if (focused < from) indices.unshift(focused);
  if (focused >= to && focused < outline.length) indices.push(focused);
  const rows = indices.flatMap((index) => {
    const shown = outline.row(index);
    return shown === undefined ? [] : [{ index, shown }];
  });
  const active = outline.row(focused);
  return html`<div
    id="tree"
    class="tree"
    role="tree"
    tabindex="0"
    data-vscode-context=${NO_TEXT_MENU}
    aria-label=${WORDS.tree}
    aria-activedescendant=${active === undefined ? nothing : rowId(active.row.key)}
    @keydown=${(event: KeyboardEvent) => onKey(event, props, events)}
    @scroll=${events.onScroll}
  >
    <div class="tree-rows" role="presentation" ${heightPx(outline.length * ROW_PX)}>
      ${repeat(
        rows,
        ({ shown }) => shown.row.key,
        ({ index, shown }) => rowView(index, shown, index === focused, props, events),
      )}
    </div>
  </div>`;
}

function rowView(
  index: number,
  shown: VisibleRow,
  isFocused: boolean,
  { selected, matches }: TreeProps,
  events: TreeEvents,
): TemplateResult {
  const { row, isOpen } = shown;
  const isSelected = index === selected;
  const onClick = () =>
    events.onMove(row.isParent ? { kind: "toggle", index, open: !isOpen } : { kind: "focus", index });
  const states = `${isSelected ? "selected" : ""} ${isFocused ? "focused" : ""} ${matches.has(row.key) ? "match" : ""}`;
  return html`<div
    id=${rowId(row.key)}
    class="row ${states}"
    role="treeitem"
    data-key=${row.key}
    data-kind=${row.kind}
    data-tone=${row.tone}
    aria-level=${shown.level}
    aria-posinset=${shown.position}
    aria-setsize=${shown.setSize}
    aria-expanded=${row.isParent ? String(isOpen) : nothing}
    aria-selected=${String(isSelected)}
    aria-busy=${row.kind === "placeholder" ? "true" : nothing}
    aria-label=${row.description === "" ? row.label : `${row.label}, ${row.description}`}
    title=${row.tooltip}
    @click=${onClick}
    ${topPx(index * ROW_PX)}
  >
    ${guard([shown.level, row.icon, row.label, row.description, row.opens, row.kind, isOpen], () => contentView(shown, events))}
  </div>`;
}

function contentView({ row, at, level, isOpen }: VisibleRow, events: TreeEvents): TemplateResult {
  const isThere = row.kind !== "placeholder";
  return html`${Array.from({ length: level - 1 }, () => html`<span class="indent"></span>`)}
    <span class="twistie codicon ${twistieOf(row, isOpen)}" aria-hidden="true"></span>
    <span class="row-icon codicon codicon-${row.icon} ${spinOf(row)}" aria-hidden="true"></span>
    <span class="row-text"
      ><span class="row-label">${isThere ? row.label : nothing}</span>${" "}<span class="row-description">${row.description}</span></span
    >
    ${row.opens === null ? nothing : openButton(row, at, events)}`;
}

const twistieOf = (row: Row, isOpen: boolean): string =>
  row.isParent ? (isOpen ? "codicon-chevron-down" : "codicon-chevron-right") : "";

const spinOf = ({ icon }: Row): string => (icon === "loading" ? "codicon-modifier-spin" : "");

/** Out of the Tab order: by keyboard, Enter on the stored result or the button in the details does the same. */
function openButton(row: Row, at: number | null, { onOpen }: TreeEvents): TemplateResult {
  const onClick = (event: Event) => {
    event.stopPropagation();
    onOpen(row, at);
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

const TYPING_MS = 600;
let typed = "";
let typedAt = 0;

function onKey(event: KeyboardEvent, props: TreeProps, events: TreeEvents): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target !== event.currentTarget) return; // a button of a row has its own keys
  const { outline, focused, view } = props;
  const isTyping = event.key.length === 1 && (event.key !== " " || event.timeStamp - typedAt < TYPING_MS);
  const pageRows = Math.floor(view.heightPx / ROW_PX);
  const move = isTyping ? typeAhead(event, outline, focused) : moveFor(outline, focused, event.key, pageRows);
  if (move === null) return;
  event.preventDefault();
  events.onMove(move);
}

function typeAhead(event: KeyboardEvent, outline: Outline, focused: number): Move | null {
  typed = event.timeStamp - typedAt < TYPING_MS ? typed + event.key : event.key;
  typedAt = event.timeStamp;
  const index = rowStartingWith(outline, focused, typed);
  return index < 0 ? null : { kind: "focus", index };
}
