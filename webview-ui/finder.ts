// The inspector's browser side: the bar to find and filter with: a text, a tool, a kind, a state, a size.
import { html, nothing, type TemplateResult } from "lit";
import type { Direction } from "../src/schema/claim";
import type { FindQuery, Found } from "../src/schema/inspector";
import { isLookedFor, NO_QUERY } from "./filter";
import type { Format } from "./format";
import { WORDS } from "./words";

export type FinderProps = {
  readonly query: FindQuery;
  readonly found: Found | null; // null: not yet, or nothing is looked for
  readonly at: number; // the match that the person is at, from 0; -1: at none
  readonly isOpen: boolean; // more than the text can be given
  readonly f: Format;
};

export type FinderEvents = {
  readonly onQuery: (query: FindQuery) => void;
  /** To the match after the one that the person is at, or before it. */
  readonly onStep: (direction: Direction) => void;
  readonly onTree: () => void;
  readonly onOpen: (isOpen: boolean) => void;
};

const KINDS: readonly (readonly [NonNullable<FindQuery["kind"]>, string])[] = [
  ["asked", "Asked"],
  ["reply", "Reply"],
  ["call", "Tool call"],
  ["note", "Note"],
];
const STATES: readonly (readonly [NonNullable<FindQuery["state"]>, string])[] = [
  ["stored", "Stored result"],
  ["readBack", "Read back"],
  ["shortened", "Shortened"],
  ["lowered", "Limit lowered"],
  ["proposed", "Lower limit proposed"],
  ["refused", "Refused"],
  ["failed", "Failed"],
  ["pinned", "Pinned"],
  ["incomplete", "Incomplete list"],
];

export function finderView(
  { query, found, at, isOpen, f }: FinderProps,
  events: FinderEvents,
): TemplateResult {
  const { onQuery, onOpen, onStep, onTree } = events;
  const onFieldKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") onTree();
    else if (event.key === "Enter" && !event.isComposing) onStep(event.shiftKey ? "previous" : "next");
    else return;
    event.preventDefault();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isLookedFor(query)) return;
    event.preventDefault();
    onQuery(NO_QUERY);
  };
  const more = isOpen || isLookedFor({ ...query, text: "" });
  return html`<search id="finder" class="finder" @keydown=${onKey}>
    <div class="finder-line">
      <input id="find" class="input" type="search" aria-label=${WORDS.find} title=${WORDS.find} placeholder=${WORDS.findShort} @keydown=${onFieldKey} maxlength="1000"
        .value=${query.text} @input=${(event: Event) => onQuery({ ...query, text: givenIn(event) })} />
      <button type="button" class="icon-button codicon codicon-filter" data-action="filter" title=${WORDS.filter} aria-label=${WORDS.filter}
        aria-expanded=${String(more)} aria-controls="filters" @click=${() => onOpen(!more)}></button>
    </div>
    <div id="filters" class="filters" ?hidden=${!more}>${filtersView(query, onQuery)}</div>
    <p id="matches" class="quiet" role="status">${isLookedFor(query) ? matchesText(found, f, at) : nothing}</p>
  </search>`;
}

const MINIMUM = "Minimum characters of the result";

function filtersView(query: FindQuery, onQuery: FinderEvents["onQuery"]): TemplateResult {
  const onMinimum = (event: Event) => {
    const chars = Number(givenIn(event));
    onQuery({ ...query, minimumChars: Number.isInteger(chars) && chars > 0 ? chars : null });
  };
  return html`
    <input class="input" data-filter="tool" aria-label="Tool" placeholder="Tool" maxlength="200"
      .value=${query.tool ?? ""} @input=${(event: Event) => onQuery({ ...query, tool: givenIn(event) || null })} />
    ${choiceView("kind", "Any kind", KINDS, query.kind, (kind) => onQuery({ ...query, kind }))}
    ${choiceView("state", "Any state", STATES, query.state, (state) => onQuery({ ...query, state }))}
    <input class="input" data-filter="minimumChars" type="number" min="0" aria-label=${MINIMUM} title=${MINIMUM} placeholder="Min. size"
      .value=${query.minimumChars === null ? "" : String(query.minimumChars)} @input=${onMinimum} />`;
}

function choiceView<T extends string>(
  name: string,
  any: string,
  choices: readonly (readonly [T, string])[],
  chosen: T | null,
  onChoice: (choice: T | null) => void,
): TemplateResult {
  const onChange = (event: Event) =>
    onChoice(choices.find(([value]) => value === givenIn(event))?.[0] ?? null);
  return html`<div class="picker">
    <select data-filter=${name} aria-label=${name === "kind" ? "Kind" : "State"} @change=${onChange}>
      <option value="" .selected=${chosen === null}>${any}</option>
      ${choices.map(([value, label]) => html`<option value=${value} .selected=${value === chosen}>${label}</option>`)}
    </select>
    <span class="codicon codicon-chevron-down" aria-hidden="true"></span>
  </div>`;
}

const givenIn = (event: Event): string => (event.currentTarget as HTMLInputElement | HTMLSelectElement).value;

/** Ctrl+F, or Cmd+F, goes to the field, and not to VS Code too: its editor would open a find widget and take the keyboard. */
export function focusFinder(root: HTMLElement, event: KeyboardEvent): void {
  const isFind =
    event.key.toLowerCase() === "f" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  const field = isFind ? root.querySelector<HTMLInputElement>("#find") : null;
  if (field === null) return;
  event.preventDefault();
  event.stopPropagation();
  field.focus();
  field.select();
}

/** "12 matches in 4 turns"; at one of them "3 of 12 matches in 4 turns". */
export function matchesText(found: Found | null, f: Format, at = -1): string {
  if (found === null) return "Looking…";
  if (found.total === 0) return "No matches";
  const matches = f.count(found.total, "match", "matches");
  const before = found.isCut ? "More than " : at < 0 ? "" : `${f.number(at + 1)} of `;
  return `${before}${matches} in ${f.count(found.turns.length, "turn")}`;
}
