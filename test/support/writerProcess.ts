// test/support: starts the writer, bundled once, as a real process.
import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { build } from "esbuild";

/** Bundles the writer, or another program, into `folder`; the file's path. */
export async function bundleWriter(folder: string, program = "test/support/writer.ts"): Promise<string> {
  const outfile = path.join(folder, `${path.basename(program, ".ts")}.mjs`);
  const entry = path.resolve(program);
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    mainFields: ["module", "main"], // as the package is built
    logLevel: "error",
    banner: {
      // Bundled CommonJS packages ask for Node's own modules by require().
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
  return outfile;
}

/** A running writer. `lines` grows while it runs; `ended` resolves when it is gone. */
export type Writer = {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves with the first line that begins with `word`; rejects with its errors when the process ends without one. */
  line(word: string): Promise<string>;
  readonly ended: Promise<void>;
};

/** A test that fails half way leaves no writer behind: they go with the tests' own process. */
const live = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of live) child.kill("SIGKILL");
});

/** `limitBlocks`: no file may grow beyond so many blocks of 1024 bytes (a disk that gives out, on POSIX). */
export function startWriter(
  file: string,
  args: readonly string[],
  limitBlocks?: number,
  environment: Readonly<Record<string, string>> = {},
): Writer {
  const command = [process.execPath, file, ...args];
  const env = { ...process.env, ...environment };
  const child =
    limitBlocks === undefined
      ? spawn(command[0] ?? "", command.slice(1), { env, stdio: ["ignore", "pipe", "pipe"] })
      : spawn("bash", ["-c", `ulimit -f ${limitBlocks}; exec "$@"`, "bash", ...command], {
          env,
          stdio: ["ignore", "pipe", "pipe"],
        });
  live.add(child);
  child.on("close", () => live.delete(child));
  const lines: string[] = [];
  let rest = "";
  let errors = "";
  const waiting = new Set<() => void>();
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  let isGone = false;
  const ended = new Promise<void>((resolve) =>
    child.on("close", () => {
      isGone = true;
      for (const look of waiting) look();
      resolve();
    }),
  );
  const line = (word: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const found = lines.find((candidate) => candidate.startsWith(`${word} `));
        if (found === undefined && !isGone) return;
        waiting.delete(look);
        if (found === undefined) reject(new Error(`the writer ended: ${errors}`));
        else resolve(found.slice(word.length + 1));
      };
      waiting.add(look);
      look();
    });
  return { child, lines, line, ended };
}
