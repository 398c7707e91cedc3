// test: every case of the rules of the claim check (C), pairing (P), budgets (B) and ageing (M) has a test whose title names it.
import assert from "node:assert/strict";
import { allTitles } from "../support/namedTests";

/** How many cases the rules have, by letter. */
const CASES = { C: 29, P: 18, B: 10, M: 14 } as const;

for (const [letter, count] of Object.entries(CASES)) {
  test(`every case ${letter}1 to ${letter}${count} is named by a test, and no title names a case that the rules do not have`, () => {
    const pattern = new RegExp(`\\b${letter}\\d+\\b`, "g");
    const named = new Set(allTitles().flatMap((title) => title.match(pattern) ?? []));
    const cases = Array.from({ length: count }, (_, n) => `${letter}${n + 1}`);
    assert.deepEqual([...named].sort(), cases.sort());
  });
}
