// test/unit: the sample workspace is what the demo needs it to be.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { SAMPLE_FACT, SAMPLE_WORD, sampleCopy, serviceAgreement } from "../support/sample";

suite("sample workspace", () => {
  test("its agreement is long, and the fact stands deep inside it, once", () => {
    const text = serviceAgreement();
    assert.ok(text.length >= 92_000, `${text.length} characters`);
    assert.ok(text.indexOf(SAMPLE_FACT.text) > 4_096);
    assert.equal(text.split(SAMPLE_FACT.text).length, 2);
    assert.equal(text.split("418").length, 2);
  });

  test("a search for its word has more than 500 matches", () => {
    const sample = sampleCopy();
    try {
      const files = readdirSync(path.join(sample.folder, "src"), { recursive: true, encoding: "utf8" });
      const texts = files
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(path.join(sample.folder, "src", file), "utf8"));
      assert.ok(texts.join("\n").split(SAMPLE_WORD).length - 1 > 500);
      assert.equal(readFileSync(path.join(sample.folder, SAMPLE_FACT.file), "utf8"), serviceAgreement());
    } finally {
      sample.remove();
    }
  });
});
