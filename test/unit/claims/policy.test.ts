/** CONFORMANCE §1: when a result is checked in, as tables. */
import assert from "node:assert/strict";
import { createClaimPolicy, limitsFor } from "../../../src/claims/policy";
import { Failure } from "../../../src/schema/failure";
import { type ClaimCheckSettings, DEFAULT_SETTINGS } from "../../../src/schema/settings";
import type { ToolClass } from "../../../src/schema/tool";

const TOOLS = ["read_file", "search_text", "list_files", "run_command", "constructor"];
const withDefaults = (fields: Partial<ClaimCheckSettings>) => ({ ...DEFAULT_SETTINGS.claimCheck, ...fields });

test("C1 limits that could save nothing are refused, and the message names the field", () => {
  const cases: [Partial<ClaimCheckSettings>, string][] = [
    [{ thresholdChars: 512, headChars: 512 }, "claimCheck.headChars"],
    [{ thresholdChars: 512, headChars: 513 }, "claimCheck.headChars"],
    [{ thresholdChars: 0 }, "claimCheck.thresholdChars"],
    [{ thresholdChars: -1 }, "claimCheck.thresholdChars"],
    [{ headChars: 0 }, "claimCheck.headChars"],
    [{ thresholdChars: Number.NaN }, "claimCheck.thresholdChars"],
    [{ ttlSeconds: 0 }, "claimCheck.ttlSeconds"],
    [{ ttlSeconds: -3600 }, "claimCheck.ttlSeconds"],
    [
      { perTool: { read_file: { thresholdChars: 50, headChars: 50 } } },
      "claimCheck.perTool.read_file.headChars",
    ],
    [{ perTool: { read_fil: { thresholdChars: 100, headChars: 50 } } }, "claimCheck.perTool"],
    [{ exclude: ["read_fil"] }, "claimCheck.exclude"],
  ];
  for (const [fields, field] of cases) {
    assert.throws(
      () => createClaimPolicy(withDefaults(fields), TOOLS),
      (cause) =>
        cause instanceof Failure &&
        cause.code === "settings-invalid" &&
        cause.facts.field === field &&
        cause.message.includes(`cloakroom.${field}`),
      JSON.stringify(fields),
    );
  }
});

/** `threshold head tail` of a result, from settings without slack unless they name it. */
function check(cases: [string, ToolClass, Partial<ClaimCheckSettings>, string][]): void {
  for (const [tool, toolClass, fields, expected] of cases) {
    const policy = createClaimPolicy(withDefaults({ slack: 0, ...fields }), TOOLS);
    const { thresholdChars, headChars, tailChars, excluded } = limitsFor(policy, tool, toolClass);
    const picture = `${thresholdChars} ${headChars} ${tailChars}${excluded ? " excluded" : ""}`;
    assert.equal(picture, expected, `${tool} ${toolClass} ${JSON.stringify(fields)}`);
  }
}

test("§1 what stays inline, by class", () => {
  check([
    ["list_files", "list", {}, "4096 512 0"],
    ["read_file", "read", {}, "4096 512 0"],
    ["read_file", "read_range", {}, "16000 4000 0"],
    ["run_command", "execute", {}, "4096 512 1000"],
    ["read_file", "error", {}, "20000 4000 1000"],
    ["read_file", "other", {}, "4096 512 0"],
    ["run_command", "execute", { thresholdChars: 600, headChars: 512 }, "600 512 87"],
    ["run_command", "execute", { thresholdChars: 2, headChars: 1 }, "2 1 0"],
  ]);
});

test("C6 per-tool limits replace the general ones whole, for every class", () => {
  const perTool = { read_file: { thresholdChars: 100, headChars: 50 } };
  check([
    ["read_file", "read", { perTool }, "100 50 0"],
    ["read_file", "read_range", { perTool }, "100 50 0"],
    ["read_file", "error", { perTool }, "100 50 0"],
    ["search_text", "read", { perTool }, "4096 512 0"],
    ["constructor", "read", { perTool }, "4096 512 0"], // no entry of the object, whatever it inherits
  ]);
});

test("§1 slack raises every threshold but the caps of excluded tools", () => {
  check([
    ["read_file", "read", { slack: 0.25 }, "5120 512 0"],
    ["read_file", "read_range", { slack: 0.25 }, "20000 4000 0"],
    ["read_file", "read", { slack: 0.25, exclude: ["read_file"] }, "80000 5000 1000 excluded"],
    ["search_text", "list", { exclude: ["search_text"] }, "60000 5000 1000 excluded"],
    ["list_files", "list", { exclude: ["list_files"] }, "50000 5000 1000 excluded"],
    ["run_command", "execute", { exclude: ["run_command"] }, "30000 5000 1000 excluded"],
    ["constructor", "other", { exclude: ["constructor"] }, "30000 5000 1000 excluded"],
  ]);
});
