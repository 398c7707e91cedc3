/**
 * Text on either side of the boundary, and how it is measured.
 * Units: chars = Unicode code points, bytes = UTF-8 bytes (CONFORMANCE, head).
 */
declare const side: unique symbol;

/** Tool output as it came. It must not be logged, stored or sent. */
export type RawText = string & { readonly [side]: "raw" };

/** Text that has crossed the boundary and redaction: the only kind that may be stored (CONFORMANCE §0.1). */
export type SafeText = string & { readonly [side]: "safe" };

export const asRaw = (text: string): RawText => text as RawText;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Code points in `text`; a lone surrogate counts as one. */
export function charLength(text: string): number {
  let pairs = 0;
  for (let i = 1; i < text.length; i++) {
    if (isLow(text.charCodeAt(i)) && isHigh(text.charCodeAt(i - 1))) pairs++;
  }
  return text.length - pairs;
}

/** UTF-8 bytes of `text`; a lone surrogate counts as the three bytes of U+FFFD. */
export function byteLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(i + 1))) {
      bytes += 2; // four bytes for two code units
      i++;
    } else bytes += 2;
  }
  return bytes;
}

/** Lines: what stands between line breaks (LF, CRLF, CR); a break at the end begins no other. 0 for empty text. */
export function lineCount(text: string): number {
  if (text === "") return 0;
  let lines = 1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) lines++;
  }
  const last = text.charCodeAt(text.length - 1);
  return last === 10 || last === 13 ? lines - 1 : lines;
}

/** The code-unit index at which the code point number `chars` starts, counted from code unit `from`. */
export function indexOfChar(text: string, chars: number, from = 0): number {
  let index = from;
  for (let left = chars; left > 0 && index < text.length; left--) {
    index += isHigh(text.charCodeAt(index)) && isLow(text.charCodeAt(index + 1)) ? 2 : 1;
  }
  return index;
}

/** What two texts have in common that differ in case only. Not for people: it is no text of its own. */
export const inOneCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");
