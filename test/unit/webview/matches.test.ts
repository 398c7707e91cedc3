// test/unit/webview: from one row that was looked for to the next, around the ends.
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Match, matchAt, matchesOf, matchFrom } from "../../../webview-ui/matches";

const found = (...turns: readonly (readonly [at: number, ...names: string[]])[]) => ({
  turns: turns.map(([at, ...names]) => ({ at, keys: names.map((name) => `s/t${at + 1}/${name}`) })),
  total: turns.length,
  isCut: false,
});
const nameOf = (match: Match | null) => match?.key.slice(2) ?? null;

test("matches stand as their rows do", () => {
  const matches = matchesOf(found([4, "t5c0", "reply"], [1, "reply", "note1", "asked", "t2c0"]));
  assert.deepEqual(matches.map(nameOf), [
    "t2/asked",
    "t2/note1",
    "t2/reply",
    "t2/t2c0",
    "t5/reply",
    "t5/t5c0",
  ]);
});

test("from any other row the next is the first of its turn or after, the one before is of an earlier turn", () => {
  const matches = matchesOf(found([1, "reply"], [4, "asked", "reply"]));
  const from = (at: number | null, direction: "next" | "previous") =>
    nameOf(matchFrom(matches, { key: "s/other", at }, direction));
  assert.deepEqual(
    [from(null, "next"), from(1, "next"), from(2, "next"), from(5, "next")],
    ["t2/reply", "t2/reply", "t5/asked", "t2/reply"],
  );
  assert.deepEqual(
    [from(null, "previous"), from(4, "previous"), from(9, "previous")],
    ["t5/reply", "t2/reply", "t5/reply"],
  );
  assert.equal(matchFrom([], null, "next"), null);
});

test("for every number of matches: steps reach all of them once, and back again", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(300), { minLength: 1, maxLength: 30 }), (places) => {
      const matches = matchesOf(found(...places.map((at) => [at, "asked"] as const)));
      let spot: Match | null = null;
      const seen: number[] = [];
      for (const _ of places) {
        spot = matchFrom(matches, spot, "next");
        seen.push(matchAt(matches, spot));
      }
      assert.deepEqual(seen, [...places.keys()]);
      assert.equal(matchAt(matches, matchFrom(matches, spot, "next")), 0);
      assert.equal(matchAt(matches, matchFrom(matches, matches[0] ?? null, "previous")), places.length - 1);
    }),
  );
});
