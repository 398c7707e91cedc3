/** Lists that are lines: JSON Lines, matches and paths one to a line, tables with their header. */
import type { LineHint, NotAList } from "../schema/coverage";
import { RecordTable } from "./recordTable";
import { extraBytesAt, isPairAt, type Scanner, type Span, type Visitor } from "./scan";

export type FoundLines =
  | { readonly kind: "lines" | "table"; readonly records: RecordTable; readonly header: string | null }
  | { readonly kind: "text"; readonly reason: NotAList };

/** Lines that are not blank, without their line ends (LF, CRLF). Throws `Unexpected` at a lone surrogate. */
export function* linesOf(text: string, from = 0, fromByte = from): Generator<Span> {
  let extra = fromByte - from;
  for (let start = from; start < text.length; ) {
    const feed = text.indexOf("\n", start);
    const next = feed < 0 ? text.length : feed + 1;
    let end = feed < 0 ? text.length : feed;
    if (feed > start && text.charCodeAt(end - 1) === 0x0d) end--;
    const startByte = start + extra;
    let isBlank = true;
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit > 0x20) isBlank = false;
      else if (unit !== 0x20 && unit !== 0x09) isBlank = false;
      if (unit < 0x80) continue;
      extra += extraBytesAt(text, at);
      if (isPairAt(text, at)) at++;
    }
    if (!isBlank) yield { start, end, startByte, endByte: end + extra };
    start = next;
  }
}

const NOTHING: Visitor = { depth: -1, name() {}, element() {}, open() {}, close() {} };

/**
 * JSON Lines from the second value on: `first` was read already and `scanner` stands behind it. Null: not one value on
 * each line, or not only objects and arrays. Throws `Unexpected`.
 */
export function jsonLines(text: string, first: Span, scanner: Scanner): RecordTable | null {
  const records = new RecordTable();
  for (let value = first; ; value = scanner.value(NOTHING)) {
    const opening = text.charCodeAt(value.start);
    const feed = text.indexOf("\n", value.start);
    if ((opening !== 0x7b && opening !== 0x5b) || (feed >= 0 && feed < value.end)) return null;
    records.add(value);
    scanner.skipBlanks();
    if (scanner.at === text.length) return records.count > 1 ? records : null;
    if (feed < 0 || feed >= scanner.at) return null; // another value on the same line
  }
}

const MATCH = /^(?:[A-Za-z]:[\\/])?[^:\n]{1,1024}[:-]\d+[:-]/;
const PATH = /^(?=[^\s]*(?:[\\/]|\.\w+$))[^\s:*?"<>|]{1,1024}$/;
const NUMBERED = 1100; // a match's path and line number end before this
const ENDS_SENTENCE = /[.,;!?]$/;

/** Lines of one form, each of them a record; else a table; else a text. `hint`: no form is asked for. */
export function lineList(
  text: string,
  start: { at: number; byte: number },
  hint: LineHint | null,
): FoundLines {
  if (hint !== null) return hinted(text, start, hint.headerLines);
  const forms = { match: true, path: true, count: 0 };
  const table = new TableForm(text);
  const records = new RecordTable();
  for (const line of linesOf(text, start.at, start.byte)) {
    records.add(line);
    forms.count++;
    const shown = text.slice(line.start, Math.min(line.end, line.start + NUMBERED));
    if (forms.match && !MATCH.test(shown)) forms.match = false;
    if (forms.path && (!PATH.test(shown) || ENDS_SENTENCE.test(shown))) forms.path = false;
    table.line(line);
    if (!forms.match && !forms.path && !table.isOne) break;
  }
  if (forms.count >= 2 && (forms.match || forms.path)) return { kind: "lines", records, header: null };
  const headerLines = table.headerLines();
  if (headerLines === 0) return { kind: "text", reason: "not_a_list" };
  const found = hinted(text, start, headerLines);
  return found.kind === "text" ? found : { ...found, kind: "table" };
}

function hinted(text: string, start: { at: number; byte: number }, headerLines: number): FoundLines {
  const records = new RecordTable();
  let headerEnd = -1;
  let headerStart = -1;
  let left = headerLines;
  for (const line of linesOf(text, start.at, start.byte)) {
    if (left > 0) {
      if (headerStart < 0) headerStart = line.start;
      headerEnd = line.end;
      left--;
    } else records.add(line);
  }
  const header = headerStart < 0 ? null : text.slice(headerStart, headerEnd);
  return { kind: "lines", records, header };
}

/** The line under a Markdown header. */
const isRule = (line: string): boolean => line.includes("-") && /^[\s|:-]+$/.test(line);

/** Names in capitals, two blanks or more between them. Each blank can be matched in one way only. */
const COLUMNS =
  /^[A-Z][A-Z0-9()%/_-]*(?: [A-Z0-9()%/_-]+)*(?: {2,}[A-Z][A-Z0-9()%/_-]*(?: [A-Z0-9()%/_-]+)*)+ *$/;

type Separators = { readonly tabs: number; readonly commas: number };

/** Whether all lines so far can be one table: Markdown, tab or comma separated, or columns under names in capitals. */
class TableForm {
  readonly #text: string;
  #lines = 0;
  #first: Separators = { tabs: 0, commas: 0 };
  #isMarkdown = true;
  #isTabs = true;
  #isCommas = true;
  #isColumns = true;

  constructor(text: string) {
    this.#text = text;
  }

  get isOne(): boolean {
    return this.#isMarkdown || this.#isTabs || this.#isCommas || this.#isColumns;
  }

  line({ start, end }: Span): void {
    const text = this.#text;
    const number = this.#lines++;
    this.#isMarkdown &&= text[start] === "|";
    if (number === 1) this.#isMarkdown &&= isRule(text.slice(start, end));
    if (number === 0) this.#isColumns = COLUMNS.test(text.slice(start, Math.min(end, start + 400)));
    if (this.#isTabs || this.#isCommas) {
      const found = this.#separators(start, end);
      if (number === 0) this.#first = found ?? this.#first;
      this.#isTabs &&= found !== null && found.tabs === this.#first.tabs && found.tabs > 0;
      this.#isCommas &&= found !== null && found.commas === this.#first.commas && found.commas > 1;
    }
  }

  /** Lines of the header; 0: no table. */
  headerLines(): number {
    if (this.#isMarkdown && this.#lines >= 2) return 2;
    if (this.#lines < 2 || (!this.#isColumns && this.#lines < 3)) return 0;
    return this.#isTabs || this.#isCommas || this.#isColumns ? 1 : 0;
  }

  /** Null: a quotation goes on behind the line, so that records are not lines. */
  #separators(start: number, end: number): Separators | null {
    let tabs = 0;
    let commas = 0;
    let isQuoted = false;
    for (let at = start; at < end; at++) {
      const unit = this.#text.charCodeAt(at);
      if (unit === 0x22) isQuoted = !isQuoted;
      else if (!isQuoted && unit === 0x09) tabs++;
      else if (!isQuoted && unit === 0x2c) commas++;
    }
    return isQuoted ? null : { tabs, commas };
  }
}
