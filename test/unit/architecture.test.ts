// test: docs/architecture.md names a test for each invariant; the test must be there under that name.
import assert from "node:assert/strict";
import { namedTests } from "../support/namedTests";

test("every invariant in docs/architecture.md names a test that exists", () => {
  assert.ok(namedTests("architecture.md", "## Invariants").length >= 10);
});
