/** Finding the last place of a text before another place in stored content, in any case. Pure. */
import { charLength, indexOfChar } from "../schema/text";
import { type Found, patternOf, wholeFrom } from "./nextMatch";
import type { ContentPart } from "./window";

const BLOCK_UNITS = 16_384; // looked through from its beginning: content may match everywhere

/** The last match in any case that ends at or before `before`, in content fed backwards from the frame that has it on. */
export class PreviousMatch {
  readonly #pattern: RegExp;
  readonly #before: number;
  readonly #overlap: number; // code units that a match may reach into the stretch behind
  #behind = "";

  constructor(needle: string, before: number) {
    this.#pattern = patternOf(needle);
    this.#before = before;
    this.#overlap = needle.length * 2;
  }

  feed({ text: stretch, startChar }: ContentPart): Found | null {
    const whole = stretch + this.#behind;
    const text = whole.slice(0, indexOfChar(whole, Math.max(0, this.#before - startChar)));
    const match = this.#lastIn(text);
    if (match)
      return { offset: startChar + charLength(text.slice(0, match.index)), chars: charLength(match[0]) };
    this.#behind = whole.slice(0, wholeFrom(whole, this.#overlap));
    return null;
  }

  #lastIn(text: string): { readonly index: number; readonly 0: string } | null {
    for (let to = text.length; to > 0; ) {
      const from = wholeFrom(text, Math.max(0, to - BLOCK_UNITS));
      const block = text.slice(from, wholeFrom(text, to + this.#overlap));
      const match = this.#lastStart(block, to - from);
      if (match) return { index: from + match.index, 0: match[0] };
      to = from;
    }
    return null;
  }

  /** The last match that starts before `end`; matches may overlap. */
  #lastStart(text: string, end: number): RegExpExecArray | null {
    let last: RegExpExecArray | null = null;
    this.#pattern.lastIndex = 0;
    for (let match = this.#pattern.exec(text); match; match = this.#pattern.exec(text)) {
      if (match.index >= end) break;
      last = match;
      this.#pattern.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
    }
    return last;
  }
}

/** The same in content that is there whole. */
export const previousIn = (content: string, needle: string, before: number): Found | null =>
  new PreviousMatch(needle, before).feed({ text: content, startChar: 0, totalChars: charLength(content) });
