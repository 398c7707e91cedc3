/** What if: a run's figures as a page takes them: no more points than it can draw. */
import { MAXIMUM_POINTS, type WhatIfRun, type WhatIfSeries } from "../../schema/whatIf";

export function seriesOnWire(run: WhatIfRun): WhatIfSeries {
  const { tokens, readBack, cost, peak } = run;
  const requests = tokens.everything.length;
  const requestsPerPoint = Math.max(1, Math.ceil(requests / MAXIMUM_POINTS));
  const points = (figures: readonly number[]) => largestOf(figures, requestsPerPoint);
  const sum = (sent: readonly number[], extra: number, of: number, most: number) => ({
    requests: sent.length + extra,
    tokens: total(sent),
    cost: Math.round(of),
    peakTokens: most,
  });
  const { recorded } = tokens;
  return {
    requestsPerPoint,
    everything: points(tokens.everything),
    cloakroom: points(tokens.cloakroom),
    readBack: sumsOf(readBack, requestsPerPoint),
    recorded: recorded && points(recorded),
    sums: {
      everything: sum(tokens.everything, 0, cost.everything, peak.everything),
      cloakroom: sum(
        [...tokens.cloakroom, ...readBack],
        run.readBacks - readBack.length,
        cost.cloakroom,
        peak.cloakroom,
      ),
      recorded: recorded && sum(recorded, 0, cost.recorded ?? 0, peak.recorded ?? 0),
    },
    storedOnArrival: run.storedOnArrival.results,
    shortenedLater: run.shortenedLater.results,
    readBacks: run.readBacks,
    goneResults: run.goneResults,
    hiddenAtEndTokens: run.hiddenAtEnd.tokens,
    counter: run.counter,
  };
}

function byPoint(
  figures: readonly number[],
  count: number,
  one: (of: readonly number[]) => number,
): number[] {
  const points: number[] = [];
  for (let from = 0; from < figures.length; from += count)
    points.push(one(figures.slice(from, from + count)));
  return points;
}

const largestOf = (figures: readonly number[], count: number) =>
  byPoint(figures, count, (of) => of.reduce((most, figure) => Math.max(most, figure), 0));
const sumsOf = (figures: readonly number[], count: number) => byPoint(figures, count, total);
const total = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0);
