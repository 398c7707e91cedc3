/** The Workspace port on a plain disk: the CLI's, and the base of VS Code's, which answers for open documents first. */
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { Failure } from "../schema/failure";
import { errorCode } from "./errorCode";
import type { FileRead, Root, Workspace } from "./ports";

/** Opens folders as a workspace. Throws `Failure("no-workspace")` for none, for one that is missing, and for a name used twice. */
export async function openNodeWorkspace(folders: readonly Root[]): Promise<Workspace> {
  if (folders.length === 0) throw new Failure("no-workspace", "Open a folder first.");
  const roots: Root[] = [];
  for (const { name, path } of folders) {
    if (roots.some((root) => root.name === name)) {
      throw new Failure("no-workspace", `Two folders are called ${name}: give them different names.`, {
        name,
      });
    }
    const real = await realpath(path).catch((cause: unknown) => {
      const reason = errorCode(cause);
      throw new Failure(
        "no-workspace",
        `The folder ${name} cannot be opened (${reason}). Check that it is there and that you may read it.`,
        { name },
        { cause },
      );
    });
    roots.push({ name, path: real });
  }
  return { roots: () => roots, read: readFromDisk, unsaved: () => [] };
}

/** Reads a regular file of at most `maxBytes`. `path` comes out of `confine`: a link in its last place is refused. */
export async function readFromDisk(path: string, maxBytes: number): Promise<FileRead> {
  // Not following and not blocking: a link or a pipe that took the file's place since must not be read or waited for.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  try {
    const file = await open(path, flags);
    try {
      const stat = await file.stat();
      if (stat.isDirectory()) return { kind: "folder" };
      if (!stat.isFile()) return { kind: "special" };
      if (stat.size > maxBytes) return { kind: "too_large", sizeBytes: stat.size };
      const bytes = await file.readFile();
      return bytes.length > maxBytes
        ? { kind: "too_large", sizeBytes: bytes.length } // it grew while it was read
        : { kind: "file", bytes };
    } finally {
      await file.close();
    }
  } catch (cause) {
    const code = errorCode(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "missing" };
    if (code === "EISDIR") return { kind: "folder" };
    if (code === "ENXIO") return { kind: "special" };
    return { kind: "unreadable", reason: code };
  }
}
