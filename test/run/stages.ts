// test/run: the stages of `npm test`, in the order they run.
import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { runHostStage } from "./hostStage";
import { runNodeStage } from "./nodeStage";
import { runCommand } from "./process";
import type { StageResult } from "./report";

export type StageOptions = {
  /** For the tests' processes. */
  readonly environment: NodeJS.ProcessEnv;
  readonly grep?: string | undefined;
  /** Aborted when the person ends the run: what has not begun does not begin. */
  readonly signal: AbortSignal;
};

export type Stage = {
  readonly name: string;
  /** Stages that make no sense when this one failed. */
  readonly needs: readonly string[];
  run(options: StageOptions): Promise<StageResult>;
};

/** Every test file below a folder, found by looking: a list kept by hand forgets one. */
export function testFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".test.ts"))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.split(path.sep).includes("fixtures"))
    .sort();
}

const bin = (name: string) => path.join(root, "node_modules", ".bin", name);

/** Each command counts as one test. */
async function runCommands(
  commands: readonly (readonly [name: string, command: string, ...args: string[]])[],
) {
  const failures: string[] = [];
  let output = "";
  for (const [name, command, ...args] of commands) {
    const finished = await runCommand(command, args, { limitSeconds: 120 });
    output += finished.output;
    if (finished.code !== 0) failures.push(`${name} failed with ${finished.code}`);
  }
  return { passed: commands.length - failures.length, skipped: [], failures, output };
}

type NodeTests = {
  readonly needs?: readonly string[];
  readonly timeoutMs: number;
  /** Of one process, which runs `filesAtOnce` files and ends. */
  readonly limitSeconds: number;
  readonly filesAtOnce: number;
  readonly processes: number; // at a time
};

/** A process runs the next few files that no other had; so many stand side by side until none are left. */
const nodeTests = (name: string, of: NodeTests): Stage => ({
  name,
  needs: of.needs ?? [],
  run: async ({ environment, grep, signal }) => {
    const all = testFiles(`test/${name}`);
    const run = (files: string[]) => runNodeStage({ ...of, files, environment, grep });
    if (grep || all.length === 0) return run(all); // none is a failure, which the run itself says
    const results: StageResult[] = [];
    const work = async () => {
      while (all.length > 0 && !signal.aborted) results.push(await run(all.splice(0, of.filesAtOnce)));
    };
    await Promise.all(Array.from({ length: of.processes }, work));
    return together(results);
  },
});

const together = (results: readonly StageResult[]): StageResult => ({
  passed: results.reduce((sum, { passed }) => sum + passed, 0),
  skipped: results.flatMap(({ skipped }) => skipped),
  failures: results.flatMap(({ failures }) => failures),
  output: results.map(({ output }) => output).join(""),
});

export const STAGES: readonly Stage[] = [
  {
    name: "check",
    needs: [],
    run: () =>
      runCommands([
        ["format and lint", bin("biome"), "ci", "--colors=off"],
        ["types", bin("tsc"), "--noEmit"],
        ["import table", process.execPath, "--import", import.meta.resolve("tsx"), "scripts/checkImports.ts"],
      ]),
  },
  { name: "build", needs: [], run: () => runCommands([["build", process.execPath, "esbuild.mjs"]]) },
  nodeTests("unit", { timeoutMs: 60_000, limitSeconds: 420, filesAtOnce: 16, processes: 2 }),
  nodeTests("harness", { timeoutMs: 90_000, limitSeconds: 400, filesAtOnce: 16, processes: 1 }),
  {
    name: "host",
    needs: ["build"],
    run: ({ environment, grep }) =>
      runHostStage({
        files: testFiles("test/host"),
        extensions: [root],
        // test-electron hands the runner's own environment on; these are the ones that tests read.
        environment: Object.fromEntries(
          ["CLOAKROOM_DATA", "CI"].flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
        ),
        limitSeconds: 300,
        grep,
      }),
  },
  nodeTests("e2e", { needs: ["build"], timeoutMs: 120_000, limitSeconds: 400, filesAtOnce: 1, processes: 2 }),
];
