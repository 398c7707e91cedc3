// scripts: runs one of our TypeScript files in a Node of its own, on this terminal.
import { spawn } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./bootstrap.mjs";

/**
 * Resolves with its exit code. Signals go to it first, so that it can end what it started.
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Promise<number>}
 */
export async function runTypeScript(file, args) {
  // By path: the name "tsx" would be looked for below the current folder, and ours may be elsewhere.
  const tsx = pathToFileURL(path.join(root, "node_modules", "tsx", "dist", "loader.mjs")).href;
  const child = spawn(process.execPath, ["--import", tsx, path.join(root, file), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  const forward = (signal) => child.kill(signal);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward);
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (code, signal) => resolve(signal ? 1 : (code ?? 1))),
  );
}
