/** A server's process: started in a group of its own, and ended with all that it started. */
import { type ChildProcess, spawn } from "node:child_process";
import { Lines, Tail } from "./lines";
import type { ServerSettings } from "./settings";

/** Ends the process `pid`, which leads its own group, and all below it: asks first, kills after `graceMs`. */
export type EndProcessTree = (pid: number, graceMs: number) => Promise<void>;

/** A result of 64 MB, the most that is kept of one, in base64. */
const MAXIMUM_LINE_BYTES = 88 * 1024 * 1024;
const STDERR_CHARS = 16_384;
const STDIN_CLOSED_MS = 300; // a server that obeys the protocol ends when its input does
const GRACE_MS = 1500;
const DRAINED_MS = 300;

/** What a server gets of our own environment: where things are, and no keys or tokens. The rest is the user's to name. */
const PASSED_ON =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_ALL|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|PROCESSOR_ARCHITECTURE|PROGRAMFILES|SYSTEMDRIVE|SYSTEMROOT|PATHEXT|COMSPEC)$/i;

export type ServerStart = {
  readonly settings: ServerSettings;
  readonly folder: string; // where it runs unless the settings say
  readonly endProcessTree: EndProcessTree;
  readonly onLine: (line: string) => void;
  /** Once, when nothing more can come: why, in words that follow the server's name. */
  readonly onEnd: (why: string) => void;
};

export class ServerProcess {
  readonly #start: ServerStart;
  readonly #child: ChildProcess;
  readonly #stderr = new Tail(STDERR_CHARS);
  readonly #exited: Promise<string>;
  #ended: Promise<void> | null = null;
  #hasEnded = false;

  constructor(start: ServerStart) {
    this.#start = start;
    this.#child = launch(start);
    this.#exited = new Promise((resolve) => {
      this.#child.once("error", (cause) => resolve(`could not be started: ${cause.message}`));
      this.#child.once("exit", (code, signal) =>
        resolve(`ended by itself (${code === null ? signal : `exit code ${code}`})`),
      );
    });
    const drained = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    void this.#exited.then(async (why) => {
      await Promise.race([drained, after(DRAINED_MS)]); // its last words may still be in the pipe
      this.fail(why); // what it left behind goes now, while its group is known to be its own
    });
    const lines = new Lines(MAXIMUM_LINE_BYTES, start.onLine, () =>
      this.fail("sent a line of more than 88 MB"),
    );
    this.#child.stdout?.on("data", (chunk: Buffer) => lines.add(chunk));
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr])
      stream?.on("error", () => undefined); // told by the process's own end
  }

  /** The last of what it printed on standard error. */
  get stderr(): string {
    return this.#stderr.text;
  }

  send(line: string): void {
    if (!this.#hasEnded) this.#child.stdin?.write(`${line}\n`);
  }

  /** It broke its word: nothing of it counts from now on. */
  fail(why: string): void {
    this.#tellEnd(why);
    void this.end();
  }

  /** Closes its input, then ends its tree. Resolves when it is gone or cannot be helped. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const { pid, stdin, stdout, stderr } = this.#child;
    stdin?.end();
    if (pid !== undefined) {
      if (!this.#hasEnded) await Promise.race([this.#exited, after(STDIN_CLOSED_MS)]);
      await this.#start.endProcessTree(pid, GRACE_MS);
    }
    this.#tellEnd("was closed");
    stdout?.destroy(); // whoever holds the pipe must not keep the host from ending
    stderr?.destroy();
  }

  #tellEnd(why: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#start.onEnd(why);
  }
}

function launch({ settings, folder }: ServerStart): ChildProcess {
  return spawn(settings.command, settings.args, {
    cwd: settings.cwd ?? folder,
    env: { ...passedOn(process.env), ...settings.env },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32", // its own group can be ended as one
    windowsHide: true,
  });
}

export const passedOn = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => PASSED_ON.test(name)));

const after = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
