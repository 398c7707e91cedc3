// test/run: runs test files with mocha and reports each test to a file. In Node for unit and e2e tests, in VS Code's
// extension host for host tests.
import Mocha from "mocha";
import { appendReport } from "./report";

export type MochaRun = {
  readonly files: readonly string[];
  readonly reportFile: string;
  /** The name by which a file is reported: the path of its source in the repository. */
  readonly nameOf: (file: string) => string;
  readonly timeoutMs: number;
  readonly grep?: string | undefined;
  /** Adds tests that are not in a file. */
  readonly prepare?: (mocha: Mocha) => void;
};

const errorText = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { actual, expected } = error as Error & { actual?: unknown; expected?: unknown };
  const text = error.stack ?? error.message;
  const isLongText = typeof actual === "string" && typeof expected === "string" && !text.includes(actual);
  return isLongText ? `${text}\nactual:\n${actual}\nexpected:\n${expected}` : text;
};

/** Resolves with the number of failures. Everything else is in the report. */
export async function runMocha(run: MochaRun): Promise<number> {
  const { reportFile, nameOf } = run;
  class FileReporter extends Mocha.reporters.Base {
    constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
      super(runner, options);
      const place = (test: Mocha.Runnable) => ({ file: nameOf(test.file ?? ""), name: test.fullTitle() });
      runner.on("test", (test) => appendReport(reportFile, { kind: "began", ...place(test) }));
      runner.on("pass", (test) =>
        appendReport(reportFile, { kind: "passed", ...place(test), elapsedMs: test.duration ?? 0 }),
      );
      runner.on("fail", (test, error) =>
        appendReport(reportFile, { kind: "failed", ...place(test), error: errorText(error) }),
      );
      runner.on("pending", (test) => appendReport(reportFile, { kind: "skipped", ...place(test) }));
    }
  }
  const mocha = new Mocha({ ui: "tdd", timeout: run.timeoutMs, reporter: FileReporter, forbidOnly: true });
  if (run.grep) mocha.grep(run.grep);
  for (const file of run.files) mocha.addFile(file);
  await mocha.loadFilesAsync();
  run.prepare?.(mocha);
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  appendReport(reportFile, { kind: "ended" });
  return failures;
}
