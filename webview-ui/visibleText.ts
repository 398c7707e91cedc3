// The inspector's browser side: text of unknown origin, made visible. Nothing here is ever read as markup.

/** A run of text; `isEscape` marks what stands for characters that would not show, or would move others. */
export type Segment = { readonly text: string; readonly isEscape: boolean };

/**
 * What must not reach the screen as it is: control characters but line feed and tab, soft hyphens, zero-width spaces,
 * bidirectional marks and overrides, line and paragraph separators, annotations, tags and variation selectors (which
 * carry hidden text), lone surrogates. The joiners that emoji and several scripts need stay.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** More than this is never put on a page: the host sends less, and a mistake of the host must not freeze the view. */
const MAXIMUM_UNITS = 20_000;

function shownFor(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code); // ␀ … ␛ … ␟
  if (code === 0x7f) return "␡";
  return `⟦U+${code.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

/** `text` in runs, at most 20,000 UTF-16 code units of it. */
export function visibleSegments(text: string): Segment[] {
  const given = startOf(text, MAXIMUM_UNITS);
  const segments: Segment[] = [];
  let at = 0;
  for (const match of given.matchAll(UNSEEN)) {
    if (match.index > at) segments.push({ text: given.slice(at, match.index), isEscape: false });
    const previous = segments.at(-1);
    const shown = shownFor(match[0]);
    if (previous?.isEscape) segments[segments.length - 1] = { text: previous.text + shown, isEscape: true };
    else segments.push({ text: shown, isEscape: true });
    at = match.index + match[0].length;
  }
  if (at < given.length) segments.push({ text: given.slice(at), isEscape: false });
  if (given.length < text.length) segments.push({ text: "…", isEscape: true });
  return segments;
}

/** `text` as one short line for a row: white space folded, the unseen visible, at most `units` long. */
export function oneLine(text: string, units = 160): string {
  const folded = startOf(text, units * 4)
    .replace(/\s+/gu, " ")
    .trim();
  const line = visibleSegments(startOf(folded, units))
    .map((segment) => segment.text)
    .join("");
  return folded.length > units || text.length > units * 4 ? `${line.trimEnd()}…` : line;
}

/** The first `units` code units, without half a character at the end. */
function startOf(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

/**
 * JSON with one value per line, or the text as it is where it is not JSON. Only white space between tokens changes:
 * a number of twenty digits stays the number that the model wrote.
 */
export function prettyJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text; // not JSON, or cut by the host: shown as it came
  }
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu)) {
    if (token === "{" || token === "[") {
      depth++;
      out += token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      out = /[{[]\s*$/.test(out) ? out.trimEnd() + token : out + line() + token;
    } else if (token === ",") out += token + line();
    else out += token === ":" ? ": " : token;
  }
  return out;
}
