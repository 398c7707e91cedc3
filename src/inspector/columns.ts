/** Rows of cells as lines of equal columns. What models and servers wrote is made harmless for a terminal. */

/** Control characters are shown, not sent: what a model or a file wrote must not steer the reader's terminal. */
export const shownControl = (control: string): string =>
  `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`;

export const harmless = (text: string): string => text.replace(/\p{Cc}/gu, shownControl);

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
