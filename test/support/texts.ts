// test/support: texts made of sequences that must not be cut, and where such texts may be cut. Written without the code under test.
import fc from "fast-check";

const WHOLE = [
  "a",
  "Z",
  " ",
  "\n",
  "\r\n",
  "\t",
  ".",
  "\u0000",
  "é",
  "文",
  "😀",
  "e\u0301",
  "e\u0301\u0323\u20dd",
  "👍🏽",
  "👩\u200d🚀",
  "❤\ufe0f",
  "\x1b[31m",
  "\x1b[0;1;38;5;196m",
  "\x1b]0;title\x07",
  "\x1b]8;;https://example.org\x1b\\",
  "\x1b(B",
  "{",
  "]",
] as const;

/** Up to 40 pieces, each of which is one whole: joined they hold no other sequence. */
export const unbreakableText = (): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WHOLE), { maxLength: 40 }).map((pieces) => pieces.join(""));

/** Code-unit offsets between two whole pieces, 0 and the end included. */
export function wholeSequences(text: string): ReadonlySet<number> {
  const longestFirst = [...WHOLE].sort((a, b) => b.length - a.length);
  const ends = new Set([0]);
  for (let at = 0; at < text.length; ) {
    const piece = longestFirst.find((candidate) => text.startsWith(candidate, at));
    if (piece === undefined) throw new Error(`no piece at ${at}`);
    at += piece.length;
    ends.add(at);
  }
  return ends;
}
