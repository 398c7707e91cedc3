// test/run: runs a command to its end, or to its time limit, and keeps what it printed.
import { spawn } from "node:child_process";
import { root } from "../../scripts/bootstrap.mjs";

export type Finished = {
  readonly code: number | string;
  /** Why it was ended, when it did not end by itself. */
  readonly stuck: string | null;
  readonly output: string;
};

export type CommandOptions = {
  readonly limitSeconds: number;
  /** Looked at every second: a reason to end the command, or null. */
  readonly isStuck?: () => string | null;
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
  let stuck: string | null = null;
  const timers: NodeJS.Timeout[] = [];
  const end = () => {
    signalAll("SIGTERM");
    timers.push(setTimeout(() => signalAll("SIGKILL"), GRACE_MS));
  };
  const untilMs = Date.now() + limitSeconds * 1000;
  const watch = setInterval(() => {
    stuck = options.isStuck?.() ?? (Date.now() > untilMs ? `no end within ${limitSeconds} s` : null);
    if (stuck === null) return;
    clearInterval(watch);
    end();
  }, 1_000);
  const interrupted = () => end(); // Ctrl+C reaches us only: the child has its own group
  process.on("SIGINT", interrupted);
  process.on("SIGTERM", interrupted);
  try {
    const code = await new Promise<number | string>((resolve, reject) =>
      child.once("error", reject).once("close", (status, signal) => resolve(status ?? signal ?? "unknown")),
    );
    return { code, stuck, output };
  } finally {
    clearInterval(watch);
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
