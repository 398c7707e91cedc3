/** CONFORMANCE §4: prices by model, what a request costs, and which results a cut takes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type Candidate,
  cacheProfileOf,
  contradicts,
  decideCut,
  expectedReads,
  type Moment,
  requestCost,
} from "../../../src/history/promptCache";
import { CachePrices, type CacheProfile } from "../../../src/schema/cost";

const ANTHROPIC = cacheProfileOf("copilot/claude-sonnet-4.5", {});
const UNKNOWN = cacheProfileOf("vendor/new", {});
const UNCACHED: CacheProfile = {
  name: "u",
  source: "setting",
  prices: { write: 1, read: 1, ttlSeconds: null },
};

test("a model's prices are found by a part of its id", () => {
  const names = (ids: string) => ids.split(" ").map((id) => cacheProfileOf(id, {}).name);
  assert.deepEqual(
    names("copilot/claude-sonnet-4.5 anthropic/x copilot/gpt-5 openai/o3-mini codex/codex-mini"),
    ["anthropic-5m", "anthropic-5m", "openai-auto", "openai-auto", "openai-auto"],
  );
  assert.deepEqual(
    names("ollama/gpt-oss:20b lmstudio/claude-like google/gemini-3-pro x/deepseek-v4 vendor/new scripted"),
    ["local", "local", "automatic", "automatic", "unknown", "unknown"],
  );
  assert.equal(UNKNOWN.prices, null);
});

test("a setting wins over the table, the longest part that fits over the others", () => {
  const one = { write: 2, read: 0.1, ttlSeconds: 3600 };
  const other = { write: 1, read: 0.5, ttlSeconds: null };
  const settings = { claude: one, "Claude-Opus": other };
  assert.deepEqual(cacheProfileOf("copilot/claude-opus-5", settings), {
    name: "Claude-Opus",
    source: "setting",
    prices: other,
  });
  assert.deepEqual(cacheProfileOf("copilot/claude-sonnet", settings).prices, one);
  assert.equal(cacheProfileOf("copilot/gpt-5", settings).source, "table");
});

test("what two replies in a row contradict is not believed, unless a setting says so", () => {
  assert.equal(cacheProfileOf("claude", {}, 1).source, "table");
  assert.deepEqual(cacheProfileOf("claude", {}, 2), {
    name: "anthropic-5m",
    source: "contradicted",
    prices: null,
  });
  assert.equal(
    cacheProfileOf("claude", { claude: { write: 1, read: 1, ttlSeconds: null } }, 2).source,
    "setting",
  );
});

test("a report contradicts a profile where much was to be cached and less than half of it is", () => {
  const after = (reusedTokens: number, idleSeconds: number, cachedTokens: number, profile = ANTHROPIC) =>
    contradicts(profile, { reusedTokens, idleSeconds }, cachedTokens);
  assert.deepEqual(
    [after(10_000, 10, 0), after(10_000, 10, 5000), after(10_000, 10, 5001)],
    [true, true, false],
  );
  assert.deepEqual([after(2000, 10, 0), after(10_000, 301, 0)], [false, false]); // too little; cold
  assert.deepEqual([after(10_000, 10, 0, UNKNOWN), after(10_000, 10, 0, UNCACHED)], [false, false]);
});

test("a request costs the read price of what stood before it, unless that has gone cold", () => {
  const size = { reusedTokens: 1000, totalTokens: 1400 };
  assert.equal(requestCost(ANTHROPIC, size, 300), 100 + 500);
  assert.equal(requestCost(ANTHROPIC, size, 300.5), 1750);
  assert.equal(requestCost(ANTHROPIC, size, null), 1750);
  assert.equal(requestCost(UNKNOWN, size, 10), 1400);
});

test("a result is needed again the more the longer it is, and the less the older", () => {
  assert.equal(expectedReads(1000, 0), 0.08);
  assert.equal(expectedReads(1000, 16), 0.04);
  assert.equal(expectedReads(1e6, 0), 0.8);
});

const MOMENT: Moment = {
  profile: ANTHROPIC,
  requests: 100,
  idleSeconds: 10,
  totalTokens: 50_000,
  spentTokens: 1e9,
  isOverflowing: false,
};
/** Freed, and what stands from its block on; never read back. */
const due = (freedTokens: number, tokensFromBlock: number, reads = 0): Candidate => ({
  freedTokens,
  tokensFromBlock,
  expectedReads: reads,
});
const chosen = (candidates: readonly Candidate[], change: Partial<Moment> = {}) => {
  const cut = decideCut(candidates, { ...MOMENT, ...change });
  return cut && `${cut.chosen.join(" ")} ${cut.rule} C${cut.freedTokens} S${cut.resentTokens}`;
};

