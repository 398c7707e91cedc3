/** Runs one command line in the platform's shell and collects what it prints. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { setTimeout as delay, setImmediate as immediate } from "node:timers/promises";
import { endProcessTree } from "./processTree";

/** Sizes in bytes of output as printed, times in milliseconds. */
export type ShellRun = {
  readonly folder: string;
  readonly timeoutMs: number;
  readonly graceMs: number; // between asking a process tree to end and killing it
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
};

export type ShellEnd =
  | { readonly kind: "exited"; readonly exitCode: number }
  | { readonly kind: "killed"; readonly signal: string } // by itself or from outside
  | { readonly kind: "not_started"; readonly reason: string }
  | { readonly kind: "timed_out" | "stopped" | "too_much_output" }; // ended by us, with its whole tree

/** `output` is everything printed, both streams in order; `holdsOutput` when a process left behind could still print more. */
export type ShellResult = { readonly output: string; readonly end: ShellEnd; readonly holdsOutput: boolean };

/** How long a pipe must be silent after the shell's end to be given up, and how long it may go on talking. */
const SILENT_MS = 300;
const TALKING_MS = 2000;

/** The shell that runs commands, by its name. */
export const shellName: string =
  process.platform === "win32" ? "cmd.exe" : existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";

/** Contract: when it resolves because of a time-out, a stop or too much output, the process tree has been ended. */
export async function runShell(command: string, run: ShellRun): Promise<ShellResult> {
  if (run.signal.aborted) return { output: "", end: { kind: "stopped" }, holdsOutput: false };
  const child = start(command, run.folder);
  const exit = new Promise<ShellEnd>((resolve) => {
    child.once("error", (cause) => resolve({ kind: "not_started", reason: cause.message }));
    child.once("exit", (code, signal) =>
      resolve(code === null ? { kind: "killed", signal: `${signal}` } : { kind: "exited", exitCode: code }),
    );
  });
  const close = new Promise<"closed">((resolve) => child.once("close", () => resolve("closed")));

  let cutShort: (end: ShellEnd) => void = () => {};
  const cut = new Promise<ShellEnd>((resolve) => {
    cutShort = resolve;
  });
  const timer = setTimeout(() => cutShort({ kind: "timed_out" }), run.timeoutMs);
  const stop = () => cutShort({ kind: "stopped" });
  run.signal.addEventListener("abort", stop, { once: true });
  const output = new CommandOutput(child, run, cutShort);

  try {
    const end = await Promise.race([exit, cut]);
    if (end.kind === "timed_out" || end.kind === "stopped" || end.kind === "too_much_output") {
      if (child.pid !== undefined) await endProcessTree(child.pid, run.graceMs);
    }
    const isClosed = end.kind === "not_started" || (await output.isDrained(close));
    const text = output.finish();
    if (output.faults.length > 0) throw output.faults[0];
    return { output: text, end, holdsOutput: !isClosed };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", stop);
    child.stdout?.destroy(); // a process left behind must not keep the host from ending
    child.stderr?.destroy();
  }
}

function start(command: string, folder: string): ChildProcess {
  const options = { cwd: folder, env: commandEnvironment(process.env), windowsHide: true };
  if (process.platform === "win32") {
    return spawn(command, { ...options, shell: true, stdio: ["ignore", "pipe", "pipe"] });
  }
  // One pipe for both streams keeps them in the order they were written; its own group can be ended as one.
  const script = 'exec "$0" -c "$1" 2>&1';
  return spawn("/bin/sh", ["-c", script, shellName, command], {
    ...options,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** The editor's own variables would make a child believe that it is part of the editor. */
export function commandEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(VSCODE|ELECTRON)_/i.test(name)),
  );
}

/** What a command has printed so far. A watcher that throws ends the command; its fault is kept. */
class CommandOutput {
  readonly faults: unknown[] = [];
  readonly #parts: string[] = [];
  readonly #decoders: StringDecoder[] = [];
  readonly #onText: (text: string) => void;
  readonly #cutShort: (end: ShellEnd) => void;
  #bytes = 0;

  constructor(child: ChildProcess, run: ShellRun, cutShort: (end: ShellEnd) => void) {
    this.#onText = run.onText;
    this.#cutShort = cutShort;
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder("utf8"); // a character may come in two chunks
      this.#decoders.push(decoder);
      stream?.on("data", (chunk: Buffer) => {
        if (this.#bytes >= run.maxOutputBytes) return;
        this.#bytes += chunk.length;
        this.#add(decoder.write(chunk));
        if (this.#bytes >= run.maxOutputBytes) cutShort({ kind: "too_much_output" });
      });
    }
  }

  /** Waits for what is still in the pipe. False when something holds it open, silent or talking on. */
  async isDrained(close: Promise<"closed">): Promise<boolean> {
    for (let waited = 0; waited < TALKING_MS; waited += SILENT_MS) {
      const before = this.#bytes;
      if ((await Promise.race([close, delay(SILENT_MS)])) === "closed") return true;
      await immediate(); // a host that was busy all the time has not looked at the pipe yet
      if (this.#bytes === before) return false;
    }
    return false;
  }

  /** The whole text. */
  finish(): string {
    for (const decoder of this.#decoders) this.#add(decoder.end());
    return this.#parts.join("");
  }

  #add(text: string): void {
    if (text === "") return;
    this.#parts.push(text);
    try {
      this.#onText(text);
    } catch (cause) {
      this.faults.push(cause);
      this.#cutShort({ kind: "stopped" });
    }
  }
}
