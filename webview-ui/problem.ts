// The inspector's browser side: what keeps a panel from showing what it should, in one line of words.
import "./problem.css";
import { html, type TemplateResult } from "lit";
import { oneLine } from "./visibleText";

/** null: nothing does; what stands here says the next problem aloud when it comes. */
export const problemLine = (problem: string | null): TemplateResult =>
  html`<p class="problem-line" role="alert" ?hidden=${problem === null}
    ><span class="codicon codicon-error" aria-hidden="true"></span><span>${oneLine(problem ?? "", 500)}</span></p
  >`;
