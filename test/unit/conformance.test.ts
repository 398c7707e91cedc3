// test: every case of the claim check's rules (C1 to C29) has a test whose title names it.
import assert from "node:assert/strict";
import { allTitles } from "../support/namedTests";

const CASES = Array.from({ length: 29 }, (_, n) => `C${n + 1}`);

/** Cases without a test yet, and why. A case that has one does not belong here. */
const WITHOUT: Readonly<Record<string, string>> = {};

test("every case C1 to C29 is named by a test, or is on the list of those that wait", () => {
  const named = new Set(allTitles().flatMap((title) => title.match(/\bC\d+\b/g) ?? []));
  const missing = CASES.filter((id) => !named.has(id) && !(id in WITHOUT));
  assert.deepEqual(missing, [], "no test names them");
});

test("no title names a case that the rules do not have, and each exception has its reason", () => {
  const named = new Set(allTitles().flatMap((title) => title.match(/\bC\d+\b/g) ?? []));
  assert.deepEqual(
    [...named].filter((id) => !CASES.includes(id)),
    [],
  );
  for (const [id, reason] of Object.entries(WITHOUT)) assert.ok(CASES.includes(id) && reason.length > 20);
});
