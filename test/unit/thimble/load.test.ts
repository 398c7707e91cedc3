/** Policy files: the seed's loads as it stands, and every fault is told with its place. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { checkPolicy, loadPolicy } from "../../../src/thimble/load";
import { sha256 } from "../../support/hash";
import { sharedTest } from "../../support/sharedData";
import { artifactWith, contractWith } from "../../support/thimble";

const SEED_FILE = "seeds/003_76155ef82f5534e4.txt";

/** The artifact of seed 003 §Policy artifact, byte for byte. */
const SEED = `{
  "kind": "fak/tool-result-budget",
  "version": "1.0.0",
  "name": "thimble/default",
  "mode": "enforce",
  "default_budget": {"items": 10},
  "contracts": [
    {
      "tool": "github.search_issues",
      "argument": "/per_page",
      "dimension": "items",
      "maximum": 10,
      "minimum": 1,
      "safe_to_reduce": true
    }
  ],
  "on_unshapable_response": "micro_context"
}`;

const edited = (from: string, to: string): string => {
  assert.ok(SEED.includes(from), from);
  return SEED.replace(from, to);
};

/** Problems as pictures: severity, code and the text that they point at. */
const pictures = (text: string): string[] =>
  checkPolicy(text).problems.map(
    (p) => `${p.severity} ${p.code} ${text.slice(p.offset, p.offset + p.length)}`,
  );

const errors = (text: string): string[] => pictures(text).filter((line) => line.startsWith("error"));

