/**
 * How each session's content is kept: plain or sealed. A sealed session has a key of its own, in its folder, wrapped in
 * the workspace's, which stands in the editor's secret storage. What the settings ask for is asked of new sessions;
 * one that is there stays as it is.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Failure } from "../schema/failure";
import { writeAtomically } from "./atomic";
import { folderFiles } from "./blobFiles";
import { Blobs } from "./blobs";
import { BLOBS, KEEPING, listPlaces, type Place, type Root, statOf, tenantFolder } from "./layout";
import { type Lock, takeLock } from "./lock";
import type { Clock } from "./log";
import { KEY_BYTES, openBytes, Seal, sealBytes, sealedFiles } from "./seal";

/** Where workspaces' keys are, as hex. Keeps them apart from what they seal. */
export type Keys = {
  get(tenant: string): Promise<string | undefined>;
  set(tenant: string, key: string): Promise<void>;
  delete(tenant: string): Promise<void>;
};

/** `seal` null: plain. */
export type Keeping = { readonly seal: Seal | null };
const PLAIN: Keeping = { seal: null };

const KeepingFile = z.object({ format: z.literal(1), key: z.base64() });
const WRAP = "session key";
const KEY = /^[0-9a-f]{64}$/;
const LOCK_ATTEMPTS = 50;
const LOCK_WAIT_MS = 20;

export class Vault {
  readonly #keys: Keys | null;
  readonly #sealsNew: boolean;

  /** `keys` null: nothing can be sealed here, and nothing sealed read. */
  constructor(keys: Keys | null = null, sealsNew = false) {
    this.#keys = keys;
    this.#sealsNew = sealsNew;
  }

  /** Whether a session that is begun now is sealed. Throws `seal-unavailable` where it should be and cannot. */
  get sealsNew(): boolean {
    if (this.#sealsNew && this.#keys === null)
      throw new Failure(
        "seal-unavailable",
        "Encryption is on (setting cloakroom.store.encryption), and there is no secret storage here to keep its key. Turn it off, or run the session in VS Code.",
      );
    return this.#sealsNew;
  }

  /** How a session that is there is kept. Throws `key-missing`, `key-damaged`, or the disk's own error. */
  async of(place: Place): Promise<Keeping> {
    const wrapped = await wrappedIn(place);
    if (wrapped === null) return PLAIN;
    const key = await this.#keyOf(place.tenant);
    const session = key === null ? null : openBytes(key, WRAP, wrapped);
    if (session === null) throw keyMissing(place.tenant);
    return { seal: new Seal(session) };
  }

  /** Decides how a new session is kept, and writes it into its folder before anything else is. `isSealed` false: plain. */
  async begin(place: Place, clock: Clock, isSealed = this.sealsNew): Promise<Keeping> {
    if (!isSealed) return PLAIN;
    return withKeyLock(place.root, place.tenant, clock, async () => {
      const key = (await this.#keyOf(place.tenant)) ?? (await this.#newKey(place.root, place.tenant));
      const session = randomBytes(KEY_BYTES);
      const wrapped = sealBytes(key, WRAP, session).toString("base64");
      const file: z.infer<typeof KeepingFile> = { format: 1, key: wrapped };
      await writeAtomically(join(place.folder, KEEPING), `${JSON.stringify(file)}\n`);
      return { seal: new Seal(session) };
    });
  }

  /** Forgets a workspace's key where no sealed session is left: what a copy of the folder holds stays closed for ever. */
  async shred(root: Root, tenant: string, clock: Clock): Promise<void> {
    const keys = this.#keys;
    if (keys === null) return;
    await withKeyLock(root, tenant, clock, async () => {
      if (!(await hasSealed(root, tenant))) await keys.delete(tenant);
    });
  }

  async #keyOf(tenant: string): Promise<Buffer | null> {
    const key = await this.#keys?.get(tenant);
    return key !== undefined && KEY.test(key) ? Buffer.from(key, "hex") : null;
  }

  /** Never in the place of one that sealed data still needs. */
  async #newKey(root: Root, tenant: string): Promise<Buffer> {
    if (await hasSealed(root, tenant)) throw keyMissing(tenant);
    const key = randomBytes(KEY_BYTES);
    await this.#keys?.set(tenant, key.toString("hex"));
    if (!(await this.#keyOf(tenant))?.equals(key))
      throw new Failure(
        "seal-unavailable",
        "VS Code's secret storage did not keep the key for encryption. Repair it, or turn the setting cloakroom.store.encryption off.",
      );
    return key;
  }
}

export const PLAIN_VAULT = new Vault();

/** A store in which nothing sealed can be read. */
export const plainRoot = (path: string): Root => ({ path, vault: PLAIN_VAULT });

/** The session's stored results, as they are kept. */
export function blobsOf({ folder }: Place, { seal }: Keeping): Blobs {
  const files = filesOf(folder);
  return seal ? new Blobs(sealedFiles(files, seal), seal.digestOf) : new Blobs(files);
}

/** Where they lie, whatever is in them. */
export const filesOf = (folder: string) => folderFiles(join(folder, BLOBS));

export const isSealed = async (place: Place): Promise<boolean> => (await wrappedIn(place)) !== null;

async function hasSealed(root: Root, tenant: string): Promise<boolean> {
  const { sessions, drafts } = await listPlaces(root, tenant);
  for (const { folder } of [...sessions, ...drafts]) if (await statOf(join(folder, KEEPING))) return true;
  return false;
}

/** Null where the session is plain. */
async function wrappedIn({ folder }: Place): Promise<Buffer | null> {
  let text: string;
  try {
    text = await readFile(join(folder, KEEPING), "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
  try {
    return Buffer.from(KeepingFile.parse(JSON.parse(text)).key, "base64");
  } catch (cause) {
    if (!(cause instanceof SyntaxError || cause instanceof z.ZodError)) throw cause;
    throw new Failure(
      "key-damaged",
      `The session is sealed, and the file that has its key (${KEEPING}) is damaged. Restore it from a copy, or delete the session.`,
      {},
      { cause },
    );
  }
}

/** One window at a time makes, uses for the first time, or forgets a workspace's key. */
async function withKeyLock<T>(root: Root, tenant: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const folder = join(tenantFolder(root, tenant), "key.lock");
  let lock: Lock | null = null;
  for (let attempt = 0; lock === null; attempt++) {
    try {
      lock = await takeLock(folder, clock.now(), randomUUID());
    } catch (cause) {
      if (!(cause instanceof Failure && cause.code === "session-in-use") || attempt >= LOCK_ATTEMPTS)
        throw cause;
      await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
    }
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

function keyMissing(tenant: string): Failure {
  return new Failure(
    "key-missing",
    "The sessions of this workspace are sealed, and their key is not in VS Code's secret storage. They stay as they are: sign in where they were made, or delete them to begin with a new key.",
    { tenant },
  );
}
