/** CONFORMANCE §1, retrieval: windows are the content, in order and whole, wherever reading starts. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { WINDOW_CHARS, windowOf } from "../../../src/claims/window";
import { charLength, indexOfChar } from "../../../src/schema/text";
import { unbreakableText, wholeSequences } from "../../support/texts";

test("C11 windows of 4 over ten characters: within, across and past the end", () => {
  const cases: [number, string, number | null][] = [
    [0, "abcd", 4],
    [4, "efgh", 8],
    [8, "ij", null],
    [10, "", null],
    [99, "", null],
  ];
  for (const [offset, text, next] of cases) {
    const window = windowOf("abcdefghij", offset, 4);
    assert.deepEqual(window, { text, offset, chars: text.length, totalChars: 10, next }, `at ${offset}`);
  }
});

test("C20 an offset inside a sequence is read from its start", () => {
  const cases: [string, number, number][] = [
    ["e\u0301abc", 1, 0],
    ["abe\u0301c", 3, 2],
    ["ab\r\nc", 3, 2],
    ["ab\x1b[31mc", 4, 2],
    ["👍🏽a", 1, 0],
    ["ab👩\u200d🚀", 4, 2],
    ["😀😀", 1, 1],
  ];
  for (const [content, asked, offset] of cases)
    assert.equal(windowOf(content, asked).offset, offset, content);
});

/** Every window read from `offset` on, by `next` alone. */
function readOn(content: string, offset: number, chars: number) {
  const windows = [windowOf(content, offset, chars)];
  for (let last = windows[0]; last && last.next !== null; last = windows.at(-1)) {
    assert.equal(last.next, last.offset + last.chars);
    assert.ok(last.next > last.offset, "reading on moves forward");
    windows.push(windowOf(content, last.next, chars));
  }
  return windows;
}

test("C20 windows of every size, from every offset, concatenate to the content from there on", () => {
  fc.assert(
    fc.property(unbreakableText(), (content) => {
      const total = charLength(content);
      for (const chars of [1, 2, 3, 4, 5, 7, 11, 16, 64, 65, 4096]) {
        for (let offset = 0; offset <= total; offset += chars < 8 ? 3 : 1) {
          const windows = readOn(content, offset, chars);
          const first = windows[0]?.offset ?? 0;
          assert.equal(windows.map(({ text }) => text).join(""), content.slice(indexOfChar(content, first)));
          assert.ok(first <= offset && windows.every((window) => window.chars <= chars));
        }
      }
    }),
    { numRuns: 150 },
  );
});

test("C20 no window starts or ends inside a sequence that fits into one", () => {
  fc.assert(
    fc.property(
      unbreakableText(),
      fc.integer({ min: 24, max: 40 }),
      fc.nat(300),
      (content, chars, offset) => {
        const cuts = wholeSequences(content); // the longest piece has 26 code units
        for (const window of readOn(content, Math.min(offset, charLength(content)), Math.max(26, chars))) {
          const start = indexOfChar(content, window.offset);
          assert.ok(cuts.has(start) && cuts.has(start + window.text.length), JSON.stringify(window.text));
          assert.ok(window.text.isWellFormed());
        }
      },
    ),
    { numRuns: 1000 },
  );
});

test("C20 a sequence longer than a window is read through all the same", () => {
  for (const content of [
    `ab${"\u0301".repeat(500)}cd`,
    `ab\x1b]0;${"t".repeat(500)}\x07cd`,
    "\u0301".repeat(300),
    "\r\n".repeat(5),
  ]) {
    for (const chars of [1, 4, 63, 64, 100])
      assert.equal(
        readOn(content, 0, chars)
          .map(({ text }) => text)
          .join(""),
        content,
      );
  }
});

test("C18 C24 a single line of 4 MB comes back in windows of at most 4096 characters", () => {
  const content = "0123456789abcde 😀".repeat(250_000);
  const windows = [0, 4096, 1_000_000, 4_249_999].map((offset) => windowOf(content, offset));
  assert.deepEqual(
    windows.map(({ offset, chars, next }) => [offset, chars, next]),
    [
      [0, 4096, 4096],
      [4096, 4096, 8192],
      [1_000_000, 4096, 1_004_096],
      [4_249_999, 1, null],
    ],
  );
  assert.ok(WINDOW_CHARS <= 4096);
});
