/** Looking backwards for a text in stored content: in any case, whatever its characters, wherever the stretches that are read end. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Found } from "../../../src/claims/nextMatch";
import { PreviousMatch, previousIn } from "../../../src/claims/previousMatch";
import { charLength, inOneCase } from "../../../src/schema/text";

const UNITS = ["a", "A", "b", ".", "*", "[", "\\", "$", "\n", "Σ", "ς", "é", "É", "🌊", "\0"];
const anyText = (maxLength: number) =>
  fc.array(fc.constantFrom(...UNITS), { maxLength }).map((units) => units.join(""));
/** A content, and what is looked for: often a part of it, in another case. */
const anySearch = fc
  .tuple(anyText(60), anyText(4), fc.nat(60), fc.integer({ min: 1, max: 6 }))
  .map(([content, other, at, length]) => {
    const part = [...content].slice(at, at + length);
    return { content, needle: part.join("").toUpperCase() || other || "a" };
  });

/** Slowly: every place is tried, a character at a time, from the last one that leaves room. */
function slowly(content: string, needle: string, before: number): Found | null {
  const [all, wanted] = [[...inOneCase(content)], [...inOneCase(needle)]];
  for (let at = Math.min(before, all.length) - wanted.length; at >= 0; at--)
    if (wanted.every((one, i) => all[at + i] === one)) return { offset: at, chars: wanted.length };
  return null;
}

test("for every text and place: what stands there last, whole before the place, in characters and in any case", () => {
  fc.assert(
    fc.property(anySearch, fc.nat(70), ({ content, needle }, before) => {
      assert.deepEqual(previousIn(content, needle, before), slowly(content, needle, before));
    }),
    { numRuns: 2000 },
  );
});

test("fed backwards in stretches that are cut anywhere between characters, the same is found", () => {
  fc.assert(
    fc.property(
      anySearch,
      fc.nat(70),
      fc.integer({ min: 1, max: 9 }),
      ({ content, needle }, before, size) => {
        const all = [...content];
        const previous = new PreviousMatch(needle, before);
        let found: Found | null = null;
        const last = Math.floor(Math.min(before, Math.max(0, all.length - 1)) / size) * size; // the stretch that has `before`
        for (let at = last; at >= 0 && !found; at -= size)
          found = previous.feed({
            text: all.slice(at, at + size).join(""),
            startChar: at,
            totalChars: charLength(content),
          });
        assert.deepEqual(found, slowly(content, needle, before));
      },
    ),
    { numRuns: 2000 },
  );
});

test("content that matches everywhere is read back match by match; one that lies across two blocks is found", () => {
  const everywhere = `${"aA😀".repeat(20_000)}b`;
  for (const needle of ["aa😀", "😀A", "a"])
    for (const before of [60_001, 60_000, 59_998, 30_000, 3, 1])
      assert.deepEqual(previousIn(everywhere, needle, before), slowly(everywhere, needle, before));
  for (let shift = 0; shift <= 10; shift++) {
    const content = `x${"🌊needle🌊"}${"x".repeat(16_384 - shift)}`;
    const found = previousIn(content, "🌊Needle🌊", charLength(content));
    assert.deepEqual(found, { offset: 1, chars: 8 }, `${shift} units into the block`);
  }
});
