/** All sessions of one workspace on disk: create, list, open to write, read to show (ARCHITECTURE, Storage). */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { isMedia } from "../claims/claim";
import { mediaDescription } from "../claims/ticket";
import type { ContentWindow } from "../claims/window";
import type { Claim, Digest, Handle, Matches } from "../schema/claim";
import type { Logged, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import { indexOfChar, type SafeText } from "../schema/text";
import { FOLDER_MODE, makeFolder, syncFolder, writeAtomically } from "./atomic";
import { type BlobName, Blobs } from "./blobs";
import { ClaimIndex } from "./claimIndex";
import { sha256, sha256OfBytes } from "./digest";
import { fork } from "./fork";
import { fileBytesOf } from "./frames";
import { LOG, newSessionId, placeOf, SESSION_ID, sessionsFolder, tenantOf } from "./layout";
import { type Lock, takeLock } from "./lock";
import { type Clock, readFirstEvent, readLog, SessionLog } from "./log";
import { claimsOf, contentsOf } from "./marks";
import { reclaim } from "./reclaim";
import { DEFAULT_LIMITS, Room, type StoreLimits } from "./room";
import { statOf } from "./sessionFolder";

const FORMAT = 1;
const NAME_CHARS = 200; // a list reads the first line of every log, and only its first bytes
const Format = z.object({ format: z.int() });

/** What a list of sessions shows. Times are Unix milliseconds. */
export type SessionSummary = {
  readonly session: string;
  readonly title: string;
  readonly startedAt: number;
  readonly changedAt: number;
};

/** A session opened for writing. Satisfies the loop's `Log` and `Claims` ports. */
export class OpenSession {
  readonly id: string;
  readonly events: readonly Logged[];
  readonly #log: SessionLog;
  readonly #blobs: Blobs;
  readonly #index: ClaimIndex;
  readonly #lock: Lock;
  readonly #room: Room;
  readonly #stored: Set<Digest>;

  constructor(
    id: string,
    events: readonly Logged[],
    log: SessionLog,
    blobs: Blobs,
    index: ClaimIndex,
    lock: Lock,
    room: Room,
  ) {
    this.id = id;
    this.events = events;
    this.#log = log;
    this.#blobs = blobs;
    this.#index = index;
    this.#lock = lock;
    this.#room = room;
    this.#stored = new Set(contentsOf(events).keys());
  }

  async append(event: SessionEvent): Promise<Logged> {
    const logged = await this.#log.append(event);
    this.#index.observe(logged);
    return logged;
  }

  sync(): Promise<void> {
    return this.#log.sync();
  }

  /** Throws `entry-too-large` or `store-full` before anything is written. Content that is there already needs no room. */
  put(text: SafeText): Promise<BlobName> {
    return this.#put(
      Buffer.byteLength(text, "utf8"),
      () => sha256(text),
      () => this.#blobs.put(text),
    );
  }

  /** The same for content that is not text. */
  putBytes(bytes: Uint8Array): Promise<BlobName> {
    return this.#put(
      bytes.length,
      () => sha256OfBytes(bytes),
      () => this.#blobs.putBytes(bytes),
    );
  }

  async #put(bytes: number, digest: () => Digest, put: () => Promise<BlobName>): Promise<BlobName> {
    const fileBytes = fileBytesOf(bytes);
    try {
      await this.#room.admit(bytes, fileBytes);
    } catch (cause) {
      if (!(cause instanceof Failure && this.#stored.has(digest()))) throw cause;
    }
    const kept = await put();
    if (!this.#stored.has(kept.sha256)) await this.#room.note(fileBytes);
    this.#stored.add(kept.sha256);
    return kept;
  }

  read(digest: Digest): Promise<SafeText> {
    return this.#blobs.read(digest);
  }

  readBytes(digest: Digest): Promise<Uint8Array> {
    return this.#blobs.readBytes(digest);
  }

  window(name: BlobName, offset: number, maximumChars?: number): Promise<ContentWindow> {
    return this.#blobs.window(name, offset, maximumChars);
  }

  charOfLine(name: BlobName, line: number): Promise<number> {
    return this.#blobs.charOfLine(name, line);
  }

  search(name: BlobName, needle: string): Promise<Matches> {
    return this.#blobs.search(name, needle);
  }

  find(handle: Handle): Claim | undefined {
    return this.#index.find(handle);
  }

  async checkpoint(): Promise<void> {
    await this.#index.checkpoint();
    await this.#room.flush();
  }

  /** Lets the session go: another window may open it. Safe after a failure: the log and the blobs are complete. */
  async close(): Promise<void> {
    try {
      await this.checkpoint();
    } finally {
      await this.#log.close();
      await this.#lock.release();
    }
  }
}

export class Sessions {
  readonly #root: string;
  readonly #folder: string;
  readonly #tenant: string;
  readonly #clock: Clock;
  readonly #room: Room;

  private constructor(root: string, tenant: string, clock: Clock, room: Room) {
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
    root: string,
    workspaceIdentity: string,
    clock: Clock,
    limits: StoreLimits = DEFAULT_LIMITS,
  ): Promise<Sessions> {
    const tenant = tenantOf(workspaceIdentity);
    try {
      await makeFolder(sessionsFolder(root, tenant));
      await checkFormat(join(root, "format.json"));
    } catch (cause) {
      throw unwritable(root, cause);
    }
    return new Sessions(root, tenant, clock, new Room(root, limits, reclaimer(root, clock)));
  }

  /** Newest first. A folder whose log cannot be read is left out of the list, never touched. */
  async list(): Promise<readonly SessionSummary[]> {
    const names = (await readdir(this.#folder)).filter((name) => SESSION_ID.test(name));
    const rows = await Promise.all(names.map((name) => this.#summaryOf(name)));
    return rows
      .filter((row) => row !== null)
      .sort((a, b) => b.startedAt - a.startedAt || (a.session < b.session ? 1 : -1));
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
    const id = newSessionId(this.#clock);
    const folder = join(this.#folder, id);
    await mkdir(folder, { mode: FOLDER_MODE });
    await syncFolder(this.#folder);
    const lock = await takeLock(join(folder, "owner.lock"), this.#clock.now(), randomUUID());
    return letGoOnFailure(lock, async (held) => {
      const log = held(await SessionLog.create(join(folder, "log.jsonl"), this.#clock));
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
      const { index } = await ClaimIndex.open(join(folder, "claims.json"), [started]);
      return new OpenSession(id, [started], log, new Blobs(join(folder, "blobs")), index, lock, this.#room);
    });
  }

  /**
   * Opens a session to go on with it: repairs what a crash left, and says so in events. An imported session is only
   * ever read: going on with it forks it. Throws `session-missing`, `session-in-use`.
   */
  async open(id: string): Promise<OpenSession> {
    const folder = await this.#existing(id);
    try {
      if (await isImported(folder)) return await this.open(await this.fork(id));
      return await this.#open(id, folder);
    } catch (cause) {
      throw unwritable(folder, cause);
    }
  }

  async #open(id: string, folder: string): Promise<OpenSession> {
    const lock = await takeLock(join(folder, "owner.lock"), this.#clock.now(), randomUUID());
    return letGoOnFailure(lock, async (held) => {
      const { log, events, damage } = await SessionLog.open(join(folder, "log.jsonl"), this.#clock);
      held(log);
      const known = [...events];
      if (damage !== null)
        known.push(await log.append({ type: "recovered", what: "log_tail", detail: damage }));
      const { index, repair } = await ClaimIndex.open(join(folder, "claims.json"), known);
      const session = new OpenSession(
        id,
        known,
        log,
        new Blobs(join(folder, "blobs")),
        index,
        lock,
        this.#room,
      );
      if (repair !== null) {
        known.push(await session.append({ type: "recovered", what: "claim_index", detail: repair }));
        await session.checkpoint();
      }
      return session;
    });
  }

  /** A new session with the conversation of this one up to now; its id. */
  async fork(id: string): Promise<string> {
    await this.#existing(id);
    const source = placeOf(this.#root, this.#tenant, id);
    return (await fork(this.#root, source, { clock: this.#clock, room: this.#room })).session;
  }

  /** The events of a session that may be running elsewhere. */
  async events(id: string): Promise<readonly Logged[]> {
    return readLog(join(await this.#existing(id), "log.jsonl"));
  }

  /**
   * The whole stored content behind a handle of this session, verified; for what is not text, one line that says what it
   * is. Throws `blob-missing`, `blob-corrupt`.
   */
  async content(id: string, handle: Handle): Promise<SafeText> {
    const folder = await this.#existing(id);
    const events = await readLog(join(folder, "log.jsonl"));
    const stored = claimsOf(events).get(handle);
    if (!stored)
      throw new Failure("blob-missing", "This session has no stored result of that name.", { handle });
    const blobs = new Blobs(join(folder, "blobs"));
    if (!isMedia(stored)) return blobs.read(stored.sha256);
    await blobs.readBytes(stored.sha256);
    return mediaDescription(stored) as SafeText;
  }

  async #existing(id: string): Promise<string> {
    const folder = join(this.#folder, id);
    if (SESSION_ID.test(id)) {
      try {
        if ((await stat(folder)).isDirectory()) return folder;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      }
    }
    throw new Failure("session-missing", "This session is no longer on disk. Pick another one.", {
      session: id.slice(0, 64),
    });
  }

  async #summaryOf(id: string): Promise<SessionSummary | null> {
    const path = join(this.#folder, id, "log.jsonl");
    try {
      const first = await readFirstEvent(path);
      if (first?.type !== "session_started") return null;
      return { session: id, title: first.title, startedAt: first.at, changedAt: (await stat(path)).mtimeMs };
    } catch (cause) {
      const isDisk = (cause as NodeJS.ErrnoException).code !== undefined; // a stray file, a link in a circle, no permission
      if (isDisk || cause instanceof Failure || cause instanceof SyntaxError) return null;
      throw cause;
    }
  }
}

/** A full store first drops what may be dropped. */
const reclaimer = (root: string, clock: Clock) => async (bytes: number) =>
  (await reclaim(root, bytes, clock)).bytes;

async function isImported(folder: string): Promise<boolean> {
  if (!(await statOf(join(folder, LOG)))) return false; // whoever opens it says so
  const first = await readFirstEvent(join(folder, LOG));
  return first?.type === "session_started" && first.from?.kind === "import";
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
