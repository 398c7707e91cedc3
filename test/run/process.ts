// test/run: runs a command to its end, or to its time limit, and keeps what it printed.
import { spawn } from "node:child_process";
import { root } from "../../scripts/bootstrap.mjs";

export type Finished = {
  readonly code: number | string;
  readonly timedOut: boolean;
  readonly limitSeconds: number;
  readonly output: string;
};

export type CommandOptions = {
  readonly limitSeconds: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly cwd?: string;
};

/** How long a command may take to clean up after it was told to end. */
const GRACE_MS = 10_000;

export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Finished> {
  const { limitSeconds, environment = process.env, cwd = root } = options;
  // Its own group, so that the limit ends what it started, too.
  const detached = process.platform !== "win32";
  const child = spawn(command, args, { cwd, env: environment, stdio: ["ignore", "pipe", "pipe"], detached });
  let output = "";
  const feed = (data: Buffer) => {
    output += data.toString();
  };
  child.stdout.on("data", feed);
  child.stderr.on("data", feed);
  const signalAll = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(detached ? -child.pid : child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  let timedOut = false;
  const timers: NodeJS.Timeout[] = [];
  const end = () => {
    signalAll("SIGTERM");
    timers.push(setTimeout(() => signalAll("SIGKILL"), GRACE_MS));
  };
  timers.push(
    setTimeout(() => {
      timedOut = true;
      end();
    }, limitSeconds * 1000),
  );
  const interrupted = () => end(); // Ctrl+C reaches us only: the child has its own group
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  try {
    const code = await new Promise<number | string>((resolve, reject) =>
      child.once("error", reject).once("close", (status, signal) => resolve(status ?? signal ?? "unknown")),
    );
    return { code, timedOut, limitSeconds, output };
  } finally {
    for (const timer of timers) clearTimeout(timer);
    process.off("SIGINT", interrupted);
    process.off("SIGTERM", interrupted);
  }
}

/** Runs one of our TypeScript files in a Node of its own. */
export const runScript = (
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Finished> =>
  runCommand(process.execPath, ["--import", import.meta.resolve("tsx"), file, ...args], options);
