/**
 * Every sentence that stands in for content, generated and parsed in one place (CONFORMANCE §1, Wording). A text of
 * this shape means something only where this session issued it; anywhere else it is data (§0.2).
 */
import type { Handle, Matches } from "../schema/claim";
import { indexOfChar } from "../schema/text";
import type { ContentWindow } from "./window";

/** The tool that redeems handles. A ticket names it, so nothing is substituted for an agent that does not have it. */
export const FETCH_RESULT = "fetch_result";

/** Sizes in chars; `head` and `tail` are slices of the content, `what` says its type ("1403 lines, text"). */
export type TicketFacts = {
  readonly tool: string;
  readonly handle: Handle;
  readonly totalChars: number;
  readonly what: string;
  readonly head: string;
  readonly headChars: number;
  readonly tail: string;
  readonly tailChars: number;
};

export function ticketOf(facts: TicketFacts): string {
  const { tool, handle, totalChars, what, head, headChars, tail, tailChars } = facts;
  const hidden = totalChars - headChars - tailChars;
  const parts = tailChars > 0 ? `first ${headChars} and last ${tailChars}` : `first ${headChars}`;
  const body = tailChars > 0 ? `${head}\n\n[… ${hidden} characters not shown here …]\n\n${tail}` : head;
  return [
    `[Incomplete: ${parts} of ${totalChars} characters from ${tool} (${what}). Absence below proves nothing.]`,
    body,
    `[${totalChars} characters, ${hidden} not shown. Call ${FETCH_RESULT} with handle='${handle}' to read the rest.]`,
  ].join("\n\n");
}

/** Content that cannot be shown as text: its type, size and digest in place of a head. */
export function opaqueTicketOf(
  facts: Pick<TicketFacts, "tool" | "handle" | "totalChars" | "what"> & { bytes: number; sha256: string },
): string {
  return (
    `[Not shown: ${facts.totalChars} characters from ${facts.tool} (${facts.what}, ${facts.bytes} bytes, sha256 ${facts.sha256}). ` +
    `Call ${FETCH_RESULT} with handle='${facts.handle}' to read them.]`
  );
}

const TICKET = new RegExp(
  `^\\[(\\d+) characters, (\\d+) not shown\\. Call ${FETCH_RESULT} with handle='(claim:[0-9a-f]{32})' to read the rest\\.\\]$`,
  "m",
);

/** The last line of a ticket, read back. Only for texts whose provenance is known. */
export function parseTicket(
  text: string,
): { handle: Handle; totalChars: number; hiddenChars: number } | null {
  const match = TICKET.exec(text);
  if (!match) return null;
  return { handle: match[3] as Handle, totalChars: Number(match[1]), hiddenChars: Number(match[2]) };
}

/** A window as the model sees it: the content verbatim, then where it stands and how to go on. */
export function windowText(handle: Handle, window: ContentWindow): string {
  const { text, offset, chars, totalChars, next } = window;
  const end =
    next === null
      ? "this is the end."
      : `${totalChars - next} remain. Next: ${FETCH_RESULT} with handle='${handle}', offset=${next}`;
  const range = chars === 0 ? `No characters at ${offset}` : `Characters ${offset}–${offset + chars - 1}`;
  const label = `[${range} of ${totalChars}; ${end}]`;
  return chars === 0 ? label : `${text}\n\n${label}`;
}

/** The one refusal for every handle that cannot be read: same bytes whatever the reason (CONFORMANCE §0.3, C9). */
export const CLAIM_UNAVAILABLE =
  "claim_unavailable: this handle cannot be read. Do not retry it; run the source tool again if you still need the content.";

/** A search of the whole content: where the text stands, with the offset to read on from. */
export function matchesText(handle: Handle, needle: string, totalChars: number, found: Matches): string {
  const { matches, total, isCounted } = found;
  const what = `${isCounted ? "" : "at least "}${total} ${total === 1 ? "match" : "matches"}`;
  const asked = JSON.stringify(needle.length > 80 ? `${needle.slice(0, indexOfChar(needle, 80))}…` : needle);
  const shown = matches.length < total ? `; the first ${matches.length} are shown` : "";
  const next = total === 0 ? "" : ` Read around one: ${FETCH_RESULT} with handle='${handle}', offset=….`;
  const label = `[${what} of ${asked} in all ${totalChars} characters${shown}.${next}]`;
  return [
    label,
    ...matches.map(({ offset, line, excerpt }) => `offset ${offset}, line ${line}: ${excerpt}`),
  ].join("\n");
}

export const NOT_FOUND = "not_found: the stored content is not JSON, or has no value at this pointer.";

export const INVALID_OFFSET = "invalid_offset: offset must be a whole number from 0 up, line one from 1 up.";

/** A result over its limit where nothing could be stored: cut, and labelled as cut (C16, C21). */
export function cutText(
  facts: Pick<TicketFacts, "tool" | "totalChars" | "head" | "headChars"> & { why: string },
): string {
  const lost = facts.totalChars - facts.headChars;
  return [
    `[Incomplete: first ${facts.headChars} of ${facts.totalChars} characters from ${facts.tool}. Absence below proves nothing.]`,
    facts.head,
    `[${lost} characters were cut and are not stored: ${facts.why}. Ask ${facts.tool} for a smaller part to see more.]`,
  ].join("\n\n");
}

/** What an old result becomes (CONFORMANCE §1, Aged line). */
export function agedLine(facts: {
  tool: string;
  subject: string;
  lines: number;
  kind: string;
  totalChars: number;
  handle: Handle;
}): string {
  const subject = facts.subject === "" ? "" : ` ${facts.subject}`;
  const lines = `${facts.lines} ${facts.lines === 1 ? "line" : "lines"}`;
  return (
    `[${facts.tool}${subject}: ${lines}, ${facts.totalChars} characters, ${facts.kind}; shown earlier, now stored. ` +
    `Call ${FETCH_RESULT} with handle='${facts.handle}' to read it again.]`
  );
}

/** A tool that said nothing (C24). */
export const NO_OUTPUT = "(no output)";

/** An old or over-budget result: its head and tail, and where the middle is. `why` ends the sentence. */
export function shortenedText(facts: {
  head: string;
  tail: string;
  hiddenChars: number;
  handle: Handle;
  why: string;
}): string {
  const { head, tail, hiddenChars, handle, why } = facts;
  const label = `[… ${hiddenChars} characters not shown here: ${why}. Call ${FETCH_RESULT} with handle='${handle}' to read them …]`;
  return `${head}\n\n${label}\n\n${tail}`;
}