test("M12 a suffix is cut where what it frees is worth more than what must be sent again", () => {
  assert.equal(chosen([due(1000, 40_000)]), null); // 100·0.1·1000 = 10 000 < 1.15·39 000
  assert.equal(chosen([due(5000, 40_000)]), "0 pays C5000 S35000");
  assert.equal(chosen([due(1000, 40_000), due(1000, 5000)]), "1 pays C1000 S4000");
  assert.equal(chosen([due(1000, 9000), due(1000, 5000)]), "0 1 pays C2000 S7000"); // all behind the first is free
});

test("M14 reading back is part of the price: what is likely to be needed again is left out of a cut, or stops it", () => {
  assert.equal(chosen([due(1000, 5000, 0.1)]), "0 pays C1000 S4000");
  assert.equal(chosen([due(1000, 5000, 0.9)]), null);
  assert.equal(chosen([due(1000, 9000), due(1000, 5000, 0.9)]), "0 pays C1000 S8000");
});

test("a cut costs no more at once than 4 % of what was spent", () => {
  assert.equal(chosen([due(1000, 5000)], { spentTokens: 115_000 }), "0 pays C1000 S4000");
  assert.equal(chosen([due(1000, 5000)], { spentTokens: 114_000 }), null);
});

test("cold, uncached, overflowing, unknown: what each cuts", () => {
  const small = [due(10, 40_000), due(10, 5000, 0.9)];
  assert.equal(chosen(small), null);
  assert.equal(chosen(small, { idleSeconds: 301 }), "0 cold C10 S39990");
  assert.equal(chosen(small, { profile: UNCACHED, requests: 1 }), "0 uncached C10 S39990");
  assert.equal(chosen(small, { isOverflowing: true }), "0 1 overflow C20 S39980");
  assert.equal(chosen(small, { profile: UNKNOWN, idleSeconds: 3600 }), null);
  assert.equal(chosen(small, { profile: UNKNOWN, idleSeconds: 3601 }), "0 1 cold C20 S39980");
  const local = cacheProfileOf("ollama/x", {});
  assert.equal(chosen([due(5000, 6000)], { profile: local, idleSeconds: 1e6 }), null); // reading costs nothing
});

test("of all suffixes the one taken is worth most, for any candidates", () => {
  const candidates = fc.array(
    fc.record({ freedTokens: fc.integer({ min: 1, max: 3000 }), gap: fc.integer({ min: 0, max: 3000 }) }),
    { minLength: 1, maxLength: 12 },
  );
  fc.assert(
    fc.property(candidates, fc.integer({ min: 1, max: 200 }), (given, requests) => {
      const behind = (at: number) =>
        given.slice(at).reduce((sum, { freedTokens, gap }) => sum + freedTokens + gap, 0);
      const all = given.map(({ freedTokens }, at) => due(freedTokens, behind(at)));
      const gains = all.map((first, at) => {
        const freed = all.slice(at).reduce((sum, one) => sum + one.freedTokens, 0);
        return requests * 0.1 * freed - 1.15 * (first.tokensFromBlock - freed);
      });
      const best = Math.max(...gains);
      const cut = decideCut(all, { ...MOMENT, requests });
      if (best <= 1e-6) assert.equal(cut, null);
      else assert.ok(Math.abs((gains[cut?.chosen[0] ?? -1] ?? Number.NaN) - best) < 1e-6);
    }),
  );
});

test("prices that a log could not keep the sums of are refused", () => {
  const prices = (write: number) => CachePrices.safeParse({ write, read: 0.1, ttlSeconds: null }).success;
  assert.deepEqual([0, 1.25, 1000, 1001, 1e300, -1, Number.NaN].map(prices), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  const most = requestCost(
    { name: "", source: "setting", prices: { write: 1000, read: 1000, ttlSeconds: null } },
    { reusedTokens: 0, totalTokens: 2_000_000 },
    null,
  );
  assert.ok(Number.isSafeInteger(most * 1_000_000)); // requests
});
