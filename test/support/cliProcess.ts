// test/support: the command line as a process: bundled from the sources, once for all tests of this process.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { root } from "../../scripts/bootstrap.mjs";
import { bundleWriter } from "./writerProcess";

export type Finished = { readonly code: number; readonly out: string; readonly err: string };

let bundled: Promise<string> | undefined;

/** The file of the program. It finds what lies beside the real one. */
export function cliProgram(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

function bundle(): Promise<string> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "clk-program-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(path.join(root, "packs"), path.join(folder, "packs"), "junction");
  symlinkSync(path.join(root, "package.json"), path.join(folder, "package.json"));
  return bundleWriter(path.join(folder, "dist"), path.join(root, "src", "cli.ts"));
}

/** Runs it to its end; throws where it did not start, was killed or said too much. `env`: in place of this process's own. */
export async function runCli(
  words: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  const program = await cliProgram();
  return new Promise((resolve, reject) =>
    execFile(process.execPath, [program, ...words], { cwd, env }, (error, out, err) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") resolve({ code, out, err });
      else reject(error); // it has no exit code of its own
    }),
  );
}
