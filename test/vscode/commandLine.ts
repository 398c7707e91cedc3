// test/vscode: the part of VS Code's command line that opens no window: installs and lists extensions.
import { spawn } from "node:child_process";
import path from "node:path";
import { nodeExecutable, vscodeFolder } from "./places";
import type { ServerFolders } from "./server";

/** Resolves with the exit code. The output goes to stderr, or to this process's own with "inherit". */
export async function runCommandLine(
  folders: ServerFolders,
  args: readonly string[],
  output: "inherit" | 2 = 2,
): Promise<number> {
  const child = spawn(
    nodeExecutable(),
    [
      path.join(vscodeFolder(), "out/server-main.js"),
      "--accept-server-license-terms",
      ...["--user-data-dir", folders.userData, "--server-data-dir", folders.server],
      ...["--extensions-dir", folders.extensions],
      ...args,
    ],
    { stdio: ["ignore", output, output], env: { ...process.env, EXTENSIONS_GALLERY: "{}" } },
  );
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (code) => resolve(code ?? 1)),
  );
}

/** Installs a package as a person would with `code --install-extension FILE`. */
export async function installVsix(folders: ServerFolders, vsix: string): Promise<void> {
  const code = await runCommandLine(folders, ["--install-extension", vsix]);
  if (code !== 0) throw new Error(`VS Code did not install ${vsix}: exit ${code}`);
}
