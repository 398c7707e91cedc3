// The inspector's browser side: parts of the details: what was returned and what of it was shown, other texts, why, events.
import { html, nothing, type TemplateResult } from "lit";
import type { Details, TextWindow } from "../src/schema/inspector";
import { type Texts, textKey } from "./answers";
import type { Format } from "./format";
import type { TextBlock } from "./row";
import { shownText, windowsView } from "./textView";
import { prettyJson } from "./visibleText";
import { WORDS } from "./words";

export const VERSIONS = ["returned", "shown", "now"] as const;
export type VersionName = (typeof VERSIONS)[number];

type MoreEvents = { readonly onMore: (key: string, part: string, offset: number) => void };

const windowsOf = (key: string, part: string, first: TextWindow, texts: Texts): readonly TextWindow[] => [
  first,
  ...(texts.get(textKey(key, part)) ?? []),
];

type Versions = { readonly details: Details; readonly texts: Texts; readonly version: VersionName };

/** Tabs: what the tool returned, what the model was shown of it, what it is shown now. Only those that there are. */
export function versionsView(
  { details, texts, version }: Versions,
  events: MoreEvents & { readonly onVersion: (version: VersionName) => void },
): TemplateResult | typeof nothing {
  const there = VERSIONS.filter((name) => details[name] !== null);
  const chosen = there.includes(version) ? version : there[0];
  const first = chosen === undefined ? null : details[chosen];
  if (chosen === undefined || first === null) return nothing;
  const onKey = (event: KeyboardEvent) => {
    const next = tabFor(there, chosen, event.key);
    if (next === undefined) return;
    event.preventDefault();
    const list = event.currentTarget as HTMLElement;
    events.onVersion(next);
    list.querySelector<HTMLElement>(`[data-version="${next}"]`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${WORDS.versions} @keydown=${onKey}>
      ${there.map(
        (name) => html`<button type="button" id="version-${name}" class="tab" role="tab" data-version=${name}
          aria-selected=${String(name === chosen)} aria-controls="version-text" tabindex=${name === chosen ? 0 : -1}
          @click=${() => events.onVersion(name)}>${WORDS[name]}</button>`,
      )}
    </div>
    <div id="version-text" role="tabpanel" aria-labelledby="version-${chosen}">
      ${windowsView(WORDS[chosen], windowsOf(details.key, chosen, first, texts), (offset) =>
        events.onMore(details.key, chosen, offset),
      )}
    </div>`;
}

function tabFor(
  there: readonly VersionName[],
  chosen: VersionName,
  pressed: string,
): VersionName | undefined {
  const at = there.indexOf(chosen);
  if (pressed === "ArrowRight") return there[(at + 1) % there.length];
  if (pressed === "ArrowLeft") return there[(at + there.length - 1) % there.length];
  if (pressed === "Home") return there[0];
  return pressed === "End" ? there.at(-1) : undefined;
}

/** The host's texts are whole; a row's own, which are cut, are shown until those come. */
export function textsView(
  own: readonly TextBlock[],
  details: Details | null,
  texts: Texts,
  { onMore }: MoreEvents,
): (TemplateResult | typeof nothing)[] {
  if (details === null) return own.map(({ label, text }) => block(label, [whole(text)], () => undefined));
  const named = new Set(details.texts.map(({ label }) => label));
  const hasVersions = VERSIONS.some((name) => details[name] !== null);
  const left = own.filter(({ label }) => !named.has(label) && !(hasVersions && label === WORDS.shown));
  return [
    ...left.map(({ label, text }) => block(label, [whole(text)], () => undefined)),
    ...details.texts.map(({ label, text }) =>
      block(label, windowsOf(details.key, label, text, texts), (offset) =>
        onMore(details.key, label, offset),
      ),
    ),
  ];
}

const whole = (text: string): TextWindow => ({ text, offset: 0, totalChars: text.length, next: null });

const block = (label: string, windows: readonly TextWindow[], onMore: (offset: number) => void) =>
  html`<h3 class="text-label">${shownText(label)}</h3>${windowsView(label, windows, onMore)}`;

export function whyView(
  { rule, setting, n, type }: NonNullable<Details["why"]>,
  f: Format,
  { onSetting }: { readonly onSetting: (setting: string) => void },
): TemplateResult {
  return html`<section class="why" aria-label=${WORDS.why}>
    <h3 class="text-label">${WORDS.why}</h3>
    <p class="rule">${shownText(f.sentence(rule))}</p>
    <p class="quiet">
      ${
        setting === null
          ? nothing
          : html`<button type="button" class="link" data-action="openSetting" title="Open this setting" @click=${() => onSetting(setting)}>${setting}</button>`
      }
      <span class="part">Event ${f.number(n)}, ${shownText(type)}</span>
    </p>
  </section>`;
}

/** What the log says, as it says it. */
export function eventsView(events: Details["events"], f: Format): TemplateResult | typeof nothing {
  if (events.length === 0) return nothing;
  return html`<section class="events" aria-label=${WORDS.events}>
    <h3 class="text-label">${WORDS.events}</h3>
    ${events.map(
      ({ n, type, at, json }) => html`<details class="event" data-event=${n}>
        <summary>Event ${f.number(n)}, ${shownText(type)} <time class="quiet" title=${f.fullTime(at)}>${f.ago(at, Date.now())}</time></summary>
        <pre class="text">${shownText(prettyJson(json))}</pre>
      </details>`,
    )}
  </section>`;
}
