// The inspector's browser side: what an analysis of a session found: a sentence, and below it the lines of the command line.
import "./analysisPanel.css";
import { html, nothing, type TemplateResult } from "lit";
import type { AnalysisSummary } from "../src/schema/inspector";
import { oneLine, visibleSegments } from "./visibleText";

export const ANALYSIS_WORDS = { analysis: "Analysis", lines: "Analysis in full" } as const;

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
        : html`<pre class="analysis-lines" tabindex="0" role="group" aria-label=${ANALYSIS_WORDS.lines}>${lines
            .slice(0, MOST_LINES)
            .map(lineView)}</pre>`
    }
  </details>`;
}

const lineView = (line: string): TemplateResult =>
  html`${visibleSegments(line.slice(0, MOST_CHARS))
    .map(({ text }) => text)
    .join("")}${"\n"}`;
