/** How large each request was, as bars and as a table. */
import type { TurnView } from "../../schema/view";
import { html, type Markup, table } from "./markup";
import { count, number } from "./reportWords";

type Bar = { readonly first: number; readonly last: number; readonly total: number; readonly reused: number };

const WIDTH = 720;
const HEIGHT = 200;
const LEFT = 58;
const TOP = 10;
const BOTTOM = 24;
const MOST_BARS = 120;
const WIDEST_BAR = 36;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

/** Null where the log has no sizes in tokens. */
export function requestPlot(turns: readonly TurnView[]): Markup | null {
  const bars = barsOf(turns);
  if (bars.length === 0) return null;
  const { counter } = turns.findLast(({ request }) => request?.prefix)?.request?.prefix ?? { counter: "" };
  const per = Math.max(...bars.map(({ first, last }) => last - first + 1));
  const note = per > 1 ? ` Each bar is the largest request of up to ${count(per, "turn")}.` : "";
  return html`<section><h2>Size of each request</h2>
<figure>${drawn(bars)}
<figcaption><span class="key new"></span> new or changed <span class="key reused"></span> as the request before began.
Tokens, counted with ${counter}.${note}</figcaption></figure>
<details class="figures"><summary>The same as a table</summary>${figures(turns)}</details></section>`;
}

function barsOf(turns: readonly TurnView[]): Bar[] {
  const sized = turns.flatMap(({ turn, request }): Bar[] =>
    request?.prefix
      ? [{ first: turn, last: turn, total: request.prefix.totalTokens, reused: request.prefix.tokens }]
      : [],
  );
  const per = Math.ceil(sized.length / MOST_BARS);
  const bars: Bar[] = [];
  for (let at = 0; at < sized.length; at += per) {
    const group = sized.slice(at, at + per);
    const largest = group.reduce((most, one) => (one.total > most.total ? one : most));
    bars.push({ ...largest, first: group[0]?.first ?? 0, last: group.at(-1)?.last ?? 0 });
  }
  return bars;
}

function drawn(bars: readonly Bar[]): Markup {
  const most = roundUp(Math.max(1, ...bars.map(({ total }) => total)));
  const step = (WIDTH - LEFT) / bars.length;
  const width = Math.min(WIDEST_BAR, step * 0.72);
  const largest = bars.reduce((a, b) => (b.total > a.total ? b : a));
  const title = `Tokens per request, turn ${bars[0]?.first} to ${bars.at(-1)?.last}`;
  const describes = `The largest is ${count(largest.total, "token")}, in turn ${largest.first}; the last ${number(bars.at(-1)?.total ?? 0)}.`;
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="plot-title plot-text">
<title id="plot-title">${title}</title><desc id="plot-text">${describes}</desc>
${[0, 0.5, 1].map((part) => gridLine(most, part))}
${bars.map((bar, at) => drawnBar(bar, most, LEFT + step * (at + 0.5) - width / 2, width))}
${turnNames(bars, step)}</svg>`;
}

function gridLine(most: number, part: number): Markup {
  const y = TOP + PLOT_HEIGHT * (1 - part);
  return html`<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"/><text class="axis" x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${number(most * part)}</text>\n`;
}

function drawnBar({ first, total, reused }: Bar, most: number, x: number, width: number): Markup {
  const [whole = 0, old = 0] = [total, Math.min(reused, total)].map(
    (tokens) => (tokens / most) * PLOT_HEIGHT,
  );
  const end = TOP + PLOT_HEIGHT;
  const at = { x: x.toFixed(1), width: width.toFixed(1) };
  return html`<g><title>${`Turn ${first}: ${count(total, "token")}, ${number(total - reused)} new`}</title>
<rect class="new" x="${at.x}" width="${at.width}" y="${(end - whole).toFixed(1)}" height="${(whole - old).toFixed(1)}"/>
<rect class="reused" x="${at.x}" width="${at.width}" y="${(end - old).toFixed(1)}" height="${old.toFixed(1)}"/></g>\n`;
}

/** About ten names below the bars. */
function turnNames(bars: readonly Bar[], step: number): readonly Markup[] {
  const every = Math.ceil(bars.length / 10);
  return bars.flatMap(({ first }, at) =>
    at % every === 0
      ? [
          html`<text class="axis" x="${(LEFT + step * (at + 0.5)).toFixed(1)}" y="${HEIGHT - 6}" text-anchor="middle">${number(first)}</text>\n`,
        ]
      : [],
  );
}

/** The next number that halves into a plain one: 2, 4, 6, 8 or 10 of its own power of ten. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return Math.max(2, Math.ceil(value / unit / 2) * 2 * unit);
}

const figures = (turns: readonly TurnView[]): Markup =>
  table(
    "Requests by turn",
    ["#Turn", "#Tokens", "#New or changed", "#Messages", "#Bytes"],
    turns.flatMap(({ turn, request }) => {
      if (request === null) return [];
      const { prefix, messages, bytes } = request;
      const tokens = prefix
        ? [number(prefix.totalTokens), number(prefix.totalTokens - prefix.tokens)]
        : ["–", "–"];
      return [[number(turn), ...tokens, number(messages), number(bytes)]];
    }),
  );
