// test/harness: whatever goes wrong inside VS Code, the host stage is red. Each case starts a real one.
import assert from "node:assert/strict";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { type HostStage, runHostStage } from "../run/hostStage";
import type { StageResult } from "../run/report";

const FIXTURES = "test/harness/fixtures";

const folderOf = (extension: string): string => path.join(root, FIXTURES, extension);

type Case = {
  readonly files: readonly string[];
  readonly extensions?: readonly string[];
  readonly silentSeconds?: number;
};

const CASES = {
  mixed: { files: ["green", "red", "empty"] },
  unloadable: { files: ["unloadable"] },
  rejected: { files: ["green"], extensions: ["plain", "rejecting"] },
  crash: { files: ["crashing"] },
  kill: { files: ["killed"] },
  exit: { files: ["exiting"] },
  hang: { files: ["hanging"], silentSeconds: 4 },
} satisfies Record<string, Case>;

const results = new Map<string, Promise<StageResult>>();

/** Two at a time: a VS Code that starts mostly waits. */
function startAll(): void {
  const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
  for (const [index, [name, given]] of Object.entries<Case>(CASES).entries()) {
    const { files, extensions = ["plain"], silentSeconds = 60 } = given;
    const stage: HostStage = {
      files: files.map((file) => `${FIXTURES}/${file}.ts`),
      extensions: extensions.map(folderOf),
      limitSeconds: 80,
      silentSeconds,
    };
    const lane = index % lanes.length;
    const result = Promise.resolve(lanes[lane]).then(() => runHostStage(stage));
    lanes[lane] = result.catch(() => {}); // the test that awaits it says why
    results.set(name, result);
  }
}

async function resultOf(name: keyof typeof CASES): Promise<StageResult> {
  const result = await results.get(name);
  assert.ok(result);
  return result;
}

async function checkFails(name: keyof typeof CASES, expected: RegExp): Promise<void> {
  const result = await resultOf(name);
  assert.equal(result.failures.length, 1, result.output + result.failures.join("\n"));
  assert.match(result.failures[0] ?? "", expected);
}

suite("host stage", () => {
  suiteSetup(startAll);

  test("counts what passed, failed and was skipped, and names a file without tests", async () => {
    const result = await resultOf("mixed");
    assert.equal(result.passed, 2, result.output); // is green, and the activation
    assert.deepEqual(result.skipped, ["is skipped"]);
    assert.equal(result.failures.length, 2);
    assert.match(result.failures[0] ?? "", /red\.ts: is red\n.*Expected values to be strictly equal/s);
    assert.equal(result.failures[1], `${FIXTURES}/empty.ts never ran a test`);
  });

  test("a test file that cannot be loaded fails the run", async () => {
    const result = await resultOf("unloadable");
    assert.match(result.failures.join("\n"), /ended early.*unloadable\.ts never ran a test/s);
    assert.match(result.output, /no such luck/);
  });

  test("a rejected activation fails the run", () =>
    checkFails("rejected", /fixture\.rejecting activates\n.*not today/s));

  test("a crash of the extension host fails the run and names the test", () =>
    checkFails("crash", /the run ended early while "crashes" of .*crashing\.ts ran/));

  test("a killed extension host fails the run", () =>
    checkFails("kill", /the run ended early while "is killed"/));

  test("an early process.exit(0) fails the run", () =>
    checkFails("exit", /the run ended early while "leaves early"/));

  test("a hang fails the run after a while of silence", () =>
    checkFails("hang", /no sign of life for 4 s while "hangs"/));
});
