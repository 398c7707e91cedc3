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

/** `processes`: files are dealt out to so many, which run side by side. */
const nodeTests = (
  name: string,
  needs: readonly string[],
  timeoutMs: number,
  limitSeconds: number,
  processes = 1,
): Stage => ({
  name,
  needs,
  run: async ({ environment, grep }) => {
    const all = testFiles(`test/${name}`);
    const hands = grep
      ? [all]
      : Array.from({ length: processes }, (_, hand) => all.filter((_, at) => at % processes === hand));
    const run = (files: string[]) => runNodeStage({ files, timeoutMs, limitSeconds, environment, grep });
    return together(await Promise.all(hands.map(run)));
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
  nodeTests("unit", [], 60_000, 420, 2),
  nodeTests("harness", [], 90_000, 400),
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
  nodeTests("e2e", ["build"], 120_000, 400, 2),
];
