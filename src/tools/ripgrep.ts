/** Finds and runs ripgrep. It is started with arguments, never through a shell, and never reads its own configuration. */
import { spawn } from "node:child_process";
import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { errorCode } from "./errorCode";

/** Where VS Code keeps it, below `env.appRoot`, newest layout first (TOOLCHAIN, VS Code). */
const PLACES = ["node_modules", "node_modules.asar.unpacked"].flatMap((modules) => [
  [modules, "@vscode", "ripgrep-universal", "bin", `${process.platform}-${process.arch}`],
  [modules, "@vscode", "ripgrep", "bin"],
]);

/** The path of a ripgrep that can be run: VS Code's own, else one on PATH, else null. Both arguments may be unknown. */
export async function findRipgrep(
  appRoot: string | undefined,
  pathVariable: string | undefined,
): Promise<string | null> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const below = appRoot === undefined ? [] : PLACES.map((place) => join(appRoot, ...place, name));
  // A relative entry would run whatever a workspace calls rg.
  const onPath = (pathVariable ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name));
  for (const candidate of [...below, ...onPath]) {
    if (await canRun(candidate)) return candidate;
  }
  return null;
}

export type RipgrepRun = {
  readonly folder: string; // where it runs
  readonly input: Uint8Array | null; // standard input; null = none
  readonly separator: "\n" | "\0"; // what ends a record
  readonly signal: AbortSignal;
  readonly onRecord: (record: string) => void;
};

export type RipgrepEnd =
  | { readonly kind: "ended"; readonly exitCode: number; readonly problems: string }
  | { readonly kind: "unavailable" }; // it could not be started at all

/** Runs ripgrep to its end. Rejects with the signal's reason when it aborts, after the process is killed. */
export function runRipgrep(ripgrep: string, args: readonly string[], run: RipgrepRun): Promise<RipgrepEnd> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(run.signal.reason);
    const child = spawn(ripgrep, ["--no-config", ...args], {
      cwd: run.folder,
      stdio: [run.input === null ? "ignore" : "pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    const kill = () => void child.kill("SIGKILL");
    run.signal.addEventListener("abort", kill, { once: true });
    const settle = (act: () => void) => {
      run.signal.removeEventListener("abort", kill);
      act();
    };
    let problems = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (problems.length < 65_536) problems += text;
    });
    const records = splitRecords(run.separator, run.onRecord);
    child.stdout?.on("data", (chunk: Buffer) => {
      try {
        records.push(chunk);
      } catch (cause) {
        kill();
        settle(() => reject(cause));
      }
    });
    child.stdin?.on("error", (cause) => {
      if (errorCode(cause) !== "EPIPE") settle(() => reject(cause)); // it may end before it has read everything
    });
    if (run.input !== null) child.stdin?.end(run.input);
    child.on("error", () => settle(() => resolve({ kind: "unavailable" })));
    child.on("close", (exitCode) => {
      settle(() => {
        if (run.signal.aborted) reject(run.signal.reason);
        else resolve({ kind: "ended", exitCode: exitCode ?? -1, problems });
      });
    });
  });
}

function splitRecords(separator: string, onRecord: (record: string) => void) {
  const byte = separator.charCodeAt(0);
  let held: Buffer[] = []; // the start of a record whose end has not come yet
  return {
    push(chunk: Buffer) {
      let from = 0;
      for (let end = chunk.indexOf(byte); end !== -1; end = chunk.indexOf(byte, from)) {
        held.push(chunk.subarray(from, end));
        const record = Buffer.concat(held).toString("utf8");
        held = [];
        from = end + 1;
        onRecord(record);
      }
      if (from < chunk.length) held.push(chunk.subarray(from));
    },
  };
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (cause) {
    errorCode(cause);
    return false;
  }
}
