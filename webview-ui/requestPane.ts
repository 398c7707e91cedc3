// The inspector's browser side: what was sent in one request, message by message, marked as in a diff editor.
import "./requestPane.css";
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { TextWindow } from "../src/schema/inspector";
import type { RequestItem, RequestView } from "../src/schema/requestView";
import { button } from "./controls";
import { capital } from "./format";
import { problemLine } from "./problem";
import {
  divergenceWords,
  itemTitle,
  markOf,
  placeName,
  requestSentence,
  roleName,
  sizeOf,
  stateName,
  REQUEST_WORDS as WORDS,
} from "./requestWords";
import { toggles } from "./toggles";
import type { TokenFormat } from "./tokenFormat";
import { oneLine, visibleSegments } from "./visibleText";

export type RequestFilter = "all" | "changed";

export type RequestProps = {
  /** A window of the request's items; null: it was not read yet. */
  readonly request: RequestView | null;
  readonly problem: string | null;
  /** Of the request that it is compared with; null: not known. */
  readonly previousTurn: number | null;
  /** Texts that the page has, by `at`: a window of each. */
  readonly texts: ReadonlyMap<number, TextWindow>;
  readonly filter: RequestFilter;
  /** The model's adapter takes messages: what went over the wire is VS Code's. */
  readonly isByMessages: boolean;
  readonly format: TokenFormat;
};

export type RequestEvents = {
  readonly onFilter: (filter: RequestFilter) => void;
  /** Items from this place on, counted as `RequestView.from` is. */
  readonly onWant: (from: number) => void;
  readonly onWantText: (at: number, offset: number) => void;
  /** The event that made a difference. */
  readonly onEvent: (n: number) => void;
};

export function requestPane(props: RequestProps, events: RequestEvents): TemplateResult {
  const { request, problem } = props;
  return html`<section class="request-pane" aria-label=${WORDS.request}>
    ${problemLine(problem)}
    ${
      request === null
        ? html`<p class="pane-quiet" role="status">${problem === null ? WORDS.reading : nothing}</p>`
        : html`${headView(request, props, events)}${listView(request, props, events)}`
    }
  </section>`;
}

function headView(request: RequestView, props: RequestProps, events: RequestEvents): TemplateResult {
  const { previousTurn, filter, format: f } = props;
  const by = request.divergence?.by ?? null;
  return html`<header class="pane-head">
    <p class="request-sentence">${requestSentence(request, f)}</p>
    <p class="request-divergence">
      ${divergenceWords(request, previousTurn)}
      ${by === null ? nothing : eventLink(by.n, events)}
    </p>
    <p class="pane-quiet">
      ${exactView(request.isExact)} ${props.isByMessages ? html`<span class="pane-part">${WORDS.bytes}</span>` : nothing}
    </p>
    ${toggles<RequestFilter>(
      WORDS.show,
      "filter",
      filter,
      [
        { value: "all", label: WORDS.all },
        { value: "changed", label: WORDS.changed },
      ],
      events.onFilter,
    )}
  </header>`;
}

const eventLink = (n: number, { onEvent }: RequestEvents): TemplateResult =>
  html`<button type="button" class="pane-link" data-action="event" @click=${() => onEvent(n)}>Event ${n}</button>`;

function exactView(isExact: boolean | null): TemplateResult {
  const [icon, text, says] =
    isExact === true
      ? (["verified", WORDS.exact, WORDS.exactSays] as const)
      : isExact === false
        ? (["warning", WORDS.differs, ""] as const)
        : (["question", WORDS.unknown, ""] as const);
  return html`<span class="pane-part" data-exact=${String(isExact)} title=${says === "" ? nothing : says}
    ><span class="codicon codicon-${icon}" aria-hidden="true"></span> ${text}</span
  >`;
}

