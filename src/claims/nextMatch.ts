/** Finding the next place of a text in stored content, in any case, as a person looks for it. Pure. */
import { charLength, indexOfChar } from "../schema/text";
import type { ContentPart } from "./window";

/** A match, in chars of the content. */
export type Found = { readonly offset: number; readonly chars: number };

/** The next match in any case, in content that is fed in order from the frame that has `from` on. */
export class NextMatch {
  readonly #pattern: RegExp;
  readonly #from: number;
  readonly #overlap: number; // code units that a match may begin before the end of a stretch
  #rest = "";

  constructor(needle: string, from: number) {
    this.#pattern = patternOf(needle);
    this.#from = from;
    this.#overlap = needle.length * 2;
  }

  feed({ text: stretch, startChar }: ContentPart): Found | null {
    const text = this.#rest + stretch;
    const base = startChar - charLength(this.#rest);
    this.#pattern.lastIndex = indexOfChar(text, Math.max(0, this.#from - base));
    const match = this.#pattern.exec(text);
    if (match) return { offset: base + charLength(text.slice(0, match.index)), chars: charLength(match[0]) };
    this.#rest = text.slice(wholeFrom(text, Math.max(0, text.length - this.#overlap)));
    return null;
  }
}

/** Letter for letter, in any case. */
export const patternOf = (needle: string): RegExp =>
  new RegExp(needle.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");

/** `index`, or the one before where that is between the halves of a character; at most the text's end. */
export const wholeFrom = (text: string, index: number): number =>
  index >= text.length ? text.length : index > 0 && isLow(text.charCodeAt(index)) ? index - 1 : index;

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** The same in content that is there whole. */
export const nextIn = (content: string, needle: string, from: number): Found | null =>
  new NextMatch(needle, from).feed({ text: content, startChar: 0, totalChars: charLength(content) });
