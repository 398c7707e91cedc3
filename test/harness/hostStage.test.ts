// test/harness: whatever goes wrong inside VS Code, the host stage is red. Each case starts a real one.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { type HostStage, runHostStage } from "../run/hostStage";
import type { StageResult } from "../run/report";

const FIXTURES = "test/harness/fixtures";

const runFixtures = (names: readonly string[], options: Partial<HostStage> = {}): Promise<StageResult> =>
  runHostStage({
    files: names.map((name) => `${FIXTURES}/${name}.ts`),
    extensions: [path.join(root, FIXTURES, "plain")],
    limitSeconds: 60,
    ...options,
  });

async function checkFails(fixture: string, expected: RegExp, options?: Partial<HostStage>): Promise<void> {
  const result = await runFixtures([fixture], options);
  assert.equal(result.failures.length, 1, result.output + result.failures.join("\n"));
  assert.match(result.failures[0] ?? "", expected);
}

suite("host stage", () => {
  test("counts what passed, failed and was skipped, and names a file without tests", async () => {
    const result = await runFixtures(["green", "red", "empty"]);
    assert.equal(result.passed, 2, result.output); // is green, and the activation
    assert.deepEqual(result.skipped, ["is skipped"]);
    assert.equal(result.failures.length, 2);
    assert.match(result.failures[0] ?? "", /red\.ts: is red\n.*Expected values to be strictly equal/s);
    assert.equal(result.failures[1], `${FIXTURES}/empty.ts never ran a test`);
  });

  test("a test file that cannot be loaded fails the run", async () => {
    const result = await runFixtures(["unloadable"]);
    assert.match(result.failures.join("\n"), /ended early.*unloadable\.ts never ran a test/s);
    assert.match(result.output, /no such luck/);
  });

  test("a rejected activation fails the run", async () => {
    const both = ["plain", "rejecting"].map((name) => path.join(root, FIXTURES, name));
    await checkFails("green", /fixture\.rejecting activates\n.*not today/s, { extensions: both });
  });

  test("a crash of the extension host fails the run and names the test", () =>
    checkFails("crashing", /the run ended early while "crashes" of .*crashing\.ts ran/));

  test("a killed extension host fails the run", () =>
    checkFails("killed", /the run ended early while "is killed"/));

  test("an early process.exit(0) fails the run", () =>
    checkFails("exiting", /the run ended early while "leaves early"|leaves early/));

  test("a hang fails the run at its time limit", () =>
    checkFails("hanging", /no end within 12 s while "hangs"/, { limitSeconds: 12 }));
});
