// The inspector's browser side: What If: settings to move, and what the session would have been under them.
import "./whatIfPanel.css";
import { html, nothing, type TemplateResult } from "lit";
import type { WhatIfKnobs, WhatIfSeries } from "../src/schema/whatIf";
import { button, range, select, textField } from "./controls";
import { problemLine } from "./problem";
import type { TokenFormat } from "./tokenFormat";
import { figuresView } from "./whatIfFigures";
import {
  AGEING_KNOBS,
  isSameKnobs,
  knobValue,
  NUMBER_KNOBS,
  type NumberKnob,
  PRICE_KNOBS,
  RESULT_KNOBS,
  STRATEGIES,
  WHAT_IF_WORDS as WORDS,
} from "./whatIfWords";

export type WhatIfProps = {
  /** As `onChange` last gave them: an older echo of the host would take a slider back under the person's hand. */
  readonly knobs: WhatIfKnobs;
  /** The session's own settings: what Reset goes back to, and what nothing differs from. */
  readonly defaults: WhatIfKnobs;
  readonly series: WhatIfSeries | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly format: TokenFormat;
};

export type WhatIfEvents = {
  /** Once the person rests for a moment; never with a value that the settings do not take. */
  readonly onChange: (knobs: WhatIfKnobs) => void;
  readonly onApply: (knobs: WhatIfKnobs) => void;
};

/** A replay takes long enough for this pause not to be noticed. */
const REST_MS = 150;

/** What the person set and `onChange` was not told yet, by the panel that they set it in. */
type Pending = { knobs: WhatIfKnobs; timer: ReturnType<typeof setTimeout> };
const pending = new WeakMap<Element, Pending>();

export function whatIfPanel(props: WhatIfProps, events: WhatIfEvents): TemplateResult {
  const { knobs, defaults, series, problem, isBusy, format: f } = props;
  const isSame = isSameKnobs(knobs, defaults);
  const reset = (event: Event) => {
    drop(panelOf(event));
    showKnobs(panelOf(event), defaults);
    events.onChange(defaults);
  };
  const apply = (event: Event) => events.onApply(pending.get(panelOf(event))?.knobs ?? knobs);
  return html`<section class="what-if" aria-label=${WORDS.panel} aria-busy=${String(isBusy)}>
    <div class="what-if-knobs">
      ${group(WORDS.results, RESULT_KNOBS, props, events)}
      ${group(WORDS.ageing, AGEING_KNOBS, props, events, strategyRow(props, events))}
      ${group(WORDS.prices, PRICE_KNOBS, props, events)}
      <div class="what-if-buttons">
        ${button({ label: WORDS.apply, action: "apply", isDisabled: isSame, onClick: apply })}
        ${button({ label: WORDS.reset, action: "reset", isSecondary: true, isDisabled: isSame, onClick: reset })}
        <span class="what-if-busy" role="status">${isBusy ? WORDS.busy : ""}</span>
      </div>
    </div>
    <div class="what-if-results">
      ${problemLine(problem)}
      ${series === null ? nothing : figuresView(series, f)}
    </div>
  </section>`;
}

const panelOf = (event: Event): Element => {
  const panel = (event.currentTarget as HTMLElement).closest(".what-if");
  if (panel === null) throw new Error("a control outside of its panel");
  return panel;
};

function group(
  title: string,
  knobs: readonly NumberKnob[],
  props: WhatIfProps,
  events: WhatIfEvents,
  first: TemplateResult | typeof nothing = nothing,
): TemplateResult {
  return html`<fieldset class="knob-group">
    <legend class="knob-title">${title}</legend>
    ${first} ${knobs.map((knob) => knobRow(knob, props, events))}
  </fieldset>`;
}

