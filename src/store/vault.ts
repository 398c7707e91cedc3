/**
 * How each session's content is kept: plain or sealed, in its folder or in Redis. What the settings ask for is asked of
 * new sessions; one that is there stays as it is.
 */
import { join } from "node:path";
import { Failure } from "../schema/failure";
import { type BlobFiles, folderFiles } from "./blobFiles";
import { Blobs } from "./blobs";
import { type KeepingFile, readKeeping, writeKeeping } from "./keeping";
import { Keyring, type Keys } from "./keyring";
import { BLOBS, DRAFT, type Place, type Root } from "./layout";
import type { Clock } from "./log";
import { Seal, sealedFiles } from "./seal";

/** Where contents are that are not on this machine. */
export type Remote = { filesOf(session: Pick<Place, "tenant" | "session">): BlobFiles };

/** `seal` null: plain. `files`: where blobs lie, as they are there. */
export type Keeping = { readonly seal: Seal | null; readonly files: BlobFiles; readonly isRemote: boolean };

/** `keys` null: nothing can be sealed here, and nothing sealed read. With `remote`, new sessions have their contents there. */
export type VaultPorts = {
  readonly keys?: Keys | null;
  readonly remote?: Remote | null;
  readonly sealsNew?: boolean;
};

export class Vault {
  readonly #keyring: Keyring | null;
  readonly #remote: Remote | null;
  readonly #sealsNew: boolean;

  constructor({ keys = null, remote = null, sealsNew = false }: VaultPorts = {}) {
    this.#keyring = keys && new Keyring(keys);
    this.#remote = remote;
    this.#sealsNew = sealsNew;
  }

  /** Whether a session that is begun now is sealed. Throws `seal-unavailable` where it should be and cannot. */
  get sealsNew(): boolean {
    if (this.#sealsNew && this.#keyring === null) throw sealUnavailable();
    return this.#sealsNew;
  }

  /** Throws what would keep a session from being sealed and, where it is to be a new one, its contents from being stored. */
  async check(root: Root, tenant: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
    if (this.sealsNew) await this.#keyring?.usable(root, tenant);
    if (isNew) await this.#remote?.filesOf({ tenant, session: "" }).list(); // nobody's: only whether it answers
  }

  /** How a session that is there is kept. Throws `key-missing`, `key-damaged`, or the disk's own error. */
  async of(place: Place): Promise<Keeping> {
    const kept = await readKeeping(place);
    if (kept.key === undefined) return this.#keeping(place, kept, null);
    if (this.#keyring === null)
      throw new Failure("key-missing", "This session is sealed. Only VS Code has its key: open it there.");
    return this.#keeping(place, kept, new Seal(await this.#keyring.unwrap(place, kept)));
  }

  /** Where a session's blobs lie, whoever may read them. Throws as `of`, but needs no key. */
  async whereOf(place: Place): Promise<Pick<Keeping, "files" | "isRemote">> {
    return this.#keeping(place, await readKeeping(place), null);
  }

  /** Decides how a new session is kept, and writes it into its folder before anything else is. */
  async begin(place: Place, clock: Clock, isSealed: boolean): Promise<Keeping> {
    const contents: Pick<KeepingFile, "contents"> = this.#remote ? { contents: "redis" } : {};
    const begun = async (kept: KeepingFile, seal: Seal | null): Promise<Keeping> => {
      await writeKeeping(place, kept);
      return this.#keeping(place, kept, seal);
    };
    if (!isSealed) return begun({ format: 1, ...contents }, null);
    if (this.#keyring === null) throw sealUnavailable();
    return this.#keyring.wrapNew(place, contents.contents, clock, (session, key) =>
      begun({ format: 1, key, ...contents }, new Seal(session)),
    );
  }

  /** Forgets a workspace's key where no sealed session is left. */
  async shred(root: Root, tenant: string, clock: Clock): Promise<void> {
    await this.#keyring?.shred(root, tenant, clock);
  }

  #keeping(place: Place, { contents }: KeepingFile, seal: Seal | null): Keeping {
    const { tenant, session } = place;
    if (contents === undefined)
      return { seal, files: folderFiles(join(place.folder, BLOBS)), isRemote: false };
    if (this.#remote === null) return { seal, files: unreachable, isRemote: true };
    const named = { tenant, session: session.replace(DRAFT, "") }; // one that is being built has the name it will have
    return { seal, files: this.#remote.filesOf(named), isRemote: true };
  }
}

/** The session's log is here and can be read; its contents are where nobody says. */
const unsaid = async (): Promise<never> => {
  throw new Failure(
    "contents-unreachable",
    "The stored results of this session are kept in Redis. Say which in the setting cloakroom.store.redisUrl.",
    { field: "store.redisUrl" },
  );
};
const unreachable: BlobFiles = { write: unsaid, open: unsaid, list: unsaid, remove: unsaid, clear: unsaid };

function sealUnavailable(): Failure {
  return new Failure(
    "seal-unavailable",
    "Encryption is on (setting cloakroom.store.encryption), and there is no secret storage here to keep its key. Turn it off, or run the session in VS Code.",
    { field: "store.encryption" },
  );
}

export const PLAIN_VAULT = new Vault();

/** A store in which nothing sealed can be read. */
export const plainRoot = (path: string): Root => ({ path, vault: PLAIN_VAULT });

/** The session's stored results, as they are kept. */
export function blobsOf({ files, seal }: Keeping): Blobs {
  return seal ? new Blobs(sealedFiles(files, seal), seal.digestOf) : new Blobs(files);
}

export const isSealed = async (place: Place): Promise<boolean> =>
  (await readKeeping(place)).key !== undefined;
