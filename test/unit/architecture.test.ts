// test: docs/architecture.md names a test for each invariant and each promise; the test must be there under that name.
import assert from "node:assert/strict";
import { namedTests } from "../support/namedTests";

test("every invariant in docs/architecture.md names a test that exists", () => {
  assert.ok(namedTests("architecture.md", "## Invariants").length >= 10);
});

test("every promise of durability in docs/architecture.md names a test that exists", () => {
  assert.ok(namedTests("architecture.md", "## What is durable when").length >= 10);
});
