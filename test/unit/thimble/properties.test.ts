/** The acceptance invariants of seed 003 that quantify: for every integer, text, mode and question. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { LimitMode, NamedIntent } from "../../../src/schema/policy";
import { sharedTest } from "../../support/sharedData";
import { ask, policyWith } from "../../support/thimble";

const CEILING = 10;
const LOWEST = 1;
const HIGHEST_LEGAL = 2n ** 63n - 1n;
const POLICY = policyWith({ argument: "/options/per_page", maximum: CEILING, range: { minimum: LOWEST } });

/** A small fixed generator (mulberry32), so that the 2000 integers are the same everywhere. */
function* integers(count: number, seed: number): Generator<bigint> {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return BigInt((t ^ (t >>> 14)) >>> 0);
  };
  for (let i = 0; i < count; i++) yield ((next() << 32n) | next()) >> (next() % 65n); // every magnitude up to 2^64
}

const countIn = (text: string): bigint => BigInt(/"per_page":\s*(\d+)/.exec(text)?.[1] ?? "-1");

suite("thimble/properties", () => {
  test("Monotonicity and Determinism: 2000 seeded integers to 2^64: lower or equal, at most the ceiling in range, one token, idempotent", () => {
    let clamped = 0;
    for (const requested of integers(2000, 20_260_818)) {
      const text = `{"q":"é😀","options":{"n":9007199254740993, "per_page": ${requested}}}`;
      const decision = ask(text, POLICY);
      const effective = decision.effectiveArguments ?? text;
      const count = countIn(effective);
      assert.ok(count <= requested, `${requested} was raised to ${count}`);
      const isInRange = requested >= BigInt(LOWEST) && requested <= HIGHEST_LEGAL;
      if (isInRange) assert.ok(count <= BigInt(CEILING), `${requested} stayed ${count}`);
      else assert.equal(effective, text);
      assert.equal(effective, text.replace(`"per_page": ${requested}`, `"per_page": ${count}`));
      assert.equal(ask(effective, POLICY).effectiveArguments, null, "twice is a no-op");
      assert.deepEqual(ask(text, POLICY), decision, "same input, same decision");
      for (const { from, to } of decision.proposal.changes) {
        assert.equal(String(from), String(requested));
        assert.equal(BigInt(to), count);
        clamped++;
      }
    }
    assert.ok(clamped > 1000, `${clamped} clamps prove little`);
  });

  const questions = fc.record({
    mode: fc.constantFrom(...LimitMode.options),
    hardMaximum: fc.option(fc.integer({ min: 1, max: 200 })),
    intent: fc.option(fc.constantFrom(...NamedIntent.options)),
    exemptions: fc.array(fc.record({ id: fc.string(), tool: fc.constantFrom("search", "other", null) }), {
      maxLength: 2,
    }),
    toolReadOnly: fc.option(fc.boolean()),
    schemaMismatch: fc.boolean(),
  });
  const contracts = fc.record(
    {
      maximum: fc.integer({ min: 1, max: 300 }),
      minimum: fc.integer({ min: 0, max: 300 }),
      range: fc.record({
        minimum: fc.integer({ min: -5, max: 5 }),
        maximum: fc.integer({ min: 1, max: 400 }),
      }),
      mode: fc.constantFrom(...LimitMode.options),
      safe_to_reduce: fc.boolean(),
      read_only: fc.boolean(),
    },
    { requiredKeys: [] },
  );

  test("Monotonicity: no question, contract or integer makes a count larger", () => {
    fc.assert(
      fc.property(
        questions,
        contracts,
        fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }),
        (fields, contract, requested) => {
          const text = `{"limit":${requested}}`;
          const { effectiveArguments, proposal } = ask(text, policyWith(contract), fields);
          if (effectiveArguments === null) {
            assert.equal(proposal.decision, "pass");
            assert.deepEqual(proposal.changes, []);
            assert.equal(proposal.effectiveSha256, proposal.originalSha256);
            return;
          }
          const effective = BigInt(/-?\d+/.exec(effectiveArguments)?.[0] ?? "");
          assert.ok(effective < requested, `${requested} became ${effective}`);
          assert.ok(
            effective >= BigInt(Math.max(contract.minimum ?? 0, contract.range?.minimum ?? 0)),
            "below the floor",
          );
          assert.equal(proposal.mode, "enforce");
          if (
            fields.hardMaximum !== null &&
            fields.hardMaximum > (contract.minimum ?? 0) &&
            fields.hardMaximum > 5
          ) {
            assert.ok(effective <= BigInt(fields.hardMaximum), "above the hard maximum");
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  test("Fail-safe: any text is decided without a throw, and only a JSON text is ever changed", () => {
    const pieces = fc.constantFrom(
      '{"limit":',
      "500",
      "}",
      "{",
      ",",
      '"limit":',
      "[",
      "]",
      '"',
      "\\",
      "-",
      ".5",
      "e9",
      " ",
      "\ufeff",
      "null",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 9 }), (parts) => {
        const text = parts.join("");
        const { effectiveArguments } = ask(text, policyWith({}));
        if (effectiveArguments === null) return;
        const before: unknown = JSON.parse(text);
        assert.deepEqual(JSON.parse(effectiveArguments), { ...(before as object), limit: 10 });
      }),
      { numRuns: 5000 },
    );
  });

  test("Fail-safe: off and observe never change a byte, whatever else is asked", () => {
    fc.assert(
      fc.property(questions, fc.nat(), (fields, count) => {
        const mode = fields.mode === "enforce" ? "observe" : fields.mode;
        assert.equal(ask(`{"limit":${count}}`, policyWith({}), { ...fields, mode }).effectiveArguments, null);
      }),
    );
  });

  sharedTest(
    "Fail-safe: every file of JSONTestSuite as arguments, alone, before, after and beside a count, and as the count: no throw, and at most the one token changes",
    ["suites/JSONTestSuite/test_parsing"],
    (folder) => {
      const policy = policyWith({});
      let clamped = 0;
      for (const name of readdirSync(folder)) {
        const content = readFileSync(join(folder, name), "utf8");
        assert.equal(ask(content, policy).effectiveArguments, null, name); // no file has a /limit of its own
        if (/\S/.test(content)) {
          for (const text of [`{"limit":500}${content}`, `${content}{"limit":500}`]) {
            assert.equal(ask(text, policy).effectiveArguments, null, `${name}: two texts in one`);
          }
        }
        const asCount = ask(`{"limit":${content}}`, policy);
        if (asCount.effectiveArguments !== null) {
          assert.match(content, /^\s*[1-9]\d+\s*$/, name);
          assert.equal(asCount.effectiveArguments, `{"limit":${content.replace(/\d+/, "10")}}`, name);
        }
        const beside = [
          (count: number) => `{"x":${content},"limit":${count}}`,
          (count: number) => `{ "limit" : ${count} , "x":[${content}] }`,
        ];
        for (const [i, text] of beside.entries()) {
          const { effectiveArguments } = ask(text(500), policy);
          if (effectiveArguments === null) {
            assert.ok(
              !name.startsWith("y_"),
              `${name} in place ${i}: valid beside a count of 500, and not lowered`,
            );
            continue;
          }
          assert.equal(effectiveArguments, text(10), name);
          assert.ok(!name.startsWith("n_") || isWhole(text(500)), name);
          clamped++;
        }
      }
      assert.ok(clamped > 180, `${clamped} clamps prove little`);
    },
  );
});

/** Some refused files are valid inside other text (`1,"a":2`, or nothing at all in a list). */
function isWhole(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
