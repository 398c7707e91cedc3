/** Rows of cells as lines of equal columns. What models and servers wrote is made harmless for a terminal. */

/** Control characters, other line ends, and what turns the direction of writing: "\x1b", "\u202e". */
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

/** Such characters are shown, not sent: what a model or a file wrote must not steer the reader's terminal. */
export const harmless = (text: string): string =>
  text.replace(STEERING, (found) => {
    const code = found.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code}`;
  });

/** The same for text of several lines: these and tabs stay. */
export const harmlessLines = (text: string): string => text.replace(/[^\n\t]+/g, harmless);

export function columns(rows: readonly (readonly string[])[]): string[] {
  const safe = rows.map((row) => row.map(harmless));
  const widths = (safe[0] ?? []).map((_, i) => Math.max(...safe.map((row) => (row[i] ?? "").length)));
  return safe.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
