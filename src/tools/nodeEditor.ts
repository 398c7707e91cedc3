/** The Editor port on a plain disk. VS Code's own goes through its undo stack instead. */
import { randomUUID } from "node:crypto";
import { access, constants, type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { decodeText, encodeText } from "./decodeText";
import { errorCode } from "./errorCode";
import { readFromDisk } from "./nodeWorkspace";
import { type Editor, type EditResult, MAX_FILE_BYTES } from "./ports";

/** An editor that replaces whole files by rename, so that a crash leaves the old or the new text, never a mixture. */
export const nodeEditor: Editor = {
  async replace(path, before, after) {
    try {
      return before === null ? await create(path, after) : await replaceExisting(path, before, after);
    } catch (cause) {
      return { kind: "unwritable", reason: errorCode(cause) };
    }
  },
};

async function create(path: string, after: string): Promise<EditResult> {
  await mkdir(dirname(path), { recursive: true });
  const draft = await writeDraft(path, encodeText(after, "utf8"), undefined);
  try {
    const taken = await openNew(path);
    if (taken === null) return { kind: "changed" };
    await taken.close();
    await rename(draft, path).catch(async (cause: unknown) => {
      await rm(path, { force: true });
      throw cause;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return { kind: "done" };
}

async function replaceExisting(path: string, before: string, after: string): Promise<EditResult> {
  const read = await readFromDisk(path, MAX_FILE_BYTES);
  if (read.kind === "unreadable") return { kind: "unwritable", reason: read.reason };
  if (read.kind !== "file") return { kind: "changed" };
  const now = decodeText(read.bytes);
  if (now.kind !== "text" || now.text !== before) return { kind: "changed" };
  await access(path, constants.W_OK); // renaming over a read-only file would succeed
  const { mode } = await stat(path);
  const draft = await writeDraft(path, encodeText(after, now.encoding), mode & 0o7777);
  try {
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return { kind: "done" };
}

/** Takes the name `path`; null when someone else has it. */
async function openNew(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, "wx");
  } catch (cause) {
    if (errorCode(cause) !== "EEXIST") throw cause;
    return null;
  }
}

/** A complete, synced file beside `path`, ready to be renamed over it. */
async function writeDraft(path: string, bytes: Uint8Array, mode: number | undefined): Promise<string> {
  const draft = join(dirname(path), `.cloakroom-${randomUUID()}.tmp`);
  const file = await open(draft, "wx");
  try {
    await file.writeFile(bytes);
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } catch (cause) {
    await rm(draft, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
  return draft;
}
