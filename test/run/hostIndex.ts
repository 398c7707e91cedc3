// test/run: inside VS Code's extension host. Runs the compiled test files that runHostTests() names.
import { readFileSync } from "node:fs";
import path from "node:path";
import type Mocha from "mocha";
import * as vscode from "vscode";

/** What runHostTests() asks for. */
export type HostRun = {
  /** Compiled file → path of its source in the repository. */
  readonly files: Readonly<Record<string, string>>;
  readonly reportFile: string;
  /** Extensions that must activate. */
  readonly extensions: readonly string[];
  readonly timeoutMs: number;
  readonly grep?: string;
};

/** A rejected activation fails the run, also when no test asks for it. Last, so that tests may see what is lazy. */
function addActivationTests({ Suite, Test }: typeof Mocha, mocha: Mocha, run: HostRun): void {
  const suite = Suite.create(mocha.suite, "activation");
  for (const id of run.extensions) {
    const test = new Test(`${id} activates`, async () => {
      const extension = vscode.extensions.getExtension(id);
      if (!extension) throw new Error(`VS Code does not know the extension ${id}`);
      await extension.activate();
    });
    test.file = "activation";
    suite.addTest(test);
  }
}

export async function run(): Promise<void> {
  const file = process.env.CLOAKROOM_HOST_RUN;
  if (!file)
    throw new Error("CLOAKROOM_HOST_RUN does not name a run: start host tests with `npm run test:host`");
  const given = JSON.parse(readFileSync(file, "utf8")) as HostRun;
  // mocha is an ES module of the repository; this file is bundled as CommonJS.
  const { default: MochaClass } = await import("mocha");
  const { runMocha } = await import("./mocha");
  const failures = await runMocha({
    files: Object.keys(given.files),
    reportFile: given.reportFile,
    nameOf: (compiled) => given.files[path.resolve(compiled)] ?? compiled,
    timeoutMs: given.timeoutMs,
    grep: given.grep,
    prepare: (mocha) => addActivationTests(MochaClass, mocha, given),
  });
  if (failures > 0) throw new Error(`${failures} failed`);
}