function strategyRow({ knobs }: WhatIfProps, events: WhatIfEvents): TemplateResult {
  const field = select<WhatIfKnobs["strategy"]>({
    label: WORDS.strategy,
    name: "strategy",
    value: knobs.strategy,
    choices: STRATEGIES,
    onChange: (strategy, event) => change(event, knobs, (now) => ({ ...now, strategy }), events),
  });
  return html`<div class="knob">
    <span class="knob-label" aria-hidden="true">${WORDS.strategy}</span>
    <div class="knob-choice">${field}</div>
  </div>`;
}

function knobRow(knob: NumberKnob, props: WhatIfProps, events: WhatIfEvents): TemplateResult {
  const { name, label, unit, slider } = knob;
  const value = knob.read(props.knobs);
  return html`<div class="knob" data-knob=${name} @input=${(event: Event) => onInput(event, knob, props, events)}>
    <span class="knob-label" aria-hidden="true">${label} <span class="knob-unit">${unit}</span></span>
    ${range({
      label,
      name: `${name}-slider`,
      value: value ?? slider.maximum,
      minimum: knob.minimum === 0 ? 0 : Math.max(knob.minimum, slider.step),
      maximum: slider.maximum,
      step: slider.step,
      valueText: valueText(knob, value, props.format),
    })}
    ${textField({
      label: `${label}, ${unit}`,
      name,
      value: value === null ? "" : String(value),
      type: "number",
      minimum: knob.minimum,
      maximum: knob.maximum,
      step: knob.step,
    })}
  </div>`;
}

const valueText = ({ unit }: NumberKnob, value: number | null, f: TokenFormat): string =>
  value === null ? WORDS.unlimited : `${f.decimal(value)} ${unit}`;

/** The slider and the field of a knob follow each other at once; the rest of the page is told later. */
function onInput(event: Event, knob: NumberKnob, { knobs, format }: WhatIfProps, events: WhatIfEvents): void {
  const row = event.currentTarget as HTMLElement;
  const from = event.target as HTMLInputElement;
  const [slider, field] = controlsOf(row);
  const typed = from.value;
  const value = knobValue(knob, typed);
  const isCleared = typed.trim() === "" && knob.clear !== undefined;
  const isTaken = value !== null || isCleared;
  field?.toggleAttribute("invalid", !isTaken);
  if (from === slider && field) field.value = typed;
  else if (slider && value !== null) slider.value = String(value);
  if (slider && isTaken) slider.setAttribute("aria-valuetext", valueText(knob, value, format));
  if (!isTaken) return;
  change(
    event,
    knobs,
    (now) => (value === null ? (knob.clear?.(now) ?? now) : knob.write(now, value)),
    events,
  );
}

const controlsOf = (row: Element): readonly (HTMLInputElement | null)[] => [
  row.querySelector<HTMLInputElement>("input.range"),
  row.querySelector<HTMLInputElement>("vscode-textfield"),
];

function change(
  event: Event,
  knobs: WhatIfKnobs,
  next: (knobs: WhatIfKnobs) => WhatIfKnobs,
  { onChange }: WhatIfEvents,
): void {
  const panel = panelOf(event);
  const changed = next(pending.get(panel)?.knobs ?? knobs);
  drop(panel);
  const timer = setTimeout(() => {
    pending.delete(panel);
    onChange(changed);
  }, REST_MS);
  pending.set(panel, { knobs: changed, timer });
}

function drop(panel: Element): void {
  clearTimeout(pending.get(panel)?.timer);
  pending.delete(panel);
}

/** Shows `knobs` in every control: lit leaves alone what it set itself before and the person has changed since. */
function showKnobs(panel: Element, knobs: WhatIfKnobs): void {
  for (const knob of NUMBER_KNOBS) {
    const row = panel.querySelector(`[data-knob="${knob.name}"]`);
    if (row === null) continue;
    const [slider, field] = controlsOf(row);
    const value = knob.read(knobs);
    if (field) field.value = value === null ? "" : String(value);
    if (slider) slider.value = String(value ?? knob.slider.maximum);
    field?.removeAttribute("invalid");
  }
  const strategy = panel.querySelector<HTMLInputElement>('[data-name="strategy"]');
  if (strategy) strategy.value = knobs.strategy;
}
