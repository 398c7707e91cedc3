/** Looking for a text in stored content: in any case, whatever its characters, wherever the stretches that are read end. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Found, NextMatch, nextIn } from "../../../src/claims/nextMatch";
import { charLength, inOneCase } from "../../../src/schema/text";

const UNITS = [
  "a",
  "A",
  "b",
  ".",
  "*",
  "-",
  "[",
  "\\",
  "(",
  "?",
  "^",
  "$",
  "/",
  "\n",
  "Σ",
  "ς",
  "é",
  "É",
  "🌊",
  "\0",
];
const anyText = (maxLength: number) =>
  fc.array(fc.constantFrom(...UNITS), { maxLength }).map((units) => units.join(""));
/** A content, and what is looked for: often a part of it, in another case. */
const anySearch = fc
  .tuple(anyText(60), anyText(4), fc.nat(60), fc.integer({ min: 1, max: 6 }))
  .map(([content, other, at, length]) => {
    const part = [...content]
      .slice(at, at + length)
      .join("")
      .toUpperCase();
    return { content, needle: part || other || "a" };
  });

/** Slowly: every place is tried, a character at a time. None of these changes its length with its case. */
function slowly(content: string, needle: string, from: number): Found | null {
  const [all, wanted] = [[...inOneCase(content)], [...inOneCase(needle)]];
  for (let at = from; at + wanted.length <= all.length; at++)
    if (wanted.every((one, i) => all[at + i] === one)) return { offset: at, chars: wanted.length };
  return null;
}

test("for every text and place: what stands there next, in characters, in any case, and no character of the needle is a pattern", () => {
  fc.assert(
    fc.property(anySearch, fc.nat(70), ({ content, needle }, from) => {
      assert.deepEqual(nextIn(content, needle, from), slowly(content, needle, from));
    }),
    { numRuns: 2000 },
  );
  assert.deepEqual(nextIn("🌊 Read-Only (a.b)", "read-only (A.B)", 0), { offset: 2, chars: 15 });
});

test("fed in stretches that are cut anywhere between characters, the same is found", () => {
  fc.assert(
    fc.property(anySearch, fc.nat(30), fc.integer({ min: 1, max: 9 }), ({ content, needle }, from, size) => {
      const all = [...content];
      const next = new NextMatch(needle, from);
      let found: Found | null = null;
      const first = Math.floor(Math.min(from, all.length) / size) * size; // the stretch that has `from`
      for (let at = first; at < all.length && !found; at += size)
        found = next.feed({
          text: all.slice(at, at + size).join(""),
          startChar: at,
          totalChars: charLength(content),
        });
      assert.deepEqual(found, slowly(content, needle, from));
    }),
    { numRuns: 2000 },
  );
});
