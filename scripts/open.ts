// scripts: builds, then opens VS Code on a copy of the sample workspace with the extension, the scripted model and the
// inspector: the desktop one, the npm-hosted one in the reader's browser, or without a screen as the demo session.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { build } from "../esbuild.mjs";
import { runDemo } from "../test/support/demo";
import { sampleCopy } from "../test/support/sample";
import { ensureHost } from "../test/vscode/install";
import { serverFolders, startServer } from "../test/vscode/server";
import { QUIET_SETTINGS } from "../test/vscode/settings";
import { workbenchUrl } from "../test/vscode/workbench";
import { root } from "./bootstrap.mjs";

const OPENER = path.join(root, "scripts", "opener");
const SETTINGS = { "cloakroom.model": "scripted" };

const { values } = parseArgs({ options: { headless: { type: "boolean" } } });
// `npm start --headless` without the `--` before it reaches us as a setting of npm.
const npmSetting = process.env.npm_config_headless;
const isHeadlessAsked = values.headless === true || (npmSetting !== undefined && npmSetting !== "false");
const hasDisplay =
  process.platform === "darwin" ||
  process.platform === "win32" ||
  Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

function findDesktop(): string | undefined {
  // In a remote window's terminal `code` speaks to that window and takes no extension from a folder.
  if (!hasDisplay || process.env.VSCODE_IPC_HOOK_CLI) return undefined;
  const name = process.platform === "win32" ? "code.cmd" : "code";
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/** Resolves when the person has closed the window. */
async function openDesktop(code: string, folder: string, base: string): Promise<number> {
  const settings = path.join(base, "user", "User", "settings.json");
  mkdirSync(path.dirname(settings), { recursive: true });
  writeFileSync(settings, JSON.stringify({ ...QUIET_SETTINGS, ...SETTINGS }, null, 2));
  const args = [
    "--wait",
    "--new-window",
    `--user-data-dir=${path.join(base, "user")}`,
    `--extensions-dir=${path.join(base, "extensions")}`,
    `--extensionDevelopmentPath=${root}`,
    `--extensionDevelopmentPath=${OPENER}`,
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    folder,
  ];
  const shell = process.platform === "win32"; // code.cmd needs one, and it needs the quotes
  console.log(`VS Code opens on ${folder}; this ends when its window is closed.`);
  const child = spawn(shell ? `"${code}"` : code, shell ? args.map((text) => `"${text}"`) : args, {
    stdio: "inherit",
    shell,
  });
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (status) => resolve(status ?? 1)),
  );
}

/** Puts an extension where an installed one would be: a reader's own browser cannot be told of a development folder. */
function installUnpacked(source: string, parts: readonly string[], extensionsFolder: string): void {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  const target = path.join(extensionsFolder, `${publisher}.${name}-${version}`);
  for (const part of parts) {
    if (existsSync(path.join(source, part)))
      cpSync(path.join(source, part), path.join(target, part), { recursive: true });
  }
}

async function openInBrowser(folder: string, base: string, stopped: Promise<unknown>): Promise<number> {
  await ensureHost();
  const folders = serverFolders(base);
  installUnpacked(root, ["package.json", "dist", "media", "schemas"], folders.extensions);
  installUnpacked(OPENER, ["package.json", "extension.cjs"], folders.extensions);
  const server = await startServer({ folders, settings: SETTINGS, lingers: true });
  console.log(
    `\nOpen ${workbenchUrl(server, folder)}\n\nCtrl+C ends VS Code and removes the copy of the sample.`,
  );
  const ended = await Promise.race([stopped.then(() => 0), server.exited.then(() => 1)]);
  await server.stop();
  return ended;
}

const stopped = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
});

await build();
if (isHeadlessAsked || (!process.stdout.isTTY && !hasDisplay)) {
  const finished = runDemo({
    say: (text) => console.log(text),
    screenshot: path.join(root, "out", "inspector.png"),
  });
  await Promise.race([finished, stopped.then(() => process.exit(130))]);
} else {
  const sample = sampleCopy();
  const base = mkdtempSync(path.join(os.tmpdir(), "clk-"));
  try {
    const code = findDesktop();
    process.exitCode = await (code
      ? openDesktop(code, sample.folder, base)
      : openInBrowser(sample.folder, base, stopped));
  } finally {
    sample.remove();
    rmSync(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
