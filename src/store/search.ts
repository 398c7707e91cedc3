/** Finding a text in stored content that is read a stretch at a time. Pure. */
import type { Match, Matches } from "../schema/claim";
import { charLength, indexOfChar } from "../schema/text";

const LISTED = 20; // more would not fit a window
const COUNTED = 10_000; // then looking stops: "at least"
const EXCERPT_CHARS = 160;
const CONTEXT = EXCERPT_CHARS * 2; // code units on either side of a match that its excerpt is taken from
const LINE_END = /\r\n|\r|\n/g;

/** Feed it the content in order. A match may lie across two stretches; matches do not overlap. */
export class Search {
  readonly #needle: string;
  readonly #matches: Match[] = [];
  #total = 0;
  #rest = ""; // the end of what was fed: the next match may start in it, or need it for its excerpt
  #char = 0; // where the rest starts in the content
  #line = 1;
  #from = 0; // where looking goes on in the rest

  constructor(needle: string) {
    this.#needle = needle;
  }

  get isFull(): boolean {
    return this.#total >= COUNTED;
  }

  get result(): Matches {
    return { matches: this.#matches, total: this.#total, isCounted: !this.isFull };
  }

  feed(stretch: string, isLast: boolean): void {
    const text = this.#rest + stretch;
    // A match beyond this waits for the next stretch, which has the rest of it and of its excerpt.
    const limit = isLast ? text.length : Math.max(0, text.length - this.#needle.length - CONTEXT);
    let from = this.#from;
    let passed = 0;
    for (
      let at = text.indexOf(this.#needle, from);
      at >= 0 && at < limit;
      at = text.indexOf(this.#needle, from)
    ) {
      this.#total++;
      if (this.#matches.length < LISTED) {
        this.#pass(text.slice(passed, at));
        passed = at;
        const excerpt = excerptOf(text, at, this.#needle.length);
        this.#matches.push({ offset: this.#char, line: this.#line, excerpt });
      }
      from = at + this.#needle.length;
      if (this.isFull) return;
    }
    const resume = Math.max(from, limit);
    const keep = Math.max(passed, wholeFrom(text, resume - CONTEXT));
    this.#pass(text.slice(passed, keep));
    this.#rest = text.slice(keep);
    this.#from = resume - keep;
  }

  #pass(text: string): void {
    this.#char += charLength(text);
    this.#line += lineEnds(text);
  }
}

/** The line around a match, cut to its neighbourhood. */
function excerptOf(text: string, at: number, length: number): string {
  const half = Math.floor(EXCERPT_CHARS / 2);
  const before = /[^\r\n]*$/.exec(text.slice(Math.max(0, at - CONTEXT), at))?.[0] ?? "";
  const shown = text.slice(at, at + Math.min(length, EXCERPT_CHARS));
  const after = /^[^\r\n]*/.exec(text.slice(at + length, at + length + CONTEXT))?.[0] ?? "";
  const head = before.slice(indexOfChar(before, Math.max(0, charLength(before) - half)));
  const tail = length > EXCERPT_CHARS ? "" : after.slice(0, indexOfChar(after, half));
  const isCutAfter = length > EXCERPT_CHARS || tail.length < after.length;
  return `${head.length < before.length ? "…" : ""}${head}${shown}${tail}${isCutAfter ? "…" : ""}`.toWellFormed();
}

const lineEnds = (text: string): number => text.match(LINE_END)?.length ?? 0;

/** Not between the halves of a surrogate pair or of a CRLF. */
function wholeFrom(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return index > 0 && (isLow || (unit === 10 && text.charCodeAt(index - 1) === 13)) ? index - 1 : index;
}
