// The inspector's browser side: the plot's columns, kept up by increments. Pure.
import type { MAXIMUM_COLUMNS, Plot, PlotColumn } from "../src/schema/inspector";

/** The same figure as the schema's: of it the page imports types only. */
const COLUMNS: typeof MAXIMUM_COLUMNS = 256;

export type PlotState = Plot & { readonly turnCount: number };
export const EMPTY_PLOT: PlotState = { turnsPerColumn: 1, columns: [], turnCount: 0 };

/**
 * The plot with columns of turns that changed. A turn that has no column any more halves the plot first: of two columns
 * the one with the larger request stays.
 */
export function plotWith(plot: PlotState, columns: readonly PlotColumn[]): PlotState {
  const last = Math.max(plot.turnCount - 1, ...columns.map(({ at }) => at));
  let { turnsPerColumn } = plot;
  let kept = [...plot.columns];
  while (Math.floor(last / turnsPerColumn) >= COLUMNS) {
    kept = halved(kept);
    turnsPerColumn *= 2;
  }
  for (const column of columns) {
    const at = Math.floor(column.at / turnsPerColumn);
    while (kept.length <= at) kept.push(null);
    kept[at] = largerOf(kept[at] ?? null, column);
  }
  return { ...plot, turnsPerColumn, columns: kept };
}

const halved = (columns: readonly (PlotColumn | null)[]): (PlotColumn | null)[] =>
  Array.from({ length: Math.ceil(columns.length / 2) }, (_, at) => {
    const second = columns[at * 2 + 1] ?? null;
    const first = columns[at * 2] ?? null;
    return second === null ? first : largerOf(first, second);
  });

/** What is told again of the same turn replaces what was. */
const largerOf = (was: PlotColumn | null, column: PlotColumn): PlotColumn =>
  was === null || was.at === column.at || total(column) > total(was) ? column : was;

const total = ({ tokens }: PlotColumn): number => tokens.reduce((sum, one) => sum + one, 0);
