// test/run: what a run of mocha says, one JSON line per event, and how that is judged. Lines, so that a run that dies
// still tells how far it came.
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";

export type ReportLine =
  | { readonly kind: "began"; readonly file: string; readonly name: string }
  | { readonly kind: "passed"; readonly file: string; readonly name: string; readonly elapsedMs: number }
  | { readonly kind: "failed"; readonly file: string; readonly name: string; readonly error: string }
  | { readonly kind: "skipped"; readonly file: string; readonly name: string }
  | { readonly kind: "ended" };

export type StageResult = {
  readonly passed: number;
  readonly skipped: readonly string[];
  /** One text per failure. */
  readonly failures: readonly string[];
  /** Everything printed; shown when something failed. */
  readonly output: string;
};

export function appendReport(reportFile: string, line: ReportLine): void {
  appendFileSync(reportFile, `${JSON.stringify(line)}\n`);
}

export function readReport(reportFile: string): ReportLine[] {
  if (!existsSync(reportFile)) return [];
  return readFileSync(reportFile, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as ReportLine);
}

/** The reason to end a run whose tests were under way and have said nothing for too long. */
export function silence(reportFile: string, limitSeconds: number): string | null {
  const writtenMs = statSync(reportFile, { throwIfNoEntry: false })?.mtimeMs;
  const isSilent = writtenMs !== undefined && Date.now() - writtenMs > limitSeconds * 1000;
  return isSilent ? `no sign of life for ${limitSeconds} s` : null;
}

export type Run = {
  readonly report: readonly ReportLine[];
  /** Files that must have run at least one test, by the names that the report uses. */
  readonly expectedFiles: readonly string[];
  /** `stuck`: why it had to be ended. */
  readonly exit: { readonly code: number | string; readonly stuck: string | null };
  readonly output: string;
};

/** A green exit code is not enough: every file has to have been heard of, and the run has to have come to its end. */
export function judge({ report, expectedFiles, exit, output }: Run): StageResult {
  const failures = report.flatMap((line) =>
    line.kind === "failed" ? [`${line.file}: ${line.name}\n${line.error}`] : [],
  );
  const began = report.findLast((line) => line.kind !== "ended");
  const running = began?.kind === "began" ? ` while "${began.name}" of ${began.file} ran` : "";
  const ended = report.some((line) => line.kind === "ended");
  if (exit.stuck !== null) failures.push(`${exit.stuck}${running}`);
  else if (!ended) failures.push(`the run ended early${running} (exit ${exit.code})`);
  else if (exit.code !== 0 && failures.length === 0)
    failures.push(`the run exited with ${exit.code} after its tests`);
  const heard = new Set(report.flatMap((line) => ("file" in line ? [line.file] : [])));
  failures.push(
    ...expectedFiles.filter((file) => !heard.has(file)).map((file) => `${file} never ran a test`),
  );
  const passed = report.filter((line) => line.kind === "passed").length;
  const skipped = report.flatMap((line) => (line.kind === "skipped" ? [line.name] : []));
  if (passed + skipped.length + failures.length === 0) failures.push("no test ran");
  return { passed, skipped, failures, output };
}
