/** The offline model's script, off the disk. */
import { readFile } from "node:fs/promises";
import { Failure } from "../schema/failure";
import { parseScript, type Script } from "./script";

/** Throws `Failure("script-invalid")` that names the file and, where it cannot be read, `setting`. */
export async function readScript(path: string, setting: string): Promise<Script> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    throw new Failure(
      "script-invalid",
      `The offline script ${path} (cloakroom.${setting}) cannot be read (${code}). Name another one in Settings, or leave it empty.`,
      { field: setting, code },
      { cause },
    );
  }
  return parseScript(text, path);
}
