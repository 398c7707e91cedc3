/** A file for the user, in a folder of theirs: under its name when it is whole, or not at all. */
import { randomUUID } from "node:crypto";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "../schema/failure";
import { syncFolder } from "./atomic";
import type { OnStep } from "./layout";

/** `write` makes the file under the name it is given, and resolves when it is on disk. Named steps: write → name. */
export async function writeWhole(
  file: string,
  noun: string,
  onStep: OnStep,
  write: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    await onStep("write");
    await write(draft);
    await onStep("name");
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(draft, { force: true });
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof Failure || code === undefined) throw cause;
    throw new Failure(
      "export-failed",
      `${noun} could not be written to ${file} (${code}). Pick another place, then try again.`,
      { code, file },
      { cause },
    );
  }
}
