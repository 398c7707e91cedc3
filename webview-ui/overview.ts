// The inspector's browser side: a session at a glance: the sentence, the window of the selected turn, the plot over turns.
import "./overview.css";
import { html, nothing, type TemplateResult } from "lit";
import type { SessionHead } from "../src/schema/view";
import { type BarProps, contextBar, legend } from "./contextBar";
import { FILL_PARTS } from "./fillParts";
import { type Fill, hasCosts, OVERVIEW_WORDS, overviewParts, type Part, type Unit } from "./overviewWords";
import { type PlotEvents, type PlotProps, plotView, selectedColumn } from "./plot";
import { toggles } from "./toggles";

export type OverviewProps = Omit<PlotProps, "windowTokens"> & {
  readonly head: SessionHead;
  readonly unit: Unit;
};

export type OverviewEvents = PlotEvents & {
  readonly onUnit: (unit: Unit) => void;
};

export function overviewView(props: OverviewProps, events: OverviewEvents): TemplateResult {
  const { head, unit, format } = props;
  const shown = fillOf(props);
  const parts = overviewParts(head, shown?.fill ?? null, unit, format, shown?.turn ?? null);
  const bar = shown === null ? null : barOf(props, shown);
  return html`<section class="overview" aria-label=${OVERVIEW_WORDS.overview}>
    <div class="overview-top">
      <p id="summary" class="overview-sentence">${parts.length === 0 ? OVERVIEW_WORDS.none : parts.map(partView)}</p>
      ${hasCosts(head) ? unitToggle(unit, events.onUnit) : nothing}
    </div>
    ${bar === null ? nothing : contextBar(bar)} ${plotView({ ...props, windowTokens: head.windowTokens }, events)} ${bar === null ? nothing : legend(bar)}
  </section>`;
}

function fillOf(props: OverviewProps): { turn: number; fill: Fill } | null {
  if (props.fill !== null) return props.fill;
  const at = selectedColumn(props);
  const column = at === null ? null : (props.plot.columns[at] ?? null);
  return column === null ? null : { turn: column.turn, fill: column };
}

function barOf(
  { head: { windowTokens }, plot, whatIf, format }: OverviewProps,
  { turn, fill }: { turn: number; fill: Fill },
): BarProps {
  const used = FILL_PARTS.map(
    (_, kind) =>
      (fill.tokens[kind] ?? 0) > 0 || plot.columns.some((column) => (column?.tokens[kind] ?? 0) > 0),
  );
  return { turn, fill, windowTokens, used, hasWhatIf: whatIf !== null, format };
}

/** The first, of the turn, is a line of its own where there is little room: its figures change, and nothing may move. */
const partView = ({ text, title }: Part, at: number, parts: readonly Part[]): TemplateResult =>
  html`<span class=${at === 0 ? "overview-turn" : ""}><span title=${title}>${text}</span>${at === parts.length - 1 ? nothing : "; "}</span>`;

const unitToggle = (unit: Unit, onUnit: (unit: Unit) => void): TemplateResult =>
  toggles<Unit>(
    OVERVIEW_WORDS.unit,
    "unit",
    unit,
    [
      { value: "tokens", label: OVERVIEW_WORDS.tokens },
      { value: "cost", label: OVERVIEW_WORDS.cost },
    ],
    onUnit,
  );
