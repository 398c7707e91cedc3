/** The offline model's script, off the disk. */
import { readFile } from "node:fs/promises";
import { Failure } from "../schema/failure";
import { parseScript, type Script } from "./script";

/** Throws `Failure("script-invalid")` that names the file, and `named`: the setting or option it came from. */
export async function readScript(path: string, named: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new Failure(
      "script-invalid",
      `The script ${path} (${named}) cannot be read (${code}). Name another file, then start again.`,
      { field: named, code },
      { cause },
    );
  }
  return parseScript(text, path);
}
