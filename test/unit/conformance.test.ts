// test: every case of the claim check's rules (C1 to C29) has a test whose title names it.
import assert from "node:assert/strict";
import { allTitles } from "../support/namedTests";

const CASES = Array.from({ length: 29 }, (_, n) => `C${n + 1}`);

test("every case C1 to C29 is named by a test, and no title names a case that the rules do not have", () => {
  const named = new Set(allTitles().flatMap((title) => title.match(/\bC\d+\b/g) ?? []));
  assert.deepEqual([...named].sort(), [...CASES].sort());
});
