// test/vscode: the browser that shows the workbench: any Chromium already here, else Debian's.
import { spawn } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { root } from "../../scripts/bootstrap.mjs";
import { withLock } from "../../scripts/lock.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const PLACES = [
  "/usr/lib/chromium/chromium",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const INSTALL = [
  ["apt-get", "update", "-qq"],
  // Chromium only recommends fonts, and a screenshot without any is blank.
  [
    "apt-get",
    "install",
    "-y",
    "-qq",
    "--no-install-recommends",
    "chromium",
    "fonts-dejavu-core",
    "fonts-liberation",
  ],
] as const;

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // absent or not ours to run: either way not a browser for us
  }
}

/** The path of a Chromium on this machine. `CLOAKROOM_CHROMIUM` comes first. */
export function findChromium(): string | undefined {
  const given = process.env.CLOAKROOM_CHROMIUM;
  if (given) return given;
  const onPath = (process.env.PATH ?? "")
    .split(path.delimiter)
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...onPath, ...PLACES, chromium.executablePath()].find((file) => file !== "" && isExecutable(file));
}

/** Finds a Chromium; as root on Debian installs one. Otherwise fails with the command to type. */
export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found) return found;
  const commands = INSTALL.map((command) => command.join(" ")).join(" && ");
  const hint = `No Chromium was found on PATH. Install one and run this again, for example:\n  sudo sh -c '${commands}'\nor name one: CLOAKROOM_CHROMIUM=/path/to/chrome`;
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) throw new Error(hint);
  return withLock(path.join(root, ".vscode-test", "chromium.lock"), async () => {
    const already = findChromium();
    if (already) return already;
    process.stderr.write("set-up: installing Chromium\n");
    for (const [command, ...args] of INSTALL) {
      const child = spawn(command, [...args, "-o", "DPkg::Lock::Timeout=300"], {
        stdio: ["ignore", 2, 2],
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
      const status = await new Promise((resolve, reject) =>
        child.once("error", reject).once("close", resolve),
      );
      if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed with ${status}.\n${hint}`);
    }
    const installed = findChromium();
    if (!installed) throw new Error(hint);
    return installed;
  });
}
