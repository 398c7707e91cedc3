// The inspector's browser side: places in a content of any size, in words and in windows. Offsets are in code points.
import type { Direction } from "../src/schema/claim";
import type { ContentWindow, SearchEnd } from "../src/schema/inspector";
import type { TokenFormat } from "./tokenFormat";

export const CONTENT_WORDS = {
  content: "Stored result",
  text: "Text of the stored result",
  find: "Find",
  findNext: "Next Match (Enter)",
  findPrevious: "Previous Match (Shift+Enter)",
  goToShort: "Go to line…",
  earlier: "Previous Part",
  later: "Next Part",
  place: "Place in the content",
  close: "Close",
  open: "Open in Editor",
  reading: "Reading…",
  empty: "The content is empty.",
} as const;

/** Code points that a window usually has; the last is shorter. */
export const WINDOW_STEP = 16_384;

export const charsOf = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};

export const previousOffset = (offset: number): number => Math.max(0, offset - WINDOW_STEP);

/** "16,385 to 32,768 of 104,857,600 characters; from line 1,204 of 90,000". */
export function placeWords(window: ContentWindow, f: TokenFormat): string {
  const { offset, totalChars, line, totalLines, text } = window;
  const end = offset + charsOf(text);
  const from = end > offset ? offset + 1 : offset;
  const of = totalLines === null ? "" : ` of ${f.number(totalLines)}`;
  const lines = line === null ? "" : `; from line ${f.number(line)}${of}`;
  return `${f.number(from)} to ${f.number(end)} of ${f.count(totalChars, "character")}${lines}`;
}

/** "Go to line (1 to 651), ::character or %". */
export function goToWords({ totalLines }: ContentWindow, f: TokenFormat): string {
  const lines = totalLines === null ? "" : ` (1 to ${f.number(Math.max(1, totalLines))})`;
  return `Go to line${lines}, ::character or %`;
}

/** Under the field, where what was typed is no place. */
export const notAPlaceWords = (window: ContentWindow, f: TokenFormat): string =>
  `Not a place. ${goToWords(window, f)}`;

/** How looking for a text ended, where that has to be said; "": it was found. */
export function searchWords(search: SearchEnd | null, direction: Direction): string {
  if (search === "nothing") return "No results";
  if (search !== "wrapped") return "";
  return direction === "next" ? "Went on from the beginning" : "Went on from the end";
}

/** `offset` in code points; a line from 1, which may be more than there are. */
export type Goal = { readonly line: number } | { readonly offset: number };

/** What a person types to go somewhere: a line ("120", ":120", "1,200", also with a column: "120:3"), a character ("::1200", from 1), "50%"; null: not a place. */
export function goalFrom(typed: string, totalChars: number): Goal | null {
  const [, colons = "", digits, column, percent] =
    /^\s*(:{0,2})\s*([\d.,\s]*\d)\s*(:\s*\d*)?\s*(%?)\s*$/u.exec(typed) ?? [];
  if (digits === undefined || (percent === "%" && colons !== "")) return null;
  if (column !== undefined && (percent === "%" || colons === "::")) return null;
  const last = Math.max(0, totalChars - 1);
  if (percent === "%") {
    const share = Number(digits.replace(",", "."));
    return Number.isFinite(share) ? { offset: Math.min(last, Math.floor((totalChars * share) / 100)) } : null;
  }
  const place = Math.max(1, Number(digits.replace(/[.,\s]/gu, "")));
  if (!Number.isSafeInteger(place)) return null;
  return colons === "::" ? { offset: Math.min(last, place - 1) } : { line: place };
}

/** A window's text before, in and after what was found in it. */
export function cutAt(
  { text, offset }: ContentWindow,
  match: { readonly offset: number; readonly chars: number } | null,
): { readonly before: string; readonly found: string; readonly after: string } {
  if (match === null || match.offset + match.chars <= offset) return { before: text, found: "", after: "" };
  const from = unitsAt(text, match.offset - offset);
  const to = unitsAt(text, match.offset + match.chars - offset);
  return { before: text.slice(0, from), found: text.slice(from, to), after: text.slice(to) };
}

/** The UTF-16 place of the `count`th code point, or the text's end. */
function unitsAt(text: string, count: number): number {
  let units = 0;
  let seen = 0;
  for (const character of text) {
    if (seen >= count) break;
    units += character.length;
    seen++;
  }
  return units;
}

const PIECE_UNITS = 16_000;
const MOST_PIECES = 4; // a window has two at most: a mistake of the host must not freeze the view

/** A text in pieces that can be shown, none of which ends with half a character. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length && pieces.length < MOST_PIECES; ) {
    let end = Math.min(text.length, from + PIECE_UNITS);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
    pieces.push(text.slice(from, end));
    from = end;
  }
  return pieces;
}
