/** Where an exact replacement lands in a text. Pure. */
import { lineAt } from "./lineRange";

export type EditPlan =
  | { readonly kind: "replaces"; readonly after: string; readonly line: number }
  | { readonly kind: "not_found"; readonly hint: string }
  | { readonly kind: "ambiguous"; readonly count: number; readonly lines: readonly number[] }; // the first ten lines

const MAX_LINES = 10;

/** Replaces the one place where `oldText` (not empty) stands in `before`. Places that overlap count as several. */
export function planEdit(before: string, oldText: string, newText: string): EditPlan {
  let at = -1;
  let count = 0;
  const lines: number[] = [];
  for (const place of placesOf(before, oldText)) {
    if (count++ === 0) at = place;
    if (lines.length < MAX_LINES) lines.push(lineAt(before, place));
  }
  if (count === 0) return { kind: "not_found", hint: hintFor(before, oldText) };
  if (count > 1) return { kind: "ambiguous", count, lines };
  return {
    kind: "replaces",
    after: before.slice(0, at) + newText + before.slice(at + oldText.length),
    line: lineAt(before, at),
  };
}

function hintFor(before: string, oldText: string): string {
  const newlines = (text: string) => text.replace(/\r\n?/g, "\n");
  if (!placesOf(newlines(before), newlines(oldText)).next().done) {
    const style = before.includes("\r\n") ? "CRLF (\\r\\n)" : before.includes("\r") ? "CR (\\r)" : "LF (\\n)";
    return `It differs from the file only in its line ends: the file uses ${style}. Repeat the call with those, in newText too.`;
  }
  const line = looseLine(before, oldText);
  if (line !== null) {
    return `At line ${line} stands a passage that differs only in white space. Read it again and copy it exactly.`;
  }
  return "Read the file again and copy the passage exactly, white space included.";
}

/** The first line at which the wanted lines stand when white space around and within them is not looked at. */
function looseLine(before: string, oldText: string): number | null {
  const loose = (text: string) => text.split(/\r\n|\r|\n/).map((line) => line.trim().replace(/\s+/g, " "));
  const wanted = loose(oldText.trim());
  if (wanted.join("") === "") return null;
  const lines = loose(before);
  const { value: place } = placesOf(lines, wanted).next();
  return place === undefined ? null : place + 1;
}

/**
 * Where `part` (not empty) stands in `whole`, overlaps included, by Knuth, Morris and Pratt: text that repeats itself
 * costs no more than its length. `indexOf` would compare each place anew and hang the host for minutes.
 */
function* placesOf<T>(whole: ArrayLike<T>, part: ArrayLike<T>): Generator<number, undefined> {
  const borders = new Int32Array(part.length); // per prefix: the longest shorter prefix that it also ends with
  for (let i = 1, matched = 0; i < part.length; i++) {
    while (matched > 0 && part[i] !== part[matched]) matched = borders[matched - 1] as number;
    if (part[i] === part[matched]) matched++;
    borders[i] = matched;
  }
  for (let i = 0, matched = 0; i < whole.length; i++) {
    while (matched > 0 && whole[i] !== part[matched]) matched = borders[matched - 1] as number;
    if (whole[i] === part[matched]) matched++;
    if (matched < part.length) continue;
    yield i - part.length + 1;
    matched = borders[matched - 1] as number;
  }
  return undefined;
}
