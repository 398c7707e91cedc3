/** The grid of seed 004: the three policies beside ours come out as published, so that what is held against them is theirs. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { run } from "../../../bench/coverage";
import { decode } from "../../../bench/coverage/decode";

test("the baselines are as published; ours is valid, within budget and exact everywhere, near the fewest pages", async () => {
  const { json } = await run();
  const { baselines, coverage, adversarial_passed } = json as Record<string, Record<string, number>>;
  assert.deepEqual(baselines, {
    byte_prefix: { valid: 120, within_budget: 512, exact: 120 },
    char_prefix: { valid: 160, within_budget: 208, exact: 160 },
    record_prefix: { valid: 512, within_budget: 512, exact: 120 },
  });
  const { valid, within_budget, exact, pages_max } = coverage ?? {};
  assert.deepEqual([valid, within_budget, exact, pages_max, adversarial_passed], [512, 512, 512, 128, 11]);
  const { pages_mean = 99, pages_lower_bound = 0, reads_mean = 99, transferred_ratio = 99 } = coverage ?? {};
  assert.ok(pages_mean <= 12.3 && pages_lower_bound >= 9.6 && pages_lower_bound <= 9.8);
  assert.ok(reads_mean <= 16.51 && transferred_ratio <= 1.055);
});

const ENVELOPE = {
  snapshot: "0123456789abcdef",
  source: { status: "ok" },
  total: 2,
  returned: 1,
  remaining: 1,
  complete: false as unknown,
  cursor: "@2" as string | null,
  records: [1],
  references: [],
};
const second = { ...ENVELOPE, remaining: 0, complete: true, cursor: null, records: [2] };

/** What the decoder makes of two pages: the records, or why it refuses. */
const decoded = (...pages: readonly object[]): Promise<string> =>
  decode({
    page: async (cursor) => JSON.stringify(pages[cursor === null ? 0 : 1] ?? null),
    record: async () => null,
    sha256: () => "",
  }).then(
    ({ records }) => records.join(),
    (error: Error) => error.message,
  );

test("the decoder imports nothing, least of all what packed the pages", () => {
  assert.doesNotMatch(readFileSync("bench/coverage/decode.ts", "utf8"), /^import |import\(/m);
});

test("the decoder can fail: it refuses what is not as the contract says", async () => {
  assert.equal(await decoded(ENVELOPE, second), "1,2");
  assert.match(await decoded(ENVELOPE, ENVELOPE), /remaining does not fall/);
  assert.match(await decoded(ENVELOPE, { ...second, source: { status: "no" } }), /another snapshot, status/);
  assert.match(await decoded(ENVELOPE, { ...second, snapshot: "f".repeat(16) }), /another snapshot, status/);
  assert.match(await decoded({ ...ENVELOPE, complete: true }), /complete before the end/);
  assert.match(await decoded({ ...ENVELOPE, cursor: null }), /a cursor at the end/);
  assert.match(await decoded(ENVELOPE, { ...second, returned: 2 }), /returned/);
  assert.match(await decoded(ENVELOPE, { ...second, records: [], returned: 0 }), /missing|as many/);
  const { records, ...rest } = ENVELOPE;
  assert.match(await decoded({ records, ...rest }), /another order/);
});
