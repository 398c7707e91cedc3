/** Writing a file so that it is there whole or not at all: temporary name, fsync, rename, fsync of the folder. */
import { randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Only the user may read what agents saw. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Resolves once `content` is on disk under `path`. A crash leaves the old file or the new one. */
export async function writeAtomically(path: string, content: string | Uint8Array): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  const draft = join(folder, `.${randomUUID()}.tmp`);
  try {
    const file = await open(draft, "wx", FILE_MODE);
    try {
      await file.writeFile(content, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  }
  await syncFolder(folder);
}

/** Makes a folder and what is missing above it, on disk when this resolves. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made));
}

export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // a folder cannot be opened there; NTFS journals the rename
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
