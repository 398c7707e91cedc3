/** The session log on disk: append-only JSON lines with chained checksums. One writer at a time (`lock.ts`). */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, readFile, stat, truncate } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Logged, type Origin, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import { FILE_MODE, syncFolder, writeAtomically } from "./atomic";
import { CHAIN_START, lineOf, readChain } from "./chain";

export type Clock = { now(): number };

/** Everything a log holds, without taking it over. A torn tail is left where it is and not read. */
export async function readLog(path: string): Promise<readonly Logged[]> {
  return readChain(await contentOf(path)).events;
}

/** A session's folder without a log is what a crash left of a session that never began. */
async function contentOf(path: string): Promise<Uint8Array> {
  return readFile(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== "ENOENT") throw cause;
    throw new Failure("session-missing", "This session has no log. Pick another one.", {}, { cause });
  });
}

const IDS = { bigint: true } as const; // on Windows a file's number does not fit a double
const FIRST_LINE_BYTES = 16_384;

/** The first event of a log, read from its first bytes; null where there is none. */
export async function readFirstEvent(path: string): Promise<Logged | null> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    const end = buffer.indexOf(10);
    return end < 0 || end >= bytesRead ? null : (readChain(buffer.subarray(0, end + 1)).events[0] ?? null);
  } finally {
    await file.close();
  }
}

/**
 * Invariant: lines are written whole and in order; after a failed write nothing more is appended, because what came
 * after it could not be told from damage.
 */
export class SessionLog {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #clock: Clock;
  readonly #origin: Origin;
  #n: number;
  #sum: string;
  #queue: Promise<unknown> = Promise.resolve();
  #broken: Failure | null = null;

  private constructor(path: string, file: FileHandle, clock: Clock, origin: Origin, n: number, sum: string) {
    this.#path = path;
    this.#file = file;
    this.#clock = clock;
    this.#origin = origin;
    this.#n = n;
    this.#sum = sum;
  }

  static async create(path: string, clock: Clock, origin: Origin = "loop"): Promise<SessionLog> {
    const file = await open(path, "ax", FILE_MODE).catch((cause) => Promise.reject(unwritable(path, cause)));
    try {
      await syncFolder(dirname(path));
    } catch (cause) {
      await file.close();
      throw cause;
    }
    return new SessionLog(path, file, clock, origin, 0, CHAIN_START);
  }

  /** Opens a log to go on with it. A damaged tail is moved aside, kept, and told in `damage`. */
  static async open(
    path: string,
    clock: Clock,
    origin: Origin = "loop",
  ): Promise<{ log: SessionLog; events: readonly Logged[]; damage: string | null }> {
    const bytes = await contentOf(path);
    const { events, sum, goodBytes, problem } = readChain(bytes);
    let damage: string | null = null;
    if (problem !== null && events.length === 0) {
      throw new Failure(
        "log-damaged",
        "The session log is damaged from its first line on, and was left as it is. Start a new session.",
        { path },
      );
    }
    if (problem !== null) {
      const aside = `${path}.damaged-${clock.now()}-${randomUUID().slice(0, 8)}`;
      try {
        await writeAtomically(aside, bytes.subarray(goodBytes)); // on disk before the log lets go of it
        await truncate(path, goodBytes);
      } catch (cause) {
        throw unwritable(path, cause);
      }
      damage = `${problem}; ${bytes.length - goodBytes} bytes were moved to ${basename(aside)}`;
    }
    const file = await open(path, "a", FILE_MODE).catch((cause) => Promise.reject(unwritable(path, cause)));
    return { log: new SessionLog(path, file, clock, origin, events.length, sum), events, damage };
  }

  /**
   * Appends one event. It survives the process; `sync` makes it survive the machine. What could not be read back is
   * never written: one such line would close the session for good.
   */
  append(event: SessionEvent): Promise<Logged> {
    const { success, error } = SessionEvent.safeParse(event);
    if (!success) return Promise.reject(unwritable(this.#path, error));
    return this.#enqueue(async () => {
      const logged: Logged = { n: this.#n, at: this.#clock.now(), origin: this.#origin, ...event };
      const { line, sum } = lineOf(logged, this.#sum);
      await this.#file.appendFile(`${line}\n`, "utf8");
      this.#n += 1;
      this.#sum = sum;
      return logged;
    });
  }

  sync(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#file.datasync();
      // A file that was deleted or replaced still takes every line, and nobody would ever read them.
      const [named, held] = await Promise.all([stat(this.#path, IDS), this.#file.stat(IDS)]);
      if (named.ino !== held.ino || named.dev !== held.dev)
        throw Object.assign(new Error("another file took its place"), { code: "ESTALE" });
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#file.close();
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(async () => {
      if (this.#broken) throw this.#broken;
      try {
        return await work();
      } catch (cause) {
        this.#broken = unwritable(this.#path, cause);
        throw this.#broken;
      }
    });
    this.#queue = result.catch(() => undefined); // the caller has the error; the queue only keeps the order
    return result;
  }
}

function unwritable(path: string, cause: unknown): Failure {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
  return new Failure(
    "log-unwritable",
    `The session log could not be written (${code}). Free some space or check the permissions of ${path}, then continue the session.`,
    { code, path },
    { cause },
  );
}