function listView(request: RequestView, props: RequestProps, events: RequestEvents): TemplateResult {
  const { from, items, total, turn } = request;
  const after = from + items.length;
  const rows = props.filter === "all" ? items : foldSame(items);
  const earlier = Math.max(0, from - Math.max(items.length, 1));
  return html`<div class="request-list" role="group" aria-label=${WORDS.messages}>
    ${from === 0 ? nothing : moreButton("earlier", WORDS.earlier, from, props, () => events.onWant(earlier))}
    ${repeat(
      rows,
      (row) => `${turn}/${"at" in row ? row.at : `same${row.first}`}`,
      (row) => ("at" in row ? itemView(row, props, events) : foldView(row, props.format)),
    )}
    ${after >= total ? nothing : moreButton("later", WORDS.later, total - after, props, () => events.onWant(after))}
  </div>`;
}

const moreButton = (
  action: string,
  label: string,
  count: number,
  { format: f }: RequestProps,
  onClick: () => void,
): TemplateResult =>
  html`<div class="request-more">
    ${button({ label: `${label} (${f.number(count)})`, action, isSecondary: true, onClick })}
  </div>`;

/** Items as before that stand together, as one row. */
type Folded = { readonly first: number; readonly count: number };

function foldSame(items: readonly RequestItem[]): (RequestItem | Folded)[] {
  const rows: (RequestItem | Folded)[] = [];
  for (const item of items) {
    const last = rows.at(-1);
    if (item.state !== "same") rows.push(item);
    else if (last !== undefined && "count" in last)
      rows[rows.length - 1] = { ...last, count: last.count + 1 };
    else rows.push({ first: item.at, count: 1 });
  }
  return rows;
}

const foldView = ({ count }: Folded, f: TokenFormat): TemplateResult =>
  html`<p class="request-fold">${f.count(count, "message")} as before</p>`;

function itemView(item: RequestItem, props: RequestProps, events: RequestEvents): TemplateResult {
  const { format: f, texts } = props;
  const text = texts.get(item.at) ?? null;
  const onToggle = (event: Event) => {
    const isOpen = (event.currentTarget as HTMLDetailsElement).open;
    if (isOpen && text === null) events.onWantText(item.at, 0);
  };
  return html`<details class="request-item" data-at=${item.at} data-state=${item.state} @toggle=${onToggle}>
    <summary class="request-row" title=${itemTitle(item, f)}>
      <span class="request-mark" aria-hidden="true">${markOf(item.state)}</span
      ><span class="pane-unseen">${capital(placeName(item.at))}, ${stateName(item.state)}: </span
      ><span class="request-role">${roleName(item)}</span
      ><span class="request-preview">${oneLine(item.preview, 200)}</span
      ><span class="request-size">${sizeOf(item, f)}</span>
    </summary>
    ${text === null ? html`<p class="pane-quiet request-text">${WORDS.reading}</p>` : textView(item.at, text, props, events)}
  </details>`;
}

function textView(
  at: number,
  window: TextWindow,
  { format: f }: RequestProps,
  events: RequestEvents,
): TemplateResult {
  const { text, offset, totalChars } = window;
  const end = offset + text.length;
  const isPart = offset > 0 || end < totalChars;
  const go = (to: number) => () => events.onWantText(at, to);
  return html`<pre class="request-text" tabindex="0" aria-label=${`Text of ${placeName(at)}`}>${visibleSegments(
    text,
  ).map((segment) =>
    segment.isEscape ? html`<span class="pane-escape">${segment.text}</span>` : segment.text,
  )}</pre>
    ${
      !isPart
        ? nothing
        : html`<div class="request-part">
            <span>${f.number(offset + 1)} to ${f.number(end)} of ${f.count(totalChars, "character")}</span>
            ${offset === 0 ? nothing : button({ label: WORDS.earlierText, action: "earlierText", isSecondary: true, onClick: go(Math.max(0, offset - text.length)) })}
            ${end >= totalChars ? nothing : button({ label: WORDS.laterText, action: "laterText", isSecondary: true, onClick: go(end) })}
          </div>`
    }`;
}
