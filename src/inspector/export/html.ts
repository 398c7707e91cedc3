/** A session as a report to read, print and send: one file without scripts and without anything from elsewhere. */
import type { ExportedContent, ExportedSession, ExportPorts } from "../../schema/export";
import type { SessionView } from "../../schema/view";
import { inspectorFold, settle, viewOf } from "../project";
import { html, type Markup, table } from "./markup";
import { requestPlot } from "./reportPlot";
import { REPORT_STYLE } from "./reportStyle";
import { type ReportTexts, textsOf } from "./reportTexts";
import { turnMarkup } from "./reportTurn";
import { count, modeName, number, summaryOf } from "./reportWords";

/** Texts are cut, and say by how much and where the whole is. A log without a beginning is a report that says so. */
export function* htmlOf(
  { events, contents }: Pick<ExportedSession, "events" | "contents">,
  { timeOf }: Pick<ExportPorts, "timeOf">,
): Generator<string> {
  const fold = events.reduce(inspectorFold.reduce, inspectorFold.begin());
  const running = fold.head?.running ?? false; // as the log says, whoever wrote it
  const settled = viewOf(settle(fold));
  const view = settled && { ...settled, running };
  if (view === null) {
    yield page("Session", html`<h1>The session log has no beginning.</h1>`).join("");
    return;
  }
  const texts = textsOf(events);
  const { turns, lists } = view;
  const [start = "", end = ""] = page(view.title, null);
  yield start;
  yield head(view, timeOf).html;
  yield requestPlot(turns)?.html ?? "";
  yield "\n<section><h2>Turns</h2>\n";
  for (const turn of turns) yield turnMarkup(turn, texts, turn === turns.at(-1)).html;
  yield "</section>\n";
  if (lists.length > 0) yield listsMarkup(lists).html;
  if (contents.length > 0) yield storedMarkup(contents, texts).html;
  yield end;
}

/** What stands before and behind the page's body, or all of it. Nothing may be loaded and nothing may run, whatever a tool returned. */
function page(title: string, body: Markup | null): readonly string[] {
  const style = html`<style>`.html + REPORT_STYLE + html`</style>`.html;
  const start = html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${title}</title>\n`.html;
  return [`${start}${style}</head><body><main>\n`, `${body?.html ?? ""}</main></body></html>\n`];
}

function head(view: SessionView, timeOf: ExportPorts["timeOf"]): Markup {
  const { title, session, workspace, startedAt, mode, model, policy, policySha256 } = view;
  const settings =
    model === ""
      ? []
      : [`Result limits: ${modeName(mode)}`, model, `${policy} (${policySha256.slice(0, 8)})`];
  const notices = [...view.notices, ...view.limits.map(({ label, text }) => `${label}: ${text}`)];
  return html`<header><p class="over">Cloakroom session of ${workspace}, ${timeOf(startedAt)}</p>
<h1>${title}</h1>
<p class="sentence">${summaryOf(view)}</p>
<p class="settings">${settings.join(" · ")}</p>
<p class="settings">Session <code>${session}</code></p>
${view.running ? html`<p class="settings">The log ends in the middle of a turn.</p>` : null}
${notices.length > 0 ? html`<ul class="notices">${notices.map((notice) => html`<li>${notice}</li>`)}</ul>` : null}</header>\n`;
}

const COMPLETE = new Map<unknown, string>([
  [true, "Complete"],
  [false, "Incomplete list"],
]);

const listsMarkup = (lists: SessionView["lists"]): Markup =>
  html`<section><h2>Lists</h2>${table(
    "What of each list the model was shown, and has read with a reply",
    ["Tool", "#Records", "#Shown", "#Read", "At the source", "Handle"],
    lists.map(({ tool, total, returned, inspected, complete, handle }) => [
      ...[tool, number(total), number(returned), number(inspected)],
      ...[COMPLETE.get(complete) ?? "Unknown", html`<code>${handle}</code>`],
    ]),
  )}</section>\n`;

function storedMarkup(contents: readonly ExportedContent[], { readBacks }: ReportTexts): Markup {
  const rows = contents.map(({ tool, mediaType, chars, bytes, lines, handles, why }) => {
    const times = handles.reduce((sum, handle) => sum + (readBacks.get(handle) ?? 0), 0);
    const size =
      mediaType === undefined ? `${count(chars, "character")}, ${count(lines, "line")}` : mediaType;
    const names = handles.map((handle) => html`<code>${handle}</code> `);
    return [tool, why === null ? size : `${size} (${why})`, number(bytes), number(times), names];
  });
  return html`<section><h2>Stored results</h2>${table(
    "The whole of each is in the session's store under its handle; an export as JSON or as an archive has it",
    ["Tool", "Size", "#Bytes", "#Read back", "Handle"],
    rows,
  )}</section>\n`;
}
