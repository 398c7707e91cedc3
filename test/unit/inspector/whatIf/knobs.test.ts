/** Knobs and settings: what is written is what was turned, under names that Settings has. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { root } from "../../../../scripts/bootstrap.mjs";
import { changesFor, knobsIn, knobsOf, settingsWith } from "../../../../src/inspector/whatIf/knobs";
import { CoreSettings, DEFAULT_SETTINGS } from "../../../../src/schema/settings";
import { SettingChange, WhatIfKnobs } from "../../../../src/schema/whatIf";

const CLAUDE = "copilot/claude-sonnet-4.5";
const { contributes } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
  contributes: { configuration: { properties: Record<string, { default: unknown }> } };
};

/** As the editor would read them once they are written. */
function applied(changes: readonly SettingChange[], before: CoreSettings): CoreSettings {
  const after = structuredClone(before) as unknown as Record<string, Record<string, unknown>>;
  for (const { setting, from, to } of changes) {
    assert.ok(setting in contributes.configuration.properties, `${setting} is no setting`);
    const [, section = "", name = ""] = setting.split(".");
    assert.deepEqual(after[section]?.[name], from);
    after[section] = { ...after[section], [name]: to };
  }
  return CoreSettings.parse(after);
}

const prices = fc.record(
  {
    write: fc.constantFrom(0, 1, 1.25),
    read: fc.constantFrom(0, 0.1, 1),
    ttlSeconds: fc.option(fc.constantFrom(300, 600)),
  },
  { noNullPrototype: true },
);
const knobs: fc.Arbitrary<WhatIfKnobs> = fc.record({
  thresholdChars: fc.integer({ min: 600, max: 50_000 }),
  headChars: fc.integer({ min: 1, max: 599 }),
  slack: fc.constantFrom(0, 0.25, 4),
  strategy: fc.constantFrom("off", "age", "cacheAware"),
  shortenAfterTurns: fc.integer({ min: 1, max: 9 }),
  clearAfterTurns: fc.integer({ min: 1, max: 9 }),
  minimumChars: fc.nat(9000),
  prices,
});
const profiles = fc
  .dictionary(fc.constantFrom("", "claude", "sonnet-4", "CLAUDE", "gpt", "x/y"), prices, {
    noNullPrototype: true,
  })
  .map((named) => JSON.parse(JSON.stringify(named)) as CoreSettings["ageing"]["cacheProfiles"]);

test("what Apply to Settings writes is what was turned, whatever stood there before (property)", () => {
  fc.assert(
    fc.property(
      knobs,
      knobs,
      profiles,
      fc.constantFrom(CLAUDE, "gpt-x", "ollama/x/y", "nobody"),
      (wanted, now, named, model) => {
        const current = settingsWith(now, {
          ...DEFAULT_SETTINGS,
          ageing: { ...DEFAULT_SETTINGS.ageing, cacheProfiles: named },
        });
        const changes = changesFor(wanted, current, model);
        for (const change of changes) assert.deepEqual(SettingChange.parse(change), change);
        const after = applied(changes, current);
        assert.deepEqual(knobsIn(after, model), WhatIfKnobs.parse(wanted));
        assert.deepEqual(changesFor(wanted, after, model), []);
      },
    ),
  );
});

test("nothing that was not turned is written; prices go under the model's name, or the part that names it", () => {
  const knobs = knobsIn(DEFAULT_SETTINGS, CLAUDE);
  assert.deepEqual(changesFor(knobs, DEFAULT_SETTINGS, CLAUDE), []);
  assert.deepEqual(
    changesFor({ ...knobs, thresholdChars: 8000, strategy: "age" }, DEFAULT_SETTINGS, CLAUDE),
    [
      { setting: "cloakroom.claimCheck.thresholdChars", from: 4096, to: 8000 },
      { setting: "cloakroom.ageing.strategy", from: "cacheAware", to: "age" },
    ],
  );
  const price = { write: 1, read: 0.5, ttlSeconds: null };
  const priced = { ...knobs, prices: price };
  const toOf = (cacheProfiles: CoreSettings["ageing"]["cacheProfiles"], model = CLAUDE) =>
    changesFor(
      priced,
      { ...DEFAULT_SETTINGS, ageing: { ...DEFAULT_SETTINGS.ageing, cacheProfiles } },
      model,
    ).find(({ setting }) => setting.endsWith("cacheProfiles"))?.to;
  assert.deepEqual(toOf({}), { "claude-sonnet-4.5": price });
  assert.deepEqual(toOf({ claude: knobs.prices ?? price }), { claude: price });
  assert.deepEqual([toOf({}, ""), toOf({ claude: price })], [undefined, undefined]);
});

test("knobs begin as the session was configured at last; a log without that, as shipped", () => {
  assert.deepEqual(knobsOf([]), {
    ...{ thresholdChars: 4096, headChars: 512, slack: 0.25 },
    ...{ strategy: "cacheAware", shortenAfterTurns: 2, clearAfterTurns: 4, minimumChars: 3000, prices: null },
  });
  assert.equal(WhatIfKnobs.safeParse({ ...knobsOf([]), headChars: 4096 }).success, false);
});
