// test/support: sessions on a real disk, in a folder that goes away after the test.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { SafeText } from "../../src/schema/text";
import type { OpenSession } from "../../src/store/openSession";
import { Sessions } from "../../src/store/sessions";

export const clock = { now: () => Date.now() };
export const safe = (text: string) => text as SafeText;

export async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "clk-store-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export async function withStore(body: (store: Sessions, root: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    const root = path.join(folder, "with space");
    await body(await Sessions.open(root, "file:///work", clock), root);
  });
}

export const create = (store: Sessions): Promise<OpenSession> =>
  store.create({ workspace: "work", title: "A session" });

/** The session's folder. */
export async function folderOf(root: string, session: string): Promise<string> {
  const [tenant = ""] = await readdir(path.join(root, "tenants"));
  return path.join(root, "tenants", tenant, "sessions", session);
}

/** Every file below `root`, as paths. */
export async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

export const hasCode = (code: string) => (cause: unknown) => (cause as { code?: unknown }).code === code;
