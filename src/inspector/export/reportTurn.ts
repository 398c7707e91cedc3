/** One turn of a report: what was asked, said and called, and what became of it. */
import type { CallView, TurnView } from "../../schema/view";
import { responseWords } from "../apart";
import { mediaWords } from "../media";
import { html, type Markup, textBlock } from "./markup";
import { reasonName } from "./reportReasons";
import type { CallTexts, ReportTexts } from "./reportTexts";
import {
  changesLine,
  count,
  endName,
  number,
  readBackLine,
  receiptLine,
  recoveryLine,
  replyEnd,
  resultLine,
  shortenedLine,
  stateName,
} from "./reportWords";

export function turnMarkup(turn: TurnView, texts: ReportTexts, isOpen: boolean): Markup {
  const said = texts.turns.get(turn.turn);
  const asked = said?.asked ?? null;
  const inLog = `in event ${said?.n ?? 0} of the log`;
  return html`<details class="turn"${isOpen ? html` open` : null}><summary><b>Turn ${number(turn.turn)}</b> <span class="what">${replyEnd(turn)}</span> <span class="size">${requestLine(turn)}</span></summary>
${asked === null ? null : html`<div class="asked"><h3>You</h3>${textBlock(asked, texts.limit, "in the log")}</div>`}
${before(turn)}${said?.reply ? html`<div class="said"><h3>Model</h3>${textBlock(said.reply, texts.limit, inLog)}</div>` : null}
${turn.reply?.error ? html`<p class="problem">${turn.reply.error}</p>` : null}
${turn.calls.map((call) => callMarkup(call, texts))}
${unread(turn)}${ended(turn)}</details>\n`;
}

function requestLine({ request }: TurnView): string {
  if (request === null) return "";
  const tokens = request.prefix ? `${count(request.prefix.totalTokens, "token")}, ` : "";
  return `${tokens}${count(request.messages, "message")}`;
}

/** What was done to the history before the request. */
function before({ repairs, recovery }: TurnView): Markup | null {
  const lines = [...recovery.map(recoveryLine), ...repairs.map(({ detail }) => `Repaired: ${detail}`)];
  return lines.length === 0
    ? null
    : html`<ul class="before">${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
}

function unread({ reply }: TurnView): Markup | null {
  const lists = reply?.unread ?? [];
  const lines = lists.map(
    ({ tool, inspected, total }) => `${tool}: ${number(inspected)} of ${count(total, "record")} read`,
  );
  return lines.length === 0 ? null : html`<p class="problem">Incomplete list: ${lines.join("; ")}</p>`;
}

const ended = ({ ended }: TurnView): Markup | null =>
  ended === null || ended.end === "answered"
    ? null
    : html`<p class="problem">${endName(ended.end)}${ended.message ? `: ${ended.message}` : ""}</p>`;

const NO_TEXTS: CallTexts = { written: "", ran: null, shown: null, n: 0 };

function callMarkup(call: CallView, texts: ReportTexts): Markup {
  const said = texts.calls.get(call.call) ?? NO_TEXTS;
  const took = call.elapsedMs === null ? "" : `, ${count(call.elapsedMs, "ms", "ms")}`;
  return html`<section class="call ${call.state}"><h3><code>${call.tool}</code> <span class="state">${stateName(call.state)}${took}</span></h3>
${textBlock(said.written, texts.limit, "in the log")}
${said.ran === null ? null : html`<p class="label">Ran as</p>${textBlock(said.ran, texts.limit, "in the log")}`}
<dl>${factsOf(call).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>
${said.shown === null || said.shown === "" ? null : shownMarkup(call, said, said.shown, texts.limit)}</section>\n`;
}

function shownMarkup({ stored }: CallView, { n }: CallTexts, shown: string, limit: number): Markup {
  const whole = stored ? `the stored result ${stored.handle}` : `in event ${n} of the log`;
  return html`<details class="shown"><summary>Shown to the model</summary>${textBlock(shown, limit, whole)}</details>`;
}

/** Only what there is to say. */
function factsOf(call: CallView): readonly (readonly [string, string | Markup])[] {
  const { receipt, authorised, result, stored, redeemed, refusal, response, changes, page } = call;
  const facts: (readonly [string, string | Markup])[] = [];
  if (receipt) facts.push(["Receipt", receiptLine(receipt)]);
  if (receipt && receipt.changes.length > 0)
    facts.push(["Arguments", digests(receipt.original_args_sha256, receipt.effective_args_sha256)]);
  if (authorised && authorised.by !== "rule")
    facts.push([
      "Permission",
      `${authorised.granted ? "Allowed" : "Refused"}: ${reasonName(authorised.reason)}`,
    ]);
  if (result) facts.push(["Result", resultLine(call)]);
  if (result && result.shown !== "inline") facts.push(["Why", reasonName(result.why)]);
  if (call.tainted) facts.push(["Origin", "From outside, marked as untrusted"]);
  if (stored)
    facts.push([
      "In the store",
      html`${count(stored.chars, "character")}, ${count(stored.lines, "line")} <code>${stored.handle}</code>`,
    ]);
  for (const media of call.media)
    facts.push(["Not text", html`${mediaWords(media)} <code>${media.handle ?? ""}</code>`]);
  if (redeemed) facts.push(["Read back", html`${readBackLine(call)} <code>${redeemed.handle}</code>`]);
  if (page && result?.shown !== "page")
    facts.push(["List", `Records ${page.first}–${page.last} of ${number(page.total)}`]);
  if (refusal)
    facts.push(["Handle refused", html`${reasonName(refusal.reason)} <code>${refusal.given}</code>`]);
  if (response) facts.push(["Envelope", responseWords(response)]);
  const safe = changesLine(changes);
  if (safe !== "") facts.push(["Made safe", safe]);
  for (const one of call.shortened) facts.push(["Shortened", shortenedLine(one)]);
  if (call.isPinned) facts.push(["Kept", "Stays as it is, as you asked"]);
  return facts;
}

const digests = (before: string, after: string): Markup =>
  html`SHA-256 <code>${before.slice(0, 16)}</code> → <code>${after.slice(0, 16)}</code>`;
