// test/run: starts VS Code on a host run, in a Node of its own. Started by runHostTests() with the launch as JSON.
import { runTests } from "@vscode/test-electron";

export type HostLaunch = {
  readonly vscode: string;
  readonly extensions: readonly string[];
  readonly index: string;
  readonly runFile: string;
  readonly launchArgs: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

const [given = ""] = process.argv.slice(2);
const launch = JSON.parse(given) as HostLaunch;
process.on("SIGTERM", () => {}); // the whole group is told to end: VS Code first, and we follow it

await runTests({
  vscodeExecutablePath: launch.vscode,
  extensionDevelopmentPath: [...launch.extensions],
  extensionTestsPath: launch.index,
  launchArgs: [...launch.launchArgs],
  extensionTestsEnv: { ...launch.environment, CLOAKROOM_HOST_RUN: launch.runFile },
}).catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
