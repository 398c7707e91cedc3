/** RFC 8785 and what a policy's digests depend on. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalise, identify, schemaDigest } from "../../../src/thimble/identity";
import { sha256 } from "../../support/hash";
import { sharedTest } from "../../support/sharedData";
import { artifactWith, contractWith } from "../../support/thimble";

suite("thimble/identity", () => {
  sharedTest("RFC 8785: every vector of the suite, byte for byte", ["suites/rfc8785"], (folder) => {
    const names = readdirSync(join(folder, "input"));
    assert.ok(names.length >= 6);
    for (const name of names) {
      const text = canonicalise(JSON.parse(readFileSync(join(folder, "input", name), "utf8")));
      assert.equal(text, readFileSync(join(folder, "output", name), "utf8"), name);
      const hex = readFileSync(join(folder, "outhex", name.replace(".json", ".txt")), "utf8").replace(
        /\s/g,
        "",
      );
      assert.equal(Buffer.from(text, "utf8").toString("hex"), hex, name);
    }
  });

  test("digests: -0 is 0, however it is written (obsigna#200)", () => {
    assert.equal(canonicalise(JSON.parse("[-0, -0.0, 0, -0e5]")), "[0,0,0,0]");
  });

  test("digests: composed and decomposed text stay different (AP2#265)", () => {
    assert.notEqual(canonicalise("\u00e9"), canonicalise("e\u0301"));
    assert.equal(canonicalise("e\u0301"), '"e\u0301"');
    const inOne = { "\u00e9": 1, "e\u0301": 2 }; // two names, and neither is another spelling of the other
    assert.equal(canonicalise(inOne), '{"e\u0301":2,"\u00e9":1}');
    const digests = ["\u00e9", "e\u0301"].map((text) => schemaDigest({ title: text }, sha256));
    assert.deepEqual(digests, [sha256('{"title":"\u00e9"}'), sha256('{"title":"e\u0301"}')]);
  });

  test("digests: keys are ordered by UTF-16 units, not by code points (modelcontextprotocol#3004)", () => {
    assert.equal(canonicalise({ "\ue000": 1, "\u{1f600}": 2 }), '{"\u{1f600}":2,"\ue000":1}');
  });

  test("digests: numbers are written as the nearest double; integers above 2^53 are its integers", () => {
    const written = (token: string) => canonicalise(JSON.parse(token));
    assert.equal(written("9007199254740991"), "9007199254740991");
    assert.equal(written("9007199254740993"), "9007199254740992");
    assert.equal(written("1e20"), "100000000000000000000");
    assert.equal(written("1e21"), "1e+21");
    assert.equal(written("1.0"), "1");
    assert.equal(written("1E-7"), "1e-7");
    assert.throws(() => written("1e400"));
  });

  test("digests: a schema's is that of its canonical text, whatever its layout and the order of its keys", () => {
    const digest = sha256('{"properties":{"limit":{"minimum":1,"type":"integer"}},"type":"object"}');
    const texts = [
      '{"type":"object","properties":{"limit":{"type":"integer","minimum":1}}}',
      '{ "properties": {"limit": {"minimum": 1.0, "t\\u0079pe": "integer"}},\n"type":"object" }',
    ];
    for (const text of texts) assert.equal(schemaDigest(JSON.parse(text), sha256), digest);
    assert.notEqual(schemaDigest(JSON.parse(texts[0]?.replace("1", "2") ?? ""), sha256), digest);
  });

  test("a schema without a canonical text, or too deep to be walked, has no digest", () => {
    const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    assert.notEqual(schemaDigest(nested(64), sha256), null);
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const bad = [nested(65), nested(5000), cyclic, { "\ud800": 1 }, ["\udc00"], undefined, { a: Number.NaN }];
    for (const schema of bad) assert.equal(schemaDigest(schema, sha256), null);
  });

  test("what has no canonical text is refused", () => {
    for (const value of [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      "\ud800",
      { a: "\udc00" },
      { "\ud800": 1 },
    ]) {
      assert.throws(() => canonicalise(value));
    }
  });

  test("the order of fields and the layout of the file do not make another policy, a changed value does", () => {
    const artifact = artifactWith([contractWith()]);
    const { contracts, ...rest } = artifact;
    const reordered = { contracts, ...rest };
    assert.deepEqual(identify(reordered, sha256), identify(artifact, sha256));
    const raised = artifactWith([contractWith({ maximum: 11 })]);
    assert.notEqual(identify(raised, sha256).sha256, identify(artifact, sha256).sha256);
    assert.notEqual(identify(raised, sha256).rulesSha256, identify(artifact, sha256).rulesSha256);
  });

  test("a mode, per contract or whole, changes sha256 and never rulesSha256; $schema is content of both", () => {
    const base = identify(artifactWith([contractWith()]), sha256);
    for (const changed of [
      artifactWith([contractWith()], { mode: "observe" }),
      artifactWith([contractWith({ mode: "observe" })]),
    ]) {
      const identity = identify(changed, sha256);
      assert.equal(identity.rulesSha256, base.rulesSha256);
      assert.notEqual(identity.sha256, base.sha256);
    }
    const linked = identify(artifactWith([contractWith()], { $schema: "./thimble.schema.json" }), sha256);
    assert.notEqual(linked.sha256, base.sha256);
    assert.notEqual(linked.rulesSha256, base.rulesSha256);
  });
});
