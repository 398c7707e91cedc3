// test/unit: what counts as a green run.
import assert from "node:assert/strict";
import { judge, type ReportLine, type Run } from "../run/report";

const EXIT: Run["exit"] = { code: 0, stuck: null };
const passed: ReportLine = { kind: "passed", file: "a.test.ts", name: "adds", elapsedMs: 1 };
const ended: ReportLine = { kind: "ended" };

function check(
  report: ReportLine[],
  expected: string[],
  exit: Partial<Run["exit"]> = {},
  expectedFiles = ["a.test.ts"],
) {
  const { failures } = judge({ report, expectedFiles, exit: { ...EXIT, ...exit }, output: "" });
  assert.deepEqual(failures, expected);
}

suite("report", () => {
  test("a run that came to its end with every file heard of is green", () => check([passed, ended], []));

  test("a failed test is a failure with its error", () =>
    check(
      [{ kind: "failed", file: "a.test.ts", name: "adds", error: "1 is not 2" }, ended],
      ["a.test.ts: adds\n1 is not 2"],
      { code: 1 },
    ));

  test("an exit before the end is a failure, whatever the code", () =>
    check([passed], ["the run ended early (exit 0)"]));

  test("it names the test during which it happened", () =>
    check(
      [passed, { kind: "began", file: "a.test.ts", name: "subtracts" }],
      ['the run ended early while "subtracts" of a.test.ts ran (exit 9)'],
      { code: 9 },
    ));

  test("a time limit is a failure", () =>
    check([passed], ["no end within 60 s"], { stuck: "no end within 60 s" }));

  test("a bad exit after good tests is a failure", () =>
    check([passed, ended], ["the run exited with 1 after its tests"], { code: 1 }));

  test("a file that was never heard of is a failure", () =>
    check([passed, ended], ["b.test.ts never ran a test"], {}, ["a.test.ts", "b.test.ts"]));

  test("a run without any test is a failure", () => check([ended], ["no test ran"], {}, []));

  test("a skipped test is counted by its name", () => {
    const line: ReportLine = { kind: "skipped", file: "a.test.ts", name: "adds (no data)" };
    const result = judge({ report: [line, ended], expectedFiles: ["a.test.ts"], exit: EXIT, output: "" });
    assert.deepEqual(result, { passed: 0, skipped: ["adds (no data)"], failures: [], output: "" });
  });
});
