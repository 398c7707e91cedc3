/** CONFORMANCE §5, Exemptions: for a tool, the session or one call, until they expire; the most particular is shown. */
import assert from "node:assert/strict";
import { Intent, OperatorExemption } from "../../../src/schema/policy";
import { exemptionsInForce } from "../../../src/thimble/exemptions";

const exemption = (more: Partial<OperatorExemption> = {}): OperatorExemption => ({
  ...{ id: "a", tool: "list_issues", once: false, reason: "audit", owner: "me", expiresAt: null },
  ...more,
});

test("an exemption ends when it expires, one for a single call when a call was excused by it", () => {
  const all = [
    exemption({ id: "session", tool: null }),
    exemption({ id: "tool" }),
    exemption({ id: "once", once: true }),
    exemption({ id: "until", expiresAt: 100 }),
  ];
  const ids = (used: string[], now: number) => exemptionsInForce(all, new Set(used), now).map(({ id }) => id);
  assert.deepEqual(ids([], 99), ["tool", "once", "until", "session"]);
  assert.deepEqual(ids([], 100), ["tool", "once", "session"]);
  assert.deepEqual(ids(["once", "tool"], 100), ["tool", "session"]);
});

test("an exemption says why, whose it is and for how long; an intent is one of the list, or a number of records", () => {
  for (const missing of ["reason", "owner", "expiresAt", "tool"] as const) {
    const { [missing]: _gone, ...rest } = exemption();
    assert.ok(!OperatorExemption.safeParse(rest).success, missing);
  }
  for (const intent of ["exhaustive", "all 37", "all 1"]) assert.ok(Intent.safeParse(intent).success, intent);
  for (const none of ["all", "all 0", "all -3", "all 3.5", "all x", "everything", ""])
    assert.ok(!Intent.safeParse(none).success, none);
});
