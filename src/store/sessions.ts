/** All sessions of one workspace on disk: create, list, open to write, read to show (ARCHITECTURE, Storage). */
import { randomBytes, randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { isMedia } from "../claims/claim";
import type { Found } from "../claims/nextMatch";
import { mediaDescription } from "../claims/ticket";
import { type ContentWindow, windowOf } from "../claims/window";
import type { Claim, Direction, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { indexOfChar, inOneCase, type SafeText } from "../schema/text";
import { FOLDER_MODE, makeFolder, syncFolder, writeAtomically } from "./atomic";
import type { Blobs } from "./blobs";
import { ClaimIndex, type IndexState } from "./claimIndex";
import { fork } from "./fork";
import {
  INDEX,
  LOCK,
  LOG,
  listPlaces,
  newSessionId,
  type Place,
  placeOf,
  type Root,
  SESSION_ID,
  sessionMissing,
  sessionsFolder,
  statOf,
  tenantOf,
} from "./layout";
import { type Lock, takeLock } from "./lock";
import { type Clock, readAfter, readLog, readMatching, SessionLog } from "./log";
import { claimsOf } from "./marks";
import { OpenSession } from "./openSession";
import { reclaim } from "./reclaim";
import { DEFAULT_LIMITS, Room, type StoreLimits } from "./room";
import type { Seal } from "./seal";
import { firstEventOf } from "./sessionFolder";
import { loadSnapshots } from "./snapshots";
import { blobsOf, isSealed, PLAIN_VAULT, type Vault } from "./vault";

const FORMAT = 1;
const CLAIMS = "claims"; // the snapshot of the claim index
const NAME_CHARS = 200; // a list reads the first line of every log, and only its first bytes
const Format = z.object({ format: z.int() });

/** What a list of sessions shows. Times are Unix milliseconds. */
export type SessionSummary = {
  readonly session: string;
  readonly title: string;
  readonly startedAt: number;
  readonly changedAt: number;
};

/** Going on with a session is going on with itself, or with a copy: of an imported one, or of a plain one where new ones are sealed. */
export type OpensAs = "itself" | "copy" | "sealed copy";

/** `problem`: where the log stops following from what stands before, and is not read on; null = nowhere. */
export type ReadSession = {
  readonly restored: unknown;
  readonly events: readonly Logged[];
  readonly problem: string | null;
};

/** A window of a stored content. `line`: of its first char, from 1; `bytes`, `lines`: of all of it. */
export type StoredWindow = ContentWindow & {
  readonly tool: string;
  readonly bytes: number;
  readonly line: number;
  readonly lines: number;
};

export class Sessions {
  readonly #root: Root;
  readonly #folder: string;
  readonly #tenant: string;
  readonly #clock: Clock;
  readonly #room: Room;

  private constructor(root: Root, tenant: string, clock: Clock, room: Room) {
    this.#root = root;
    this.#folder = sessionsFolder(root, tenant);
    this.#tenant = tenant;
    this.#clock = clock;
    this.#room = room;
  }

  /**
   * Opens the store at `root` for one workspace. `workspaceIdentity` (its folder addresses) is digested, never written.
   * Throws `store-too-new` for a store of a later major format, `store-unwritable` where nothing can be written.
   */
  static async open(
    path: string,
    workspaceIdentity: string,
    clock: Clock,
    limits: StoreLimits = DEFAULT_LIMITS,
    vault: Vault = PLAIN_VAULT,
  ): Promise<Sessions> {
    const root: Root = { path, vault };
    const tenant = tenantOf(workspaceIdentity);
    try {
      await makeFolder(sessionsFolder(root, tenant));
      await checkFormat(join(path, "format.json"));
    } catch (cause) {
      throw unwritable(path, cause);
    }
    return new Sessions(root, tenant, clock, new Room(root, limits, reclaimer(root, clock)));
  }

  /** Newest first. A folder whose log cannot be read is left out of the list, never touched. */
  async list(): Promise<readonly SessionSummary[]> {
    const { sessions } = await listPlaces(this.#root, this.#tenant);
    const rows = await Promise.all(sessions.map((place) => this.#summaryOf(place)));
    return rows
      .filter((row) => row !== null)
      .sort((a, b) => b.startedAt - a.startedAt || (a.session < b.session ? 1 : -1));
  }

  /** Throws what would keep a new session, or a copy of one that is gone on with, from being begun as the settings ask. */
  check(start: { readonly isNew: boolean }): Promise<void> {
    return this.#root.vault.check(this.#root, this.#tenant, start);
  }

  /** Starts a session's folder and log. The first event is on disk when this resolves. */
  async create(start: { workspace: string; title: string }): Promise<OpenSession> {
    try {
      return await this.#create(start);
    } catch (cause) {
      throw unwritable(this.#folder, cause);
    }
  }

  async #create(start: { workspace: string; title: string }): Promise<OpenSession> {
    const isToBeSealed = this.#root.vault.sealsNew;
    const id = newSessionId(this.#clock);
    const place = this.#place(id);
    const { folder } = place;
    await mkdir(folder, { mode: FOLDER_MODE });
    await syncFolder(this.#folder);
    const lock = await takeLock(join(folder, LOCK), this.#clock.now(), randomUUID());
    return letGoOnFailure(lock, async (held) => {
      const { vault } = this.#root;
      const keeping = await vault.begin(place, this.#clock, isToBeSealed).catch(async (cause: unknown) => {
        await rm(folder, { recursive: true, force: true }); // nothing is in it yet
        throw cause;
      });
      const { seal } = keeping;
      const log = held(await SessionLog.create(join(folder, LOG), { clock: this.#clock, seal }));
      const started = await log.append({
        type: "session_started",
        format: 1,
        session: id,
        tenant: this.#tenant,
        workspace: start.workspace.slice(0, indexOfChar(start.workspace, NAME_CHARS)),
        title: start.title.slice(0, indexOfChar(start.title, NAME_CHARS)),
        salt: randomBytes(16).toString("hex"),
      });
      await log.sync();
      const { index } = await ClaimIndex.open(join(folder, INDEX), [started], seal);
      const kept = { folder, blobs: blobsOf(keeping), keeping, restored: null, restoredBytes: 0 };
      return new OpenSession({ id, events: [started], log, ...kept, index, lock, room: this.#room });
    });
  }

  /**
   * Opens a session to go on with it: repairs what a crash left, and says so in events. An imported session is only
   * ever read: going on with it forks it. Throws `session-missing`, `session-in-use`, `contents-unreachable`.
   */
  async open(id: string, states: readonly string[] = []): Promise<OpenSession> {
    const place = await this.#existing(id);
    try {
      if ((await this.#opensAs(place)) !== "itself") return await this.open(await this.fork(id), states);
      return await this.#open(place, states);
    } catch (cause) {
      throw unwritable(place.folder, cause);
    }
  }

  /** What `open` opens. Throws as `open` does. */
  async opensAs(id: string): Promise<OpensAs> {
    return this.#opensAs(await this.#existing(id));
  }

  async #open(place: Place, states: readonly string[]): Promise<OpenSession> {
    const { folder, session: id } = place;
    const lock = await takeLock(join(folder, LOCK), this.#clock.now(), randomUUID());
    return letGoOnFailure(lock, async (held) => {
      const keeping = await this.#root.vault.of(place);
      if (keeping.isRemote) await keeping.files.list(); // the model is not told that all is gone while a server is away
      const { seal } = keeping;
      const found = states.length > 0 ? await loadSnapshots(folder, [CLAIMS, ...states], seal) : null;
      const ports = { clock: this.#clock, seal };
      const opened = await SessionLog.open(join(folder, LOG), ports, found?.point);
      const { log, events, after, damage } = opened;
      held(log);
      if (after === null && events[0]?.type !== "session_started") throw withoutBeginning();
      const restored = after && found ? found.states : null;
      const known = [...events];
      if (damage !== null)
        known.push(await log.append({ type: "recovered", what: "log_tail", detail: damage }));
      const { index, repair } = await ClaimIndex.open(
        join(folder, INDEX),
        known,
        seal,
        restored?.[CLAIMS] as IndexState | undefined,
      );
      const kept = {
        ...{ folder, blobs: blobsOf(keeping), keeping },
        ...{ restored, restoredBytes: after?.bytes ?? 0 },
      };
      const session = new OpenSession({ id, events: known, log, ...kept, index, lock, room: this.#room });
      if (repair !== null) {
        known.push(await session.append({ type: "recovered", what: "claim_index", detail: repair }));
        await session.checkpoint();
      }
      await session.removeForgotten();
      return session;
    });
  }

  /** A new session with the conversation of this one up to now, or to the end of a turn; its id. */
  async fork(id: string, { throughTurn }: { throughTurn?: number | undefined } = {}): Promise<string> {
    const source = await this.#existing(id);
    return (await fork(source, { clock: this.#clock, room: this.#room, throughTurn })).session;
  }

  /**
   * A session that may be running elsewhere, as far as it has come: what a snapshot kept under `state`, and the events
   * since; without one, all events.
   */
  async read(id: string, state: string): Promise<ReadSession> {
    const place = await this.#existing(id);
    const { seal } = await this.#root.vault.of(place);
    const found = await loadSnapshots(place.folder, [state], seal);
    const { after, read } = await readAfter(join(place.folder, LOG), seal, found?.point ?? null);
    const { events, problem } = read;
    return { restored: after ? found?.states[state] : undefined, events, problem };
  }

  /** The events of a session that may be running elsewhere. */
  async events(id: string): Promise<readonly Logged[]> {
    const place = await this.#existing(id);
    return readLog(join(place.folder, LOG), (await this.#root.vault.of(place)).seal);
  }

  /**
   * Events whose line has one of `needles` in it, wherever they stand: no others are parsed, and what stands before them
   * is not proven again. A line that is no event is left out.
   */
  async eventsAbout(id: string, needles: readonly string[]): Promise<readonly Logged[]> {
    const wanted = needles.map((needle) => Buffer.from(needle, "utf8"));
    return this.#matching(id, (line) => wanted.some((needle) => line.includes(needle)));
  }

  /** The same for events that have a text in one of their strings, in any case. */
  async eventsWith(id: string, text: string): Promise<readonly Logged[]> {
    const needle = inOneCase(JSON.stringify(text).slice(1, -1));
    return this.#matching(id, (line) => inOneCase(line.toString("utf8")).includes(needle));
  }

  async #matching(id: string, isWanted: (line: Buffer) => boolean): Promise<readonly Logged[]> {
    const place = await this.#existing(id);
    return readMatching(join(place.folder, LOG), (await this.#root.vault.of(place)).seal, isWanted);
  }

  /** The same as evidence: `problem` says where the log stops following from what stands before; null = nowhere. */
  async evidence(id: string): Promise<{ events: readonly Logged[]; problem: string | null }> {
    const place = await this.#existing(id);
    const { seal } = await this.#root.vault.of(place);
    const { read } = await readAfter(join(place.folder, LOG), seal, null);
    return { events: read.events, problem: read.problem };
  }

  /**
   * The whole stored content behind a handle of this session, verified; for what is not text, one line that says what it
   * is. Throws `blob-missing`, `blob-corrupt`, `blob-forgotten`.
   */
  async content(id: string, handle: Handle): Promise<SafeText> {
    return (await this.contents(id))(handle);
  }

  /** The same for many of them: which there are is read once. */
  async contents(id: string): Promise<(handle: Handle) => Promise<SafeText>> {
    const place = await this.#existing(id);
    const keeping = await this.#root.vault.of(place);
    const claims = await this.#claims(place, keeping.seal);
    const blobs = blobsOf(keeping);
    return async (handle) => {
      const stored = heldIn(claims, handle);
      if (!isMedia(stored)) return blobs.read(stored.sha256);
      await blobs.readBytes(stored.sha256);
      return mediaDescription(stored) as SafeText;
    };
  }

  /** A window of the stored text behind a handle, proven, without reading the rest. Throws as `content`. */
  async window(id: string, handle: Handle, offset: number, maximumChars: number): Promise<StoredWindow> {
    const { claim, blobs } = await this.#stored(id, handle);
    const { tool, bytes, lines } = claim;
    if (isMedia(claim))
      return { tool, bytes, line: 1, lines: 1, ...windowOf(mediaDescription(claim), 0, maximumChars) };
    const window = await blobs.window(claim, offset, maximumChars);
    return { tool, bytes, line: await blobs.lineOf(claim, window.offset), lines, ...window };
  }

  /** The char at which a line of that content starts, from 1; of the last where it has fewer. Throws as `content`. */
  async charOfLine(id: string, handle: Handle, line: number): Promise<number> {
    const { claim, blobs } = await this.#stored(id, handle);
    return isMedia(claim) ? 0 : blobs.charOfLine(claim, Math.min(line, claim.lines));
  }

  /**
   * Where a text stands in the stored content behind a handle: next, at or after the char `from`, or last before it.
   * Throws as `content`.
   */
  async find(
    id: string,
    handle: Handle,
    needle: string,
    from: number,
    direction: Direction = "next",
  ): Promise<Found | null> {
    const { claim, blobs } = await this.#stored(id, handle);
    return isMedia(claim) ? null : blobs.find(claim, needle, from, direction);
  }

  async #stored(id: string, handle: Handle): Promise<{ claim: Claim; blobs: Blobs }> {
    const place = await this.#existing(id);
    const keeping = await this.#root.vault.of(place);
    const claim = heldIn(await this.#claims(place, keeping.seal), handle);
    return { claim, blobs: blobsOf(keeping) };
  }

  async #claims({ folder }: Place, seal: Seal | null): Promise<ReadonlyMap<Handle, Claim>> {
    const found = await loadSnapshots(folder, [CLAIMS], seal);
    const { after, read } = await readAfter(join(folder, LOG), seal, found?.point ?? null);
    const before = after && found ? (found.states[CLAIMS] as IndexState) : null;
    return claimsOf(read.events, before?.claims);
  }

  #place(id: string): Place {
    return placeOf(this.#root, this.#tenant, id);
  }

  /** An imported session is evidence; a plain one is not gone on with where new ones are sealed. */
  async #opensAs(place: Place): Promise<OpensAs> {
    if (!(await statOf(join(place.folder, LOG)))) return "itself"; // whoever opens it says so
    if (this.#root.vault.sealsNew && !(await isSealed(place))) return "sealed copy";
    const first = await firstEventOf(place);
    return first?.type === "session_started" && first.from?.kind === "import" ? "copy" : "itself";
  }

  async #existing(id: string): Promise<Place> {
    if (SESSION_ID.test(id)) {
      const place = this.#place(id);
      try {
        if ((await lstat(place.folder)).isDirectory()) return place; // a link leads out of the store
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      }
    }
    throw sessionMissing(id);
  }

  async #summaryOf(place: Place): Promise<SessionSummary | null> {
    const path = join(place.folder, LOG);
    try {
      const first = await firstEventOf(place);
      if (first?.type !== "session_started") return null;
      const { mtimeMs: changedAt } = await stat(path);
      return { session: place.session, title: first.title, startedAt: first.at, changedAt };
    } catch (cause) {
      if (cause instanceof Failure && isLocked(cause)) return lockedRow(place, cause);
      const isDisk = (cause as NodeJS.ErrnoException).code !== undefined; // a stray file, a link in a circle, no permission
      if (isDisk || cause instanceof Failure || cause instanceof SyntaxError) return null;
      throw cause;
    }
  }
}

/** Throws `blob-missing`, or `blob-forgotten` for what the person deleted. */
function heldIn(claims: ReadonlyMap<Handle, Claim>, handle: Handle): Claim {
  const claim = claims.get(handle);
  if (!claim)
    throw new Failure(
      "blob-missing",
      "This session has no stored result of that name. Look for its handle in the inspector.",
      { handle },
    );
  if (!claim.forgotten) return claim;
  throw new Failure("blob-forgotten", "You deleted this stored result. Run its tool again if you need it.", {
    handle,
  });
}

/** What is beside such a log is the last that is known of the session: nothing of it is rebuilt from nothing. */
const withoutBeginning = () =>
  new Failure("log-damaged", "The session log has no beginning, and was left as it is. Start a new session.");

/** A full store first drops what may be dropped. */
const reclaimer = (root: Root, clock: Clock) => async (bytes: number) =>
  (await reclaim(root, bytes, clock)).bytes;

const isLocked = ({ code }: Failure): boolean => code === "key-missing" || code === "key-damaged";

/** What can be told of a sealed session without its key. Whoever opens it hears the rest. */
async function lockedRow({ folder, session }: Place, { code }: Failure): Promise<SessionSummary | null> {
  const found = await statOf(folder);
  if (!found) return null;
  const title = code === "key-missing" ? "Sealed session, key missing" : "Sealed session, key damaged";
  return { session, title, startedAt: found.birthtimeMs, changedAt: found.mtimeMs };
}

/** A session that could not be opened whole keeps neither its lock nor its file. */
async function letGoOnFailure<T>(
  lock: Lock,
  work: (held: (log: SessionLog) => SessionLog) => Promise<T>,
): Promise<T> {
  let open: SessionLog | null = null;
  try {
    return await work((log) => {
      open = log;
      return log;
    });
  } catch (cause) {
    try {
      await (open as SessionLog | null)?.close();
    } finally {
      await lock.release();
    }
    throw cause;
  }
}

/** Only what the disk says is told as such; everything else stays what it is. */
function unwritable(folder: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof Failure || code === undefined) return cause;
  return new Failure(
    "store-unwritable",
    `Cloakroom cannot write to its storage folder ${folder} (${code}). Check its permissions and free space, then start again.`,
    { code, folder },
    { cause },
  );
}

async function checkFormat(path: string): Promise<void> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    await writeAtomically(path, `${JSON.stringify({ format: FORMAT })}\n`);
    return;
  }
  const format = formatIn(text);
  if (format === FORMAT) return;
  throw new Failure(
    "store-too-new",
    `The session store at ${path} has a format (${format ?? "unreadable"}) that this version of Cloakroom does not know. Update Cloakroom to open it.`,
    { format: format ?? "unreadable" },
  );
}

function formatIn(text: string): number | null {
  try {
    return Format.parse(JSON.parse(text)).format;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return null;
    throw cause;
  }
}
