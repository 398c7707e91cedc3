/** Stored results on disk, named by their digest. A blob is written once, then only read. */
import { readFile } from "node:fs/promises";
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

  /**
   * Stores `text` under its digest. Putting the same text again writes nothing (C7), unless what is there was altered:
   * running the source tool again then heals the handle (C27).
   */
  async put(text: SafeText): Promise<{ sha256: Digest }> {
    const digest = sha256(text);
    if (!(await this.#holds(digest))) await writeAtomically(this.#path(digest), text);
    return { sha256: digest };
  }

  async #holds(digest: Digest): Promise<boolean> {
    try {
      await this.read(digest);
      return true;
    } catch (cause) {
      if (cause instanceof Failure) return false; // missing or altered
      throw cause;
    }
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
