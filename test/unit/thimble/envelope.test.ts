/** CONFORMANCE §5, Response side: the envelope is judged on what came back: items, bytes, tokens, in that order, strictly above. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Dimension } from "../../../src/schema/branch";
import { exceededBy, responseRuleOf } from "../../../src/thimble/envelope";
import { policyFrom } from "../../../src/thimble/policy";
import { sha256 } from "../../support/hash";
import { artifactWith, contractWith, policyWith } from "../../support/thimble";

type Numbers = readonly [items: number | null, bytes: number | null, tokens: number | null];
const of = ([items, bytes, tokens]: Numbers) => ({ items, bytes, tokens });

const TABLE: readonly (readonly [Numbers, envelope: Numbers, expected: string | null])[] = [
  [[10, 100, 30], [10, 100, 30], null], // as large as it may be, in all of them
  [[11, 100, 30], [10, 100, 30], "items 11 over 10"],
  [[10, 101, 30], [10, 100, 30], "bytes 101 over 100"],
  [[10, 100, 31], [10, 100, 30], "tokens 31 over 30"],
  [[11, 101, 31], [10, 100, 30], "items 11 over 10"], // the first one is the reason
  [[10, 101, 31], [10, 100, 30], "bytes 101 over 100"],
  [[null, 101, 31], [10, 100, 30], "bytes 101 over 100"], // not counted is not large
  [[11, 100, 30], [null, 100, 30], null], // no limit
  [[11, 101, 31], [null, null, 30], "tokens 31 over 30"],
  [[11, 101, 31], [null, null, null], null],
  [[0, 0, 0], [1, 1, 1], null],
];

suite("thimble/envelope", () => {
  test("items, bytes, tokens, in that order, strictly above: the first one exceeded is the reason", () => {
    for (const [sizes, envelope, expected] of TABLE) {
      const found = exceededBy(of(sizes), of(envelope));
      const picture = found && `${found.dimension} ${found.actual} over ${found.limit}`;
      assert.equal(picture, expected, JSON.stringify([sizes, envelope]));
    }
  });

  test("any sizes and limits: exceeded is the first dimension above its limit, and null where none is (property)", () => {
    const size = fc.option(fc.nat(50));
    const numbers = fc.record({ items: size, bytes: size, tokens: size });
    fc.assert(
      fc.property(numbers, numbers, (sizes, envelope) => {
        const above = Dimension.options.filter((dimension) => {
          const [actual, limit] = [sizes[dimension], envelope[dimension]];
          return actual !== null && limit !== null && actual > limit;
        });
        assert.equal(exceededBy(sizes, envelope)?.dimension, above[0]);
      }),
    );
  });

  test("the items of an envelope: contract ceiling, else the policy's default, never above the hard maximum", () => {
    const policy = policyWith(
      { maximum: 50 },
      {
        tool: "two",
        argument: "/a",
        maximum: 5,
        items: "/rows",
        continuation: { kind: "rerun", result: "/next" },
      },
      { tool: "two", argument: "/b", maximum: 8, items: "/rows" },
      { tool: "torn", argument: "/a", items: "/rows" },
      { tool: "torn", argument: "/b", items: "/hits" },
      { tool: "unsafe", maximum: 3, safe_to_reduce: false, items: "/rows" },
    );
    const rule = (tool: string, hard: number | null = null) =>
      Object.values(responseRuleOf({ tool }, policy, hard));
    assert.deepEqual(rule("search"), [50, null, null]);
    assert.deepEqual(rule("search", 20), [20, null, null]);
    assert.deepEqual(rule("search", 90), [50, null, null]);
    assert.deepEqual(rule("unknown"), [10, null, null]);
    assert.deepEqual(rule("two"), [8, "/rows", "/next"]);
    assert.deepEqual(rule("torn"), [10, null, null]); // two places are none
    assert.deepEqual(rule("unsafe"), [10, null, null]); // a contract that may not act says nothing
    const other = policyFrom(artifactWith([contractWith()], { default_budget: { items: 3 } }), sha256);
    assert.equal(responseRuleOf({ tool: "elsewhere" }, other).maximumItems, 3);
  });
});
