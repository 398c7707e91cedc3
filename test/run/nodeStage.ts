// test/run: a stage of tests that run in Node: unit, harness, e2e.
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { runScript } from "./process";
import { judge, readReport, type StageResult } from "./report";

export type NodeStage = {
  /** Relative to the repository. */
  readonly files: readonly string[];
  readonly timeoutMs: number;
  readonly limitSeconds: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly grep?: string | undefined;
};

export async function runNodeStage(stage: NodeStage): Promise<StageResult> {
  const { files, timeoutMs, grep } = stage;
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-report-"));
  const reportFile = path.join(folder, "report.jsonl");
  try {
    const exit = await runScript(
      path.join(import.meta.dirname, "nodeTests.ts"),
      [JSON.stringify({ files, reportFile, timeoutMs, grep })],
      stage,
    );
    return judge({
      report: readReport(reportFile),
      expectedFiles: grep ? [] : files,
      exit,
      output: exit.output,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
