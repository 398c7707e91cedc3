// The inspector's browser side: the plot over turns, which is a slider too: the selected turn is its value.
import { html, nothing, svg, type TemplateResult } from "lit";
import type { Plot, PlotColumn } from "../src/schema/inspector";
import { NO_TEXT_MENU } from "./contextMenu";
import { FILL_PARTS } from "./fillParts";
import { columnWords, type Fill, OVERVIEW_WORDS } from "./overviewWords";
import {
  columnFor,
  columnNear,
  linePath,
  naiveArea,
  naiveLine,
  PLOT_HEIGHT,
  plotTop,
  plotWidth,
  stackedPaths,
} from "./plotShapes";
import type { TokenFormat } from "./tokenFormat";

export type PlotProps = {
  readonly plot: Plot;
  readonly turnCount: number;
  /** The selected turn's place among the turns; null: the newest. */
  readonly selected: number | null;
  /** The selected turn's own request, where the page has the turn; else what its column says. */
  readonly fill: { readonly turn: number; readonly fill: Fill } | null;
  /** The column that the pointer is on. */
  readonly pointed: number | null;
  /** A second line: a figure per column. */
  readonly whatIf: readonly (number | null)[] | null;
  readonly windowTokens: number | null;
  readonly format: TokenFormat;
};

export type PlotEvents = {
  /** A turn's place among the turns. */
  readonly onSelectTurn: (at: number) => void;
  readonly onPoint: (column: number | null) => void;
};

/** The column of the selected turn, or the nearest that has a request. */
export const selectedColumn = ({
  plot,
  selected,
  turnCount,
}: Pick<PlotProps, "plot" | "selected" | "turnCount">): number | null =>
  columnNear(plot.columns, Math.floor((selected ?? Math.max(turnCount - 1, 0)) / plot.turnsPerColumn));

export function plotView(props: PlotProps, events: PlotEvents): TemplateResult {
  const { plot, turnCount, selected, pointed, format: f } = props;
  const { columns } = plot;
  const at = selectedColumn(props);
  const own = ownOf(props, at);
  const shown = (pointed === null ? null : columns[pointed]) ?? own;
  const newest = Math.max(turnCount - 1, 0);
  const select = (to: number | null) => {
    const target = to === null ? null : columns[to];
    if (target && to !== at) events.onSelectTurn(target.at);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = columnFor(columns, at ?? 0, event.key);
    if (to === null) return;
    event.preventDefault();
    const here = selected ?? newest;
    const turn = plot.turnsPerColumn > 1 ? turnFor(event.key, here, newest) : null;
    if (turn === null) select(to);
    else if (turn !== here) events.onSelectTurn(turn);
  };
  return html`<div
      class="plot"
      role="slider"
      tabindex="0"
      data-vscode-context=${NO_TEXT_MENU}
      aria-label=${OVERVIEW_WORDS.turns}
      aria-valuemin="0"
      aria-valuemax=${newest}
      aria-valuenow=${own?.at ?? 0}
      aria-valuetext=${own === null ? OVERVIEW_WORDS.none : columnWords(own, f)}
      @keydown=${onKey}
      @pointerdown=${(event: PointerEvent) => onPress(event, columns, select)}
      @pointermove=${(event: PointerEvent) => onMove(event, columns, pointed, select, events)}
      @pointerleave=${() => pointed !== null && events.onPoint(null)}
    >
      ${drawing(props, at)}
      <span class="plot-top" aria-hidden="true">${f.compact(plotTop(columns, props.whatIf ?? []))}</span>
    </div>
    <p class="plot-readout">${shown === null ? OVERVIEW_WORDS.none : columnWords(shown, f)}</p>`;
}

/** Where a column stands for several turns, each of them can be reached; null: the key goes from column to column. */
function turnFor(key: string, here: number, newest: number): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(here + 1, newest);
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(here - 1, 0);
    case "Home":
      return 0;
    case "End":
      return newest;
    default:
      return null;
  }
}

/** What is told of the selected turn: its own request, else that of its column. */
function ownOf({ plot, selected, fill }: PlotProps, column: number | null): PlotColumn | null {
  if (fill !== null && selected !== null) return { at: selected, turn: fill.turn, ...fill.fill };
  return column === null ? null : (plot.columns[column] ?? null);
}

function columnUnder(event: PointerEvent, columns: Plot["columns"]): number | null {
  const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
  const at = Math.floor(((event.clientX - left) / Math.max(width, 1)) * plotWidth(columns));
  return columnNear(columns, Math.min(Math.max(at, 0), columns.length - 1));
}

function onPress(event: PointerEvent, columns: Plot["columns"], select: (to: number | null) => void): void {
  if (event.button !== 0) return;
  const plot = event.currentTarget as HTMLElement;
  plot.setPointerCapture(event.pointerId); // a drag goes on outside
  select(columnUnder(event, columns));
}

function onMove(
  event: PointerEvent,
  columns: Plot["columns"],
  pointed: number | null,
  select: (to: number | null) => void,
  { onPoint }: PlotEvents,
): void {
  const under = columnUnder(event, columns);
  if ((event.buttons & 1) === 1) select(under);
  if (under !== pointed) onPoint(under);
}

function drawing(
  { plot, whatIf, windowTokens, pointed }: PlotProps,
  selected: number | null,
): TemplateResult {
  const { columns } = plot;
  const width = plotWidth(columns);
  const top = plotTop(columns, whatIf ?? []);
  const areas = stackedPaths(columns, FILL_PARTS.length, top);
  return html`<svg viewBox=${`0 0 ${width} ${PLOT_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
    <path class="plot-saved" d=${naiveArea(columns, top)}></path>
    ${FILL_PARTS.map(({ kind }, at) => svg`<path class="plot-area" data-fill=${kind} d=${areas[at] ?? ""}></path>`)}
    <path class="plot-line" data-line="naive" d=${linePath(naiveLine(columns), top)}></path>
    ${whatIf === null ? nothing : svg`<path class="plot-line" data-line="what-if" d=${linePath(whatIf, top)}></path>`}
    ${windowTokens === null || windowTokens > top ? nothing : windowLine(windowTokens, top, width)}
    ${pointed === null || pointed === selected ? nothing : band(pointed, "plot-pointed")}
    ${selected === null ? nothing : band(selected, "plot-selected")}
  </svg>`;
}

const windowLine = (windowTokens: number, top: number, width: number) =>
  svg`<path class="plot-line" data-line="window" d=${linePath(Array(width).fill(windowTokens), top)}></path>`;

const band = (at: number, name: string) =>
  svg`<rect class=${name} x=${at} y="0" width="1" height=${PLOT_HEIGHT}></rect>`;
