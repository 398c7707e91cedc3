// test/run: runs test files in a Node of their own. Started by nodeStage() with the run as JSON.
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { runMocha } from "./mocha";

const [given = ""] = process.argv.slice(2);
const run = JSON.parse(given) as { files: string[]; reportFile: string; timeoutMs: number; grep?: string };

// Leave by the front door: what was started by a test is ended by handlers of "exit".
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

const failures = await runMocha({
  ...run,
  files: run.files.map((file) => path.join(root, file)),
  nameOf: (file) => path.relative(root, file),
});
process.exitCode = failures > 0 ? 1 : 0;
setTimeout(() => {
  console.error(`still open after the tests: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(1);
}, 10_000).unref();
