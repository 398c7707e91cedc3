/** Stored results on disk, named by their digest. A blob is written once, then only read. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Digest } from "../schema/claim";
import { Failure } from "../schema/failure";
import type { SafeText } from "../schema/text";
import { writeAtomically } from "./atomic";
import { sha256 } from "./digest";

/** Invariant: what `put` resolved for, `read` returns or throws for; it never returns other bytes. */
export class Blobs {
  readonly #root: string;

  /** `root` is the session's `blobs` folder; it is made when the first blob is put. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Stores `text` under its digest. Putting the same text again writes nothing (C7). */
  async put(text: SafeText): Promise<{ sha256: Digest }> {
    const digest = sha256(text);
    const path = this.#path(digest);
    if (!(await exists(path))) await writeAtomically(path, text);
    return { sha256: digest };
  }

  /** Reads a text back and proves it. Throws `blob-missing`, `blob-corrupt`, or the disk's own error. */
  async read(digest: Digest): Promise<SafeText> {
    const text = await readFile(this.#path(digest), "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "ENOENT") throw cause; // a locked or unreadable disk is not a missing blob
      throw new Failure("blob-missing", `Stored content ${digest} is not on disk.`, { digest }, { cause });
    });
    const found = sha256(text);
    if (found !== digest) {
      throw new Failure("blob-corrupt", `Stored content ${digest} was altered on disk.`, { digest, found });
    }
    return text as SafeText;
  }

  #path(digest: Digest): string {
    return join(this.#root, digest.slice(0, 2), digest);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}
