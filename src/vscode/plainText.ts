/** Text of models, tools and files in places where VS Code would read marks in it: they are shown, never obeyed. */

const NOTICE_CHARS = 300;

/** For a notification: on one line, without links (a `command:` link would run), and short enough to be shown whole. */
export function inNotice(text: string): string {
  const line = text.replace(/\s+/g, " ").trim().replaceAll("](", "] (");
  const chars = [...line];
  return chars.length <= NOTICE_CHARS ? line : `${chars.slice(0, NOTICE_CHARS - 1).join("")}…`;
}

/** For a label of a list: on one line, and `$(name)` stays text instead of becoming an icon, or nothing. */
export function inLabel(text: string): string {
  return text.replace(/\s+/g, " ").replace(/\$\([\w-]+(?:~[\w-]+)?\)/g, "\\$&");
}

/** The last line that says something; empty where none does. */
export function lastLine(text: string): string {
  return (
    text
      .trimEnd()
      .split(/[\r\n]/)
      .at(-1)
      ?.trim() ?? ""
  );
}

/** Whether a person sees all of it on one line of a list, and nothing in it is drawn otherwise than it is. */
export function isPlainLine(text: string, maxChars: number): boolean {
  return text.length <= maxChars && /^[\p{L}\p{N}\p{P}\p{S} ]*$/u.test(text) && !/ {2}|^ | $/.test(text);
}
