/** Texts cut for a row. */

/** At most so many UTF-16 code units, never half a character; what is left out is told by "…". */
export function firstChars(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHalf ? chars - 1 : chars)}…`;
}
