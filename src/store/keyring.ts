/**
 * The keys of workspaces. Each wraps the keys of that workspace's sealed sessions and stands in the editor's secret
 * storage, apart from what it opens. It is made for the first sealed session and forgotten after the last.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../schema/failure";
import { writeAtomically } from "./atomic";
import { type KeepingFile, keepingDamaged, readKeeping } from "./keeping";
import { DRAFT, listPlaces, type Place, type Root, statOf, tenantFolder } from "./layout";
import { type Lock, takeLock } from "./lock";
import type { Clock } from "./log";
import { KEY_BYTES, openBytes, sealBytes } from "./seal";

/** Where workspaces' keys are, as hex. Keeps them apart from what they seal. */
export type Keys = {
  get(tenant: string): Promise<string | undefined>;
  set(tenant: string, key: string): Promise<void>;
  delete(tenant: string): Promise<void>;
};

const PROOF = "workspace key";
const KEY = /^[0-9a-f]{64}$/;
const LOCK_ATTEMPTS = 50;
const LOCK_WAIT_MS = 20;

export class Keyring {
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** A sealed session's own key. Throws `key-missing`, or `key-damaged` where it is another session's. */
  async unwrap(place: Place, kept: KeepingFile): Promise<Buffer> {
    const key = await this.#keyOf(place.tenant);
    const session = key === null ? null : unwrapped(key, place, kept);
    if (session !== null) return session;
    throw key !== null && (await isProven(place.root, place.tenant, key))
      ? keepingDamaged()
      : keyMissing(place.tenant);
  }

  /** A key for a new session; `use` writes it down, wrapped. Throws `key-missing`, `seal-unavailable`. */
  wrapNew<T>(
    place: Place,
    contents: KeepingFile["contents"],
    clock: Clock,
    use: (session: Buffer, wrapped: string) => Promise<T>,
  ): Promise<T> {
    const { root, tenant } = place;
    return withKeyLock(root, tenant, clock, async () => {
      const key = (await this.usable(root, tenant)) ?? (await this.#make(tenant));
      if (!(await isProven(root, tenant, key)))
        await writeAtomically(proofPath(root, tenant), sealBytes(key, PROOF, Buffer.alloc(0)));
      const session = randomBytes(KEY_BYTES);
      return use(session, sealBytes(key, purposeOf(place, contents), session).toString("base64"));
    });
  }

  /**
   * The workspace's key; null where there is none and none is needed. Throws `key-missing`: nothing takes its place. One
   * that opens nothing here is kept: what it opens may only have been moved away.
   */
  async usable(root: Root, tenant: string): Promise<Buffer | null> {
    const key = await this.#keyOf(tenant);
    if (key && ((await isProven(root, tenant, key)) || (await opensOne(root, tenant, key)))) return key;
    if (await hasSealed(root, tenant)) throw keyMissing(tenant);
    return key;
  }

  /** Forgets a workspace's key where no sealed session is left: what a copy of the folder holds stays closed for ever. */
  async shred(root: Root, tenant: string, clock: Clock): Promise<void> {
    await withKeyLock(root, tenant, clock, async () => {
      if (await hasSealed(root, tenant)) return;
      await this.#keys.delete(tenant);
      await rm(proofPath(root, tenant), { force: true });
    });
  }

  async #keyOf(tenant: string): Promise<Buffer | null> {
    const key = await this.#keys.get(tenant);
    return key !== undefined && KEY.test(key) ? Buffer.from(key, "hex") : null;
  }

  async #make(tenant: string): Promise<Buffer> {
    const key = randomBytes(KEY_BYTES);
    await this.#keys.set(tenant, key.toString("hex"));
    if (!(await this.#keyOf(tenant))?.equals(key))
      throw new Failure(
        "seal-unavailable",
        "VS Code's secret storage did not keep the key for encryption. Repair it, or turn the setting cloakroom.store.encryption off.",
        { field: "store.encryption" },
      );
    return key;
  }
}

/** What the workspace's key sealed before its first session here, so that another is known for one. It says nothing else. */
const proofPath = (root: Root, tenant: string): string => join(tenantFolder(root, tenant), "key.proof");

async function isProven(root: Root, tenant: string, key: Buffer): Promise<boolean> {
  const path = proofPath(root, tenant);
  return (await statOf(path)) !== undefined && openBytes(key, PROOF, await readFile(path)) !== null;
}

/** A session says the same where the proof is damaged or gone. */
async function opensOne(root: Root, tenant: string, key: Buffer): Promise<boolean> {
  for (const found of await sealedIn(root, tenant))
    if (found !== null && unwrapped(key, found.place, found.kept) !== null) return true;
  return false;
}

const hasSealed = async (root: Root, tenant: string): Promise<boolean> =>
  (await sealedIn(root, tenant)).length > 0;

/** A key is wrapped for one session, and for where its contents are: in another's folder it opens nothing. */
const purposeOf = ({ session }: Place, contents: KeepingFile["contents"]): string =>
  `session key ${session.replace(DRAFT, "")} ${contents ?? "folder"}`;

function unwrapped(key: Buffer, place: Place, { key: wrapped = "", contents }: KeepingFile): Buffer | null {
  return openBytes(key, purposeOf(place, contents), Buffer.from(wrapped, "base64"));
}

/** The workspace's sealed sessions; null for one whose file is damaged, and may have had a key. */
async function sealedIn(
  root: Root,
  tenant: string,
): Promise<readonly ({ readonly place: Place; readonly kept: KeepingFile } | null)[]> {
  const { sessions, drafts } = await listPlaces(root, tenant);
  const found: ({ readonly place: Place; readonly kept: KeepingFile } | null)[] = [];
  for (const place of [...sessions, ...drafts]) {
    try {
      const kept = await readKeeping(place);
      if (kept.key !== undefined) found.push({ place, kept });
    } catch (cause) {
      if (!(cause instanceof Failure)) throw cause;
      found.push(null);
    }
  }
  return found;
}

/** One window at a time makes, uses for a new session, or forgets a workspace's key. */
async function withKeyLock<T>(root: Root, tenant: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = await keyLock(join(tenantFolder(root, tenant), "key.lock"), clock);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function keyLock(folder: string, clock: Clock): Promise<Lock> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeLock(folder, clock.now(), randomUUID());
    } catch (cause) {
      const isHeld = cause instanceof Failure && cause.code === "session-in-use";
      if (!isHeld || attempt >= LOCK_ATTEMPTS) throw cause;
      await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
    }
  }
}

function keyMissing(tenant: string): Failure {
  return new Failure(
    "key-missing",
    "The sessions of this workspace are sealed, and their key is not in VS Code's secret storage. They stay as they are: open them where they were made, or delete them to begin with a new key.",
    { tenant },
  );
}