suite("thimble/load", () => {
  test("the seed's artifact loads, pinned by its digest", () => {
    const loading = loadPolicy(SEED, sha256);
    assert.ok(loading.kind === "ok");
    assert.deepEqual([...loading.policy.contracts.keys()], ["github.search_issues"]);
    assert.deepEqual(loading.policy.artifact, JSON.parse(SEED));
    const { name, version, sha256: digest } = loading.policy.identity;
    const canonical =
      '{"contracts":[{"argument":"/per_page","dimension":"items","maximum":10,"minimum":1,"safe_to_reduce":true,' +
      '"tool":"github.search_issues"}],"default_budget":{"items":10},"kind":"fak/tool-result-budget",' +
      '"mode":"enforce","name":"thimble/default","on_unshapable_response":"micro_context","version":"1.0.0"}';
    assert.deepEqual([name, version, digest], ["thimble/default", "1.0.0", sha256(canonical)]);
    assert.equal(loading.policy.identity.rulesSha256, sha256(canonical.replace('"mode":"enforce",', "")));
    assert.deepEqual(pictures(SEED), ['information not_known_read_only "github.search_issues"']);
  });

  sharedTest("the copy of the seed's artifact in these tests is the seed's", [SEED_FILE], (file) => {
    const seed = readFileSync(file, "utf8");
    assert.ok(seed.includes(SEED));
  });

  test("text that is not JSON is refused where it goes wrong", () => {
    assert.deepEqual(errors(edited('"maximum": 10,', '"maximum": 10')), ['error syntax "']);
    assert.deepEqual(errors(`${SEED}}`), ["error syntax }"]);
    assert.deepEqual(errors(""), ["error syntax "]);
    assert.deepEqual(errors(`\ufeff${SEED}`), ["error syntax \ufeff"]);
    assert.match(checkPolicy(`\ufeff${SEED}`).problems[0]?.message ?? "", /byte order mark/);
    assert.match(
      checkPolicy('{"kind": 1 // x').problems[0]?.message ?? "",
      /Expected a comma or }, found "\/"/,
    );
  });

  test("a name that occurs twice is refused, wherever it stands and however it is written", () => {
    assert.deepEqual(errors(edited('"maximum": 10', '"maximum": 500, "maximum": 10')), [
      'error duplicate_key "maximum"',
    ]);
    assert.deepEqual(errors(edited('"mode": "enforce"', String.raw`"mode": "off", "m\u006fde": "enforce"`)), [
      String.raw`error duplicate_key "m\u006fde"`,
    ]);
  });

  test("what does not fit the schema is told at the value, at the name or at the object", () => {
    assert.deepEqual(errors(edited('"enforce"', '"strict"')), ['error schema "strict"']);
    assert.deepEqual(errors(edited('"minimum": 1', '"minimum": 1.5')), ["error schema 1.5"]);
    assert.deepEqual(errors(edited('"/per_page"', '"per_page"')), ['error schema "per_page"']);
    assert.deepEqual(errors(edited('"minimum": 1', '"minimun": 1')), ['error schema "minimun"']);
    assert.deepEqual(errors(edited('"minimum": 1', '"__proto__": 1')), ['error schema "__proto__"']);
    assert.deepEqual(errors(edited('"name": "thimble/default",', "")), ["error schema {"]);
    assert.match(
      checkPolicy(edited('"name": "thimble/default",', "")).problems[0]?.message ?? "",
      /^Add "name"/,
    );
    assert.deepEqual(errors(edited("1.0.0", "1.0")), ['error schema "1.0"']);
    assert.deepEqual(errors(edited('"items": 10', '"items": 9007199254740993')), [
      "error schema 9007199254740993",
    ]);
    for (const text of ["null", "[]", "5", '"x"']) assert.deepEqual(errors(text), [`error schema ${text}`]);
  });

  test("an unknown major version is that problem alone, whatever else the artifact holds", () => {
    assert.deepEqual(pictures('{"version":"2.0.0","rules":[]}'), ['error unknown_major "2.0.0"']);
    assert.deepEqual(pictures(edited("1.0.0", "0.9.0")), ['error unknown_major "0.9.0"']);
    assert.deepEqual(errors(edited("1.0.0", "1.7.3")), []);
  });

  test("numbers that contradict one another are told where they stand", () => {
    const one = (contract: object) => errors(JSON.stringify(artifactWith([contractWith(contract)])));
    assert.deepEqual(one({ minimum: 11 }), ["error floor_above_ceiling 11"]);
    assert.deepEqual(one({ range: { minimum: 5, maximum: 4 } }), [
      'error range_empty {"minimum":5,"maximum":4}',
    ]);
    assert.deepEqual(one({ maximum: 20, range: { maximum: 15 } }), ["error ceiling_above_range 20"]);
    assert.deepEqual(one({ maximum: 20, range: { minimum: 25 } }), ["error ceiling_below_range 20"]);
    assert.deepEqual(one({ maximum: undefined, range: { maximum: 9 } }), ["error ceiling_above_range 9"]);
    assert.deepEqual(one({ maximum: undefined, minimum: 11 }), ["error floor_above_ceiling 11"]);
    assert.deepEqual(one({ maximum: 10, minimum: 10, range: { minimum: 10, maximum: 10 } }), []);
  });

  test("contracts that collide are told at the later one, aliases included, other servers' are not", () => {
    const all = (...contracts: object[]) => errors(JSON.stringify(artifactWith(contracts.map(contractWith))));
    assert.deepEqual(all({}, {}), ['error duplicate_contract "/limit"']);
    assert.deepEqual(all({}, { argument: "/n", aliases: ["/m", "/limit"] }), [
      'error duplicate_contract "/limit"',
    ]);
    assert.deepEqual(all({ aliases: ["/n"] }, { argument: "/n" }), ['error duplicate_contract "/n"']);
    assert.deepEqual(all({}, { argument: "/n" }), []);
    assert.deepEqual(all({ server: "a" }, { server: "b" }), []);
    assert.deepEqual(all({ server: "a" }, {}), ['error duplicate_contract "/limit"']);
  });

  test("aliases, continuations and safety", () => {
    const one = (contract: object) => pictures(JSON.stringify(artifactWith([contractWith(contract)])));
    assert.deepEqual(one({ aliases: ["/n", "/limit"] }), ['error alias_repeats_argument "/limit"']);
    assert.deepEqual(one({ aliases: ["/n", "/n"] }), ['error alias_repeats_argument "/n"']);
    assert.deepEqual(one({ continuation: { kind: "page" } }), [
      'error continuation_without_argument {"kind":"page"}',
    ]);
    assert.deepEqual(one({ continuation: { kind: "rerun" } }), []);
    assert.deepEqual(one({ safe_to_reduce: false }), ["warning not_safe_to_reduce false"]);
    assert.deepEqual(one({ read_only: false }), ["warning not_known_read_only false"]);
    assert.equal(
      loadPolicy(JSON.stringify(artifactWith([contractWith({ safe_to_reduce: false })])), sha256).kind,
      "ok",
    );
  });

  test("an unpaired surrogate has no canonical text and is refused", () => {
    assert.deepEqual(errors(edited("thimble/default", String.raw`\ud800`)), [
      String.raw`error lone_surrogate "\ud800"`,
    ]);
  });

  test("deep nesting is a problem, not an overflow", () => {
    assert.deepEqual(
      checkPolicy("[".repeat(100_000) + "]".repeat(100_000)).problems.map((p) => p.code),
      ["too_deep"],
    );
  });

  sharedTest(
    "every file of JSONTestSuite as a policy is refused with a problem inside the text",
    ["suites/JSONTestSuite/test_parsing"],
    (folder) => {
      for (const name of readdirSync(folder)) {
        const text = readFileSync(join(folder, name), "utf8");
        const { artifact, problems } = checkPolicy(text);
        assert.equal(artifact, null, name);
        assert.ok(problems.length > 0, name);
        for (const p of problems) assert.ok(p.offset >= 0 && p.offset + p.length <= text.length, name);
      }
    },
  );

  test("any edit of a good policy is loaded or refused, with problems inside the text", () => {
    const inserted = fc.constantFrom(
      "",
      "{",
      "}",
      "[",
      "]",
      ",",
      '"',
      "\\",
      "0",
      "-",
      "99",
      "null",
      "/",
      "x",
    );
    fc.assert(
      fc.property(fc.nat(SEED.length), fc.nat(12), inserted, (offset, length, text) => {
        const damaged = SEED.slice(0, offset) + text + SEED.slice(offset + length);
        const loading = loadPolicy(damaged, sha256);
        const problems = loading.kind === "ok" ? loading.notes : loading.problems;
        assert.equal(
          loading.kind === "ok",
          problems.every((p) => p.severity !== "error"),
        );
        for (const p of problems) assert.ok(p.offset >= 0 && p.offset + p.length <= damaged.length);
      }),
      { numRuns: 2000 },
    );
  });

  test("looking a tool up costs the same however many contracts there are", () => {
    const many = Array.from({ length: 500 }, (_, i) => contractWith({ tool: `tool${i}` }));
    const loading = loadPolicy(JSON.stringify(artifactWith(many)), sha256);
    assert.ok(loading.kind === "ok");
    assert.equal(loading.policy.contracts.size, 500);
    assert.equal(loading.policy.contracts.get("tool499")?.length, 1);
  });
});
