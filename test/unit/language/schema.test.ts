/** The JSON Schema that editors use is the one that the loader uses. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SCHEMAS } from "../../../scripts/generateSchemas";

suite("language/schema", () => {
  test("the committed schemas are the generated ones (npx tsx scripts/generateSchemas.ts)", () => {
    for (const [name, text] of Object.entries(SCHEMAS)) {
      const file = join(import.meta.dirname, "..", "..", "..", "schemas", name);
      assert.equal(readFileSync(file, "utf8"), text(), name);
    }
  });

  test("draft-07, closed objects, a description on every field of a contract but its continuation", () => {
    const schema = JSON.parse(SCHEMAS["thimble.schema.json"]?.() ?? "");
    assert.equal(schema.$schema, "http://json-schema.org/draft-07/schema#");
    assert.equal(schema.additionalProperties, false);
    const contract = schema.properties.contracts.items;
    assert.equal(contract.additionalProperties, false);
    for (const [name, field] of Object.entries<{ description?: string }>(contract.properties)) {
      assert.ok(field.description !== undefined || name === "continuation", name);
    }
  });
});
