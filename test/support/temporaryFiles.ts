// test/support: files in a temporary folder, for tests inside VS Code.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

export type TemporaryFiles = {
  readonly folder: string;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): string;
  remove(): void;
};

export function temporaryFiles(): TemporaryFiles {
  const folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), "clk-files-")));
  return {
    folder,
    write: (name, content) => {
      const file = path.join(folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Waits for a state inside VS Code, never for a time. */
export async function eventually<T>(what: string, look: () => T | undefined | false | null): Promise<T> {
  const untilMs = Date.now() + 15_000;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > untilMs) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
