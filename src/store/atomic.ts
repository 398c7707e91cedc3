/** Writing a file so that it is there whole or not at all: temporary name, fsync, rename, fsync of the folder. */
import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Disk, nodeDisk } from "./disk";

/** Only the user may read what agents saw. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Resolves once `content` is on disk under `path`. A crash leaves the old file or the new one. */
export async function writeAtomically(
  path: string,
  content: string | Uint8Array,
  disk = nodeDisk,
): Promise<void> {
  await makeFolder(dirname(path), disk);
  await writeWith(path, (file) => file.writeFile(content, "utf8"), disk);
}

/** The same for a writer of its own, in a folder that is there: what it wrote when it resolves becomes the file. Resolves with what it did. */
export async function writeWith<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
  disk = nodeDisk,
): Promise<T> {
  const folder = dirname(path);
  const draft = join(folder, `.${randomUUID()}.tmp`);
  let written: T;
  try {
    const file = await disk.open(draft, "wx", FILE_MODE);
    try {
      written = await write(file);
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(draft, path);
  } catch (cause) {
    await disk.rm(draft, { force: true });
    throw cause;
  }
  await syncFolder(folder, disk);
  return written;
}

/** Makes a folder and what is missing above it, on disk when this resolves. */
export async function makeFolder(folder: string, disk: Disk = nodeDisk): Promise<void> {
  const first = await disk.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made), disk);
}

export async function syncFolder(folder: string, disk: Disk = nodeDisk): Promise<void> {
  if (process.platform === "win32") return; // a folder cannot be opened there; NTFS journals the rename
  const handle = await disk.open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
