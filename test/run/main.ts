// test/run: runs the stages and adds up. Started by scripts/test.mjs once everything is installed.
//   [STAGE…] [--data DIR] [--grep TEXT]
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { root } from "../../scripts/bootstrap.mjs";
import { sharedFolder } from "../support/sharedData";
import { ensureChromium } from "../vscode/chromium";
import { ensureHost } from "../vscode/install";
import { ripgrepExecutable } from "../vscode/places";
import type { StageResult } from "./report";
import { STAGES, type Stage } from "./stages";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: "string" }, grep: { type: "string" } },
});
const unknown = positionals.filter((name) => !STAGES.some((stage) => stage.name === name));
if (unknown.length > 0)
  throw new Error(`no such stage: ${unknown.join(", ")}; there are ${STAGES.map((s) => s.name)}`);
const chosen = STAGES.filter((stage) => positionals.length === 0 || positionals.includes(stage.name));

const given = values.data
  ? path.resolve(process.env.INIT_CWD ?? ".", values.data)
  : process.env.CLOAKROOM_DATA;
const environment: NodeJS.ProcessEnv = {
  ...process.env,
  CLOAKROOM_DATA: sharedFolder({ CLOAKROOM_DATA: given }, root),
};

const interrupt = new AbortController();
const seconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
const failure = (text: string, output = ""): StageResult => ({
  passed: 0,
  skipped: [],
  failures: [text],
  output,
});

async function runStage(stage: Stage, failed: ReadonlySet<string>): Promise<StageResult> {
  const missing = stage.needs.find((name) => failed.has(name));
  if (missing) return failure(`did not run, because ${missing} failed`);
  try {
    return await stage.run({ environment, grep: values.grep, signal: interrupt.signal });
  } catch (error) {
    return failure(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

function show(stage: Stage, result: StageResult, sinceMs: number): void {
  const counts = [
    `${result.passed} passed`,
    `${result.failures.length} failed`,
    `${result.skipped.length} skipped`,
  ];
  const shown = counts.filter((count) => !count.startsWith("0 "));
  console.log(`${stage.name.padEnd(8)} ${shown.join(", ").padEnd(32)} ${seconds(sinceMs).padStart(8)}`);
  for (const name of result.skipped) console.log(`  skipped: ${name}`);
  if (result.failures.length === 0) return;
  if (result.output.trim() !== "") console.log(`${result.output.trimEnd()}\n`);
  for (const text of result.failures) console.log(`  FAILED ${text.replaceAll("\n", "\n    ")}`);
}

if (chosen.some(({ name }) => ["harness", "host", "e2e"].includes(name))) {
  await ensureChromium();
  await ensureHost();
}
if (existsSync(ripgrepExecutable())) environment.CLOAKROOM_RIPGREP ??= ripgrepExecutable();
const failed = new Set<string>();
const total = { passed: 0, failed: 0, skipped: 0 };
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupt.abort());
for (const stage of chosen) {
  if (interrupt.signal.aborted) break;
  const sinceMs = Date.now();
  const result = await runStage(stage, failed);
  show(stage, result, sinceMs);
  total.passed += result.passed;
  total.failed += result.failures.length;
  total.skipped += result.skipped.length;
  if (result.failures.length > 0) failed.add(stage.name);
}
if (interrupt.signal.aborted) console.log("interrupted");
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed > 0 || interrupt.signal.aborted ? 1 : 0;
