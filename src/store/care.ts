/** The care of a store, for the editor and the command line: what they may do to sessions besides running them. */
import type { DocumentWriters, ExportOptions } from "../schema/export";
import { type Erased, erase } from "./erase";
import type { Scope } from "./erasureJournal";
import { type Exported, type ExportedWorkspace, exportSession, exportWorkspace } from "./exportArchive";
import { exportDocument } from "./exportDocument";
import { type Forked, fork } from "./fork";
import { type Imported, importArchive } from "./importArchive";
import { importTranscript, isArchive, type ReadTranscripts } from "./importTranscript";
import {
  listPlaces,
  listTenants,
  noStep,
  type OnStep,
  type Place,
  placeOf,
  type Root,
  SESSION_ID,
  sessionMissing,
  tenantOf,
} from "./layout";
import type { Clock } from "./log";
import { reclaim } from "./reclaim";
import { DEFAULT_LIMITS, Room, type StoreLimits } from "./room";
import { Sessions } from "./sessions";
import { type Swept, sweep } from "./sweep";
import { PLAIN_VAULT, type Vault } from "./vault";
import { type Verified, verify } from "./verify";

const ARCHIVE: ExportOptions = { format: "archive", withContents: true };
const DAY_MS = 86_400_000;

export type StoreSettings = { readonly keepSessionsDays: number; readonly limits: StoreLimits };
export const DEFAULT_STORE_SETTINGS: StoreSettings = { keepSessionsDays: 30, limits: DEFAULT_LIMITS };

export class StoreCare {
  readonly #root: Root;
  readonly #tenant: string;
  readonly #clock: Clock;
  readonly #settings: StoreSettings;
  readonly #onStep: OnStep;
  readonly #readTranscripts: ReadTranscripts | null;
  readonly #documents: DocumentWriters | null;

  private constructor(
    root: Root,
    tenant: string,
    clock: Clock,
    settings: StoreSettings,
    onStep: OnStep,
    readTranscripts: ReadTranscripts | null,
    documents: DocumentWriters | null,
  ) {
    this.#root = root;
    this.#tenant = tenant;
    this.#clock = clock;
    this.#settings = settings;
    this.#onStep = onStep;
    this.#readTranscripts = readTranscripts;
    this.#documents = documents;
  }

  /** Throws `store-too-new`, `store-unwritable`: a store of a later version is not swept, erased or added to. */
  static async open(
    path: string,
    workspaceIdentity: string,
    clock: Clock,
    settings: StoreSettings = DEFAULT_STORE_SETTINGS,
    {
      vault = PLAIN_VAULT,
      onStep = noStep,
      readTranscripts = null,
      documents = null,
    }: {
      vault?: Vault;
      onStep?: OnStep;
      readTranscripts?: ReadTranscripts | null;
      documents?: DocumentWriters | null;
    } = {},
  ): Promise<StoreCare> {
    await Sessions.open(path, workspaceIdentity, clock);
    const tenant = tenantOf(workspaceIdentity);
    return new StoreCare({ path, vault }, tenant, clock, settings, onStep, readTranscripts, documents);
  }

  /** This workspace's sessions; one of them; or with `everywhere` those of all workspaces. */
  async verify(
    which: { session?: string | undefined; everywhere?: boolean | undefined } = {},
  ): Promise<Verified> {
    const { session, everywhere = false } = which;
    const tenants = everywhere ? await listTenants(this.#root) : [this.#tenant];
    const found = await verify(this.#root, { tenants, session }, this.#clock);
    if (session !== undefined && found.sessions === 0) throw sessionMissing(session);
    return found;
  }

  /** Expires and collects in all workspaces. `keepSessionsDays` 0 keeps sessions for ever. */
  sweep(): Promise<Swept> {
    const { keepSessionsDays } = this.#settings;
    const keepMs = keepSessionsDays > 0 ? keepSessionsDays * DAY_MS : null;
    return sweep(this.#root, { clock: this.#clock, keepMs, onStep: this.#onStep });
  }

  forgetSession(session: string): Promise<Erased> {
    return this.#erase({ kind: "session", tenant: this.#tenant, session });
  }

  forgetWorkspace(): Promise<Erased> {
    return this.#erase({ kind: "workspace", tenant: this.#tenant });
  }

  forgetEverything(): Promise<Erased> {
    return this.#erase({ kind: "everything" });
  }

  /** `throughTurn`: the last turn that the fork has; by default all of them. */
  async fork(session: string, { throughTurn }: { throughTurn?: number | undefined } = {}): Promise<Forked> {
    return fork(this.#place(session), {
      throughTurn,
      clock: this.#clock,
      room: this.#room(),
      onStep: this.#onStep,
    });
  }

  /** Writes the session to `file`: its log, everything it cites, and a list of what is missing; or what a document has of it. */
  async export(session: string, file: string, options: ExportOptions = ARCHIVE): Promise<Exported> {
    const { format, withContents } = options;
    const onStep = this.#onStep;
    if (format === "archive")
      return exportSession(this.#place(session), file, { clock: this.#clock, onStep });
    if (this.#documents === null) throw new Error(`nobody writes ${format} here`);
    const write = this.#documents[format];
    return exportDocument(this.#place(session), file, { write, withContents, onStep });
  }

  /** Writes all sessions of this workspace to `file`, with a list of those that cannot be read. */
  async exportWorkspace(file: string): Promise<ExportedWorkspace> {
    const { sessions } = await listPlaces(this.#root, this.#tenant);
    return exportWorkspace(sessions, file, { clock: this.#clock, onStep: this.#onStep });
  }

  /** Adds the sessions of an archive, or of another program's transcript, to this workspace; going on with one forks it. */
  async import(file: string): Promise<readonly Imported[]> {
    const { maximumEntryBytes } = this.#settings.limits;
    const ports = { clock: this.#clock, room: this.#room(), maximumEntryBytes, onStep: this.#onStep };
    const read = this.#readTranscripts;
    return read === null || (await isArchive(file))
      ? importArchive(this.#root, this.#tenant, file, ports)
      : importTranscript(this.#root, this.#tenant, file, read, ports);
  }

  #erase(scope: Scope): Promise<Erased> {
    return erase(this.#root, scope, { clock: this.#clock, onStep: this.#onStep });
  }

  #room(): Room {
    return new Room(
      this.#root,
      this.#settings.limits,
      async (bytes) => (await reclaim(this.#root, bytes, this.#clock)).bytes,
    );
  }

  #place(session: string): Place {
    if (!SESSION_ID.test(session)) throw sessionMissing(session);
    return placeOf(this.#root, this.#tenant, session);
  }
}
