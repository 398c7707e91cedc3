// test/vscode: starts and ends the npm-hosted VS Code. It listens on the loopback interface only.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { nodeExecutable, vscodeFolder } from "./places";
import { QUIET_SETTINGS, RESTRICTED_SETTINGS } from "./settings";

export type ServerFolders = {
  readonly userData: string;
  readonly extensions: string;
  /** Sockets live below it: keep it short (a socket's path may have 107 bytes). */
  readonly server: string;
};

export type ServerOptions = {
  readonly folders: ServerFolders;
  /** Added to the quiet ones. Written only where no settings.json is yet. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Workspaces open in Restricted Mode. Otherwise everything is trusted. */
  readonly restricted?: boolean;
  /** Stays when nobody has been connected for a while. Otherwise it ends by itself, should we be killed before it. */
  readonly lingers?: boolean;
  /** For the server and its extension hosts. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly log?: (text: string) => void;
  readonly timeoutMs?: number;
};

export type Server = {
  readonly port: number;
  readonly pid: number;
  readonly authority: string;
  readonly exited: Promise<number | string>;
  /** Ends the server and everything it started. */
  stop(): Promise<void>;
};

export const serverFolders = (base: string): ServerFolders => ({
  userData: path.join(base, "user"),
  extensions: path.join(base, "extensions"),
  server: path.join(base, "s"),
});

function environmentFor(folders: ServerFolders, given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // A run from a VS Code terminal inherits variables that would tie this server to that window.
  const kept = Object.entries(given).filter(
    ([name]) =>
      name !== "ELECTRON_RUN_AS_NODE" && (!name.startsWith("VSCODE_") || name === "VSCODE_TEST_OPTIONS"),
  );
  const sockets = path.join(folders.server, "t");
  mkdirSync(sockets, { recursive: true, mode: 0o700 });
  return {
    ...Object.fromEntries(kept),
    EXTENSIONS_GALLERY: given.EXTENSIONS_GALLERY ?? "{}", // no gallery, no look-ups
    TMPDIR: sockets,
    XDG_RUNTIME_DIR: sockets,
  };
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const {
    folders,
    restricted = false,
    environment = process.env,
    log = () => {},
    timeoutMs = 60_000,
  } = options;
  // To the workbench we are a remote machine: settings of scope "machine" are read from a file of their own.
  const settingsFile = path.join(folders.userData, "User", "settings.json");
  const machineFile = path.join(folders.userData, "Machine", "settings.json");
  for (const folder of [
    folders.extensions,
    folders.server,
    path.dirname(settingsFile),
    path.dirname(machineFile),
  ]) {
    mkdirSync(folder, { recursive: true });
  }
  if (!existsSync(settingsFile)) {
    const settings = { ...QUIET_SETTINGS, ...(restricted ? RESTRICTED_SETTINGS : {}), ...options.settings };
    writeFileSync(settingsFile, JSON.stringify(settings, null, 2));
    writeFileSync(machineFile, JSON.stringify(options.settings ?? {}, null, 2));
  }
  const child = spawn(
    nodeExecutable(),
    [
      path.join(vscodeFolder(), "out/server-main.js"),
      "--accept-server-license-terms",
      "--without-connection-token",
      ...["--host", "127.0.0.1", "--port", "0"],
      ...["--server-data-dir", folders.server, "--user-data-dir", folders.userData],
      ...["--extensions-dir", folders.extensions],
      ...["--disable-telemetry", "--telemetry-level", "off", "--disable-update-check"],
      ...["--force-disable-user-env", "--disable-getting-started-override"],
      ...(restricted ? [] : ["--disable-workspace-trust"]),
      ...(options.lingers ? [] : ["--enable-remote-auto-shutdown"]),
    ],
    { env: environmentFor(folders, environment), stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  const exited = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "unknown")),
  );
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  const endWithUs = () => signalGroup("SIGKILL");
  process.once("exit", endWithUs);
  const stop = async () => {
    signalGroup("SIGTERM");
    await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 3_000).unref())]);
    signalGroup("SIGKILL"); // the whole group: extension hosts, terminals, file watcher
    process.removeListener("exit", endWithUs);
  };
  const port = await new Promise<number>((resolve, reject) => {
    let output = "";
    const fail = (why: string) => reject(new Error(`VS Code's server ${why}:\n${output}`));
    const timer = setTimeout(() => fail(`did not start within ${timeoutMs} ms`), timeoutMs);
    const feed = (data: Buffer) => {
      const text = data.toString();
      log(text);
      if (output.length < 100_000) output += text;
      const listening = /Extension host agent listening on (\d+)/.exec(output)?.[1];
      if (listening) {
        clearTimeout(timer);
        resolve(Number(listening));
      }
    };
    child.stdout.on("data", feed);
    child.stderr.on("data", feed);
    child.once("error", reject);
    exited.then((code) => {
      clearTimeout(timer);
      fail(`exited with ${code}`);
    });
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { port, pid: child.pid ?? 0, authority: `127.0.0.1:${port}`, exited, stop };
}
