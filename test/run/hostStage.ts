// test/run: bundles host tests and runs them inside a real VS Code.
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as esbuild from "esbuild";
import { root } from "../../scripts/bootstrap.mjs";
import { findVSCode } from "../vscode/executable";
import { QUIET_SETTINGS } from "../vscode/settings";
import type { HostRun } from "./hostIndex";
import type { HostLaunch } from "./hostTests";
import { runScript } from "./process";
import { judge, readReport, type StageResult, silence } from "./report";

export type HostStage = {
  /** Relative to the repository. */
  readonly files: readonly string[];
  /** Folders of the extensions that are loaded from source and must activate. */
  readonly extensions: readonly string[];
  /** A folder or .code-workspace file; an empty folder otherwise. */
  readonly workspace?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly limitSeconds: number;
  /** A test that blocks the host outlives mocha's own time limit. */
  readonly silentSeconds?: number;
  readonly grep?: string | undefined;
};

const INDEX = "test/run/hostIndex.ts";
const compiledPath = (file: string): string => path.join(root, "out", file.replace(/\.ts$/, ".cjs"));

async function bundle(files: readonly string[]): Promise<void> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries([INDEX, ...files].map((file) => [file.replace(/\.ts$/, ""), file])),
    outdir: "out",
    outExtension: { ".js": ".cjs" },
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20.19",
    mainFields: ["module", "main"],
    external: ["vscode", "mocha"],
    sourcemap: "inline",
    logLevel: "warning",
    write: false,
  });
  for (const file of outputFiles) {
    // Another run may be reading the same file: it appears whole.
    mkdirSync(path.dirname(file.path), { recursive: true });
    const temporary = `${file.path}.${randomUUID()}`;
    writeFileSync(temporary, file.contents);
    renameSync(temporary, file.path);
  }
}

function extensionId(folder: string): string {
  const { publisher, name } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  return `${publisher}.${name}`;
}

export async function runHostStage(stage: HostStage): Promise<StageResult> {
  const vscode = await findVSCode();
  await bundle(stage.files);
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-host-"));
  const workspace = stage.workspace ?? path.join(folder, "workspace");
  const runFile = path.join(folder, "run.json");
  const settingsFile = path.join(folder, "user", "User", "settings.json");
  mkdirSync(path.join(folder, "workspace"), { recursive: true });
  mkdirSync(path.dirname(settingsFile), { recursive: true });
  writeFileSync(settingsFile, JSON.stringify({ ...QUIET_SETTINGS, ...stage.settings }));
  const run: HostRun = {
    files: Object.fromEntries(stage.files.map((file) => [compiledPath(file), file])),
    reportFile: path.join(folder, "report.jsonl"),
    extensions: stage.extensions.map(extensionId),
    timeoutMs: stage.timeoutMs ?? 20_000,
    ...(stage.grep ? { grep: stage.grep } : {}),
  };
  writeFileSync(runFile, JSON.stringify(run));
  const launch: HostLaunch = {
    vscode,
    extensions: stage.extensions,
    index: compiledPath(INDEX),
    runFile,
    launchArgs: [
      workspace,
      `--user-data-dir=${path.join(folder, "user")}`,
      `--extensions-dir=${path.join(folder, "extensions")}`,
    ],
    environment: { ...stage.environment },
  };
  try {
    const exit = await runScript(path.join(import.meta.dirname, "hostTests.ts"), [JSON.stringify(launch)], {
      limitSeconds: stage.limitSeconds,
      isStuck: () => silence(run.reportFile, stage.silentSeconds ?? run.timeoutMs / 1000 + 40),
    });
    return judge({
      report: readReport(run.reportFile),
      expectedFiles: stage.grep ? [] : stage.files,
      exit,
      output: exit.output,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
