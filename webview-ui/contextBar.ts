// The inspector's browser side: what fills the window in one turn, as a bar, and what its parts are called.
import "./contextBar.css";
import { html, nothing, type TemplateResult } from "lit";
import { NO_TEXT_MENU } from "./contextMenu";
import { FILL_PARTS, sumOf } from "./fillParts";
import { barWords, type Fill, OVERVIEW_WORDS } from "./overviewWords";
import { styleProperties } from "./styleProperties";
import type { TokenFormat } from "./tokenFormat";

export type BarProps = {
  readonly turn: number;
  readonly fill: Fill;
  readonly windowTokens: number | null;
  /** By place in FILL_KINDS: what some turn has. The legend names these, so that it does not jump from turn to turn. */
  readonly used: readonly boolean[];
  readonly hasWhatIf: boolean;
  readonly format: TokenFormat;
};

/** What the bar's whole length stands for: the window, or the request where that is larger or the window not known. */
const lengthOf = ({ fill, windowTokens }: BarProps): number =>
  Math.max(windowTokens ?? 0, sumOf(fill.tokens), 1);

export function contextBar(props: BarProps): TemplateResult {
  const { turn, fill, format: f } = props;
  const length = lengthOf(props);
  const free = length - sumOf(fill.tokens);
  return html`<div class="fill-bar" role="img" data-vscode-context=${NO_TEXT_MENU} aria-label=${barWords(turn, fill, f)}>
    ${FILL_PARTS.map(({ kind, name }, at) => {
      const tokens = fill.tokens[at] ?? 0;
      return html`<div
        class="fill-part"
        data-fill=${kind}
        ?hidden=${tokens === 0}
        title=${`${name}: ${amount(tokens, length, f)}`}
        ${styleProperties({ "flex-grow": String(tokens) })}
      ></div>`;
    })}
    <div
      class="fill-part"
      data-fill="free"
      ?hidden=${free === 0}
      title=${`${OVERVIEW_WORDS.free}: ${amount(free, length, f)}`}
      ${styleProperties({ "flex-grow": String(free) })}
    ></div>
  </div>`;
}

const amount = (tokens: number, of: number, f: TokenFormat): string =>
  `${f.count(tokens, "token")} (${f.share(tokens / of)})`;

export function legend(props: BarProps): TemplateResult {
  const { fill, windowTokens, used, hasWhatIf, format: f } = props;
  const length = lengthOf(props);
  const free = length - sumOf(fill.tokens);
  return html`<ul class="legend" data-vscode-context=${NO_TEXT_MENU}>
    ${FILL_PARTS.map(({ kind, name, says }, at) =>
      used[at] ? entry(kind, name, says, fill.tokens[at] ?? 0, length, f) : nothing,
    )}
    ${windowTokens === null ? nothing : entry("free", OVERVIEW_WORDS.free, "Room left of the window", free, length, f)}
    ${lineEntry("saved", OVERVIEW_WORDS.saved, OVERVIEW_WORDS.savedSays, Math.max(0, fill.naive - sumOf(fill.tokens)), f)}
    ${lineEntry("naive", OVERVIEW_WORDS.naive, OVERVIEW_WORDS.naiveSays, fill.naive, f)}
    ${hasWhatIf ? lineEntry("what-if", OVERVIEW_WORDS.whatIf, OVERVIEW_WORDS.whatIfSays, null, f) : nothing}
  </ul>`;
}

const entry = (
  kind: string,
  name: string,
  says: string,
  tokens: number,
  length: number,
  f: TokenFormat,
): TemplateResult =>
  html`<li class="legend-entry" title=${`${says}: ${amount(tokens, length, f)}`}>
    <span class="swatch" data-fill=${kind} aria-hidden="true"></span><span class="legend-name">${name}</span
    ><span class="figure">${f.compact(tokens)}</span><span class="figure share">${f.share(tokens / length)}</span>
  </li>`;

const lineEntry = (
  kind: string,
  name: string,
  says: string,
  tokens: number | null,
  f: TokenFormat,
): TemplateResult =>
  html`<li class="legend-entry" title=${says}>
    <span class="swatch line" data-line=${kind} aria-hidden="true"></span><span class="legend-name">${name}</span
    >${tokens === null ? nothing : html`<span class="figure">${f.compact(tokens)}</span>`}<span class="figure share"></span>
  </li>`;
