// The inspector's browser side: what an analysis of a session found: a sentence, and below it the lines of the command line.
import "./analysisPanel.css";
import { html, nothing, type TemplateResult } from "lit";
import type { AnalysisSummary } from "../src/schema/inspector";
import { oneLine, visibleSegments } from "./visibleText";

export const ANALYSIS_WORDS = {
  analysis: "Analysis",
  lines: "Analysis in full",
  table: "Figures of the analysis",
} as const;

/** Lines of an analysis on a page; the command line prints them all. */
const MOST_LINES = 400;
const MOST_CHARS = 400;

/** `isOpen` is how it begins: afterwards it is as the person left it. */
export function analysisPanel(analysis: AnalysisSummary, isOpen: boolean): TemplateResult {
  const { agent, sentence, lines } = analysis;
  return html`<details class="analysis" ?open=${isOpen}>
    <summary class="analysis-head">
      <span class="codicon codicon-chevron-right" aria-hidden="true"></span
      ><span class="analysis-title">${ANALYSIS_WORDS.analysis}</span
      ><span class="analysis-agent">${agent === null ? nothing : oneLine(agent, 60)}</span>
    </summary>
    <p class="analysis-sentence">${oneLine(sentence, 1000)}</p>
    ${
      lines.length === 0
        ? nothing
        : html`<div class="analysis-lines" tabindex="0" role="group" aria-label=${ANALYSIS_WORDS.lines}>${blocksOf(
            lines.slice(0, MOST_LINES),
          ).map(blockView)}</div>`
    }
  </details>`;
}

/** Lines that follow one another, in columns or not. */
type Block = { readonly isTable: boolean; readonly lines: string[] };

/** A line in columns has them apart by more than a space. */
const IN_COLUMNS = /\S {2,}\S/;

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const isTable = IN_COLUMNS.test(line) || (blocks.at(-1)?.isTable === true && /^ {20,}\S/.test(line));
    const last = blocks.at(-1);
    if (last?.isTable === isTable) last.lines.push(line);
    else blocks.push({ isTable, lines: [line] });
  }
  return blocks;
}

/** A table keeps its columns and is scrolled by itself; any other line goes on below, further in. */
const blockView = ({ isTable, lines }: Block): TemplateResult =>
  isTable
    ? html`<pre class="analysis-table" tabindex="0" role="group" aria-label=${ANALYSIS_WORDS.table}>${lines.map((line) => `${visible(line)}\n`).join("")}</pre>`
    : html`${lines.map((line) => html`<p class="analysis-line">${visible(line)}</p>`)}`;

const visible = (line: string): string =>
  visibleSegments(line.slice(0, MOST_CHARS))
    .map(({ text }) => text)
    .join("");
