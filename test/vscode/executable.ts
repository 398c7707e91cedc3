// test/vscode: which VS Code the host tests run in.
import path from "node:path";
import { downloadAndUnzipVSCode } from "@vscode/test-electron";
import { root } from "../../scripts/bootstrap.mjs";
import { ensureChromium } from "./chromium";
import { ensureHost } from "./install";

const hasDisplay = (): boolean =>
  process.platform === "darwin" ||
  process.platform === "win32" ||
  Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

async function canDownload(): Promise<boolean> {
  try {
    // Decided quickly: a proxy that swallows packets must not hold the run up.
    const answer = await fetch("https://update.code.visualstudio.com/api/releases/stable", {
      signal: AbortSignal.timeout(3_000),
    });
    return answer.ok;
  } catch {
    return false; // no network, or not to there: the npm-hosted one serves as well
  }
}

/** The npm-hosted VS Code behind the command line of `code`. */
export async function headlessVSCode(): Promise<string> {
  await ensureHost();
  await ensureChromium();
  return path.join(import.meta.dirname, "headless.mjs");
}

/**
 * `VSCODE_EXECUTABLE_PATH`, else a desktop VS Code where there is a display and its download works, else the npm-hosted
 * one. `CLOAKROOM_VSCODE=headless` asks for the last.
 */
export async function findVSCode(): Promise<string> {
  const given = process.env.VSCODE_EXECUTABLE_PATH;
  if (given) return given;
  if (process.env.CLOAKROOM_VSCODE === "headless" || !hasDisplay() || !(await canDownload()))
    return headlessVSCode();
  return downloadAndUnzipVSCode({ version: "stable", cachePath: path.join(root, ".vscode-test") });
}
