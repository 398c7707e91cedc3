// The inspector's browser side: what comes of What If: a table, a sentence, and a line per way.
import { html, nothing, svg, type TemplateResult } from "lit";
import type { WhatIfSeries } from "../src/schema/whatIf";
import { linePath, PLOT_HEIGHT } from "./plotShapes";
import type { TokenFormat } from "./tokenFormat";
import { type FigureRow, figureRows, WHAT_IF_WORDS as WORDS, whatIfSentence } from "./whatIfWords";

const COLUMNS = [WORDS.sent, WORDS.cost, WORDS.peak];

export function figuresView(series: WhatIfSeries, f: TokenFormat): TemplateResult {
  if (series.everything.length === 0) return html`<p class="what-if-sentence">${WORDS.none}</p>`;
  return html`<div class="what-if-figures">
    ${plotOf(series, f)}
    <table class="figures" aria-label=${WORDS.figures}>
      <thead>
        <tr>
          <td></td>
          ${COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${figureRows(series, f).map(rowView)}
      </tbody>
    </table>
    <p class="what-if-sentence">${whatIfSentence(series, f)}</p>
  </div>`;
}

const rowView = ({ kind, name, says, cells }: FigureRow): TemplateResult =>
  html`<tr data-row=${kind} title=${says}>
    <th scope="row"><span class="what-if-swatch" data-line=${kind} aria-hidden="true"></span>${name}</th>
    ${cells.map(
      ({ value, title, change }, at) =>
        html`<td data-name=${COLUMNS[at]} title=${title}>${value}<span class="change">${change}</span></td>`,
    )}
  </tr>`;

function plotOf({ everything, cloakroom, recorded }: WhatIfSeries, f: TokenFormat): TemplateResult {
  const top = [...everything, ...cloakroom, ...(recorded ?? [])].reduce(
    (most, some) => Math.max(most, some),
    1,
  );
  const line = (kind: string, values: readonly number[] | null) =>
    values === null
      ? nothing
      : svg`<path class="what-if-line" data-line=${kind} d=${linePath(values, top)}></path>`;
  const width = Math.max(everything.length, 1);
  const says = `${WORDS.plot}: at most ${f.count(top, "token")}`;
  return html`<div class="what-if-plot" role="img" aria-label=${says} title=${says}>
    <svg viewBox=${`0 0 ${width} ${PLOT_HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      ${line("everything", everything)} ${line("recorded", recorded)} ${line("cloakroom", cloakroom)}
    </svg>
  </div>`;
}
