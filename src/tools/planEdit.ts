/** Where an exact replacement lands in a text. Pure. */
import { lineAt } from "./lineRange";

export type EditPlan =
  | { readonly kind: "replaces"; readonly after: string; readonly line: number }
  | { readonly kind: "not_found"; readonly hint: string }
  | { readonly kind: "ambiguous"; readonly count: number; readonly lines: readonly number[] }; // the first ten lines

const MAX_LINES = 10;

/** Replaces the one place where `oldText` (not empty) stands in `before`. Places that overlap count as several. */
export function planEdit(before: string, oldText: string, newText: string): EditPlan {
  const at = before.indexOf(oldText);
  if (at === -1) return { kind: "not_found", hint: hintFor(before, oldText) };
  let count = 1;
  const lines = [lineAt(before, at)];
  for (let next = before.indexOf(oldText, at + 1); next !== -1; next = before.indexOf(oldText, next + 1)) {
    count++;
    if (lines.length < MAX_LINES) lines.push(lineAt(before, next));
  }
  if (count > 1) return { kind: "ambiguous", count, lines };
  return {
    kind: "replaces",
    after: before.slice(0, at) + newText + before.slice(at + oldText.length),
    line: lineAt(before, at),
  };
}

function hintFor(before: string, oldText: string): string {
  const newlines = (text: string) => text.replace(/\r\n?/g, "\n");
  if (newlines(before).includes(newlines(oldText))) {
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
  for (let i = 0; i + wanted.length <= lines.length; i++) {
    if (wanted.every((line, n) => lines[i + n] === line)) return i + 1;
  }
  return null;
}
