/** The session log on disk: append-only JSON lines with chained checksums. One writer at a time (`lock.ts`). */
import { randomUUID } from "node:crypto";
import { type FileHandle, open, readFile, stat, truncate } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Logged, type Origin, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import { FILE_MODE, syncFolder, writeAtomically } from "./atomic";
import { CHAIN_START, eventIn, lineOf, type ReadLog, readChain, sumOf } from "./chain";
import { readStretches } from "./readStretches";
import type { Seal } from "./seal";
import type { Point } from "./snapshots";

export type Clock = { now(): number };

/** `origin`: of what is appended, by default the loop. `seal`: of the session; without one it is plain. */
export type LogPorts = { readonly clock: Clock; readonly seal?: Seal | null; readonly origin?: Origin };

/** Everything a log holds, without taking it over. A torn tail is left where it is and not read. */
export async function readLog(path: string, seal: Seal | null = null): Promise<readonly Logged[]> {
  return (await readStretches(await contentOf(path), seal)).events;
}

const LINES_AT_ONCE = 2000; // then others have a turn

/** Events of lines that are wanted. What no event is, such as a line that is being written, is left out. */
export async function readMatching(
  path: string,
  seal: Seal | null,
  isWanted: (line: Buffer) => boolean,
): Promise<readonly Logged[]> {
  const content = await contentOf(path);
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const events: Logged[] = [];
  let lines = 0;
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    const written = bytes.subarray(start, end);
    start = end + 1;
    const line = seal ? seal.openLine(written) : written;
    const event = line !== null && isWanted(line) ? eventIn(line.toString("utf8")) : null;
    if (event) events.push(event);
    if (++lines % LINES_AT_ONCE === 0) await setImmediate();
  }
  return events;
}

/** What follows a point of the log; where the log does not have that point any more, all of it. */
export async function readAfter(
  path: string,
  seal: Seal | null,
  known: Point | null,
): Promise<{ bytes: Uint8Array; after: Point | null; read: ReadLog }> {
  const tail = known && (await tailAfter(path, seal, known));
  if (known && tail) return { bytes: tail, after: known, read: await readStretches(tail, seal, known) };
  const bytes = await contentOf(path);
  return { bytes, after: null, read: await readStretches(bytes, seal) };
}

/** Null where what stands before is not what stood there. */
async function tailAfter(
  path: string,
  seal: Seal | null,
  { bytes, lastLineBytes, sum }: Point,
): Promise<Buffer | null> {
  const file = await open(path, "r").catch(missingLog);
  try {
    const { size } = await file.stat();
    if (size < bytes) return null;
    const from = bytes - lastLineBytes;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    if (bytesRead < size - from || buffer[lastLineBytes - 1] !== NEWLINE) return null;
    return sumOf(buffer.subarray(0, lastLineBytes - 1), seal) === sum ? buffer.subarray(lastLineBytes) : null;
  } finally {
    await file.close();
  }
}

function endOf(after: Point | null, bytes: Uint8Array, { events, sum, goodBytes }: ReadLog): Point | null {
  if (events.length === 0) return after;
  const lastLine = goodBytes - 1 - bytes.subarray(0, goodBytes - 1).lastIndexOf(NEWLINE);
  return {
    events: (after?.events ?? 0) + events.length,
    bytes: (after?.bytes ?? 0) + goodBytes,
    lastLineBytes: lastLine,
    sum,
  };
}

/** A session's folder without a log is what a crash left of a session that never began. */
async function contentOf(path: string): Promise<Uint8Array> {
  return readFile(path).catch(missingLog);
}

function missingLog(cause: NodeJS.ErrnoException): never {
  if (cause.code !== "ENOENT") throw cause;
  throw new Failure("session-missing", "This session has no log. Pick another one.", {}, { cause });
}

const IDS = { bigint: true } as const; // on Windows a file's number does not fit a double
const FIRST_LINE_BYTES = 16_384;
const NEWLINE = 10;

/** The first event of a log, read from its first bytes; null where there is none. */
export async function readFirstEvent(path: string, seal: Seal | null): Promise<Logged | null> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0);
    const end = buffer.indexOf(NEWLINE);
    if (end < 0 || end >= bytesRead) return null;
    return readChain(buffer.subarray(0, end + 1), seal).events[0] ?? null;
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
  readonly #seal: Seal | null;
  #end: Point | null; // null: nothing was written yet
  #queue: Promise<unknown> = Promise.resolve();
  #broken: Failure | null = null;

  private constructor(path: string, file: FileHandle, ports: LogPorts, end: Point | null) {
    this.#path = path;
    this.#file = file;
    this.#clock = ports.clock;
    this.#origin = ports.origin ?? "loop";
    this.#seal = ports.seal ?? null;
    this.#end = end;
  }

  static async create(path: string, ports: LogPorts): Promise<SessionLog> {
    const file = await open(path, "ax", FILE_MODE).catch((cause) => Promise.reject(unwritable(path, cause)));
    try {
      await syncFolder(dirname(path));
    } catch (cause) {
      await file.close();
      throw cause;
    }
    return new SessionLog(path, file, ports, null);
  }

  /**
   * Opens a log to go on with it. A damaged tail is moved aside, kept, and told in `damage`. With a `known` point only
   * what follows it is read, where the log still has it: then `after` is that point, and `events` the rest.
   */
  static async open(
    path: string,
    ports: LogPorts,
    known: Point | null = null,
  ): Promise<{
    log: SessionLog;
    events: readonly Logged[];
    after: Point | null;
    damage: string | null;
  }> {
    const { bytes, after, read } = await readAfter(path, ports.seal ?? null, known);
    const { events, goodBytes, problem } = read;
    let damage: string | null = null;
    if (problem !== null && events.length === 0 && after === null) {
      throw new Failure(
        "log-damaged",
        "The session log is damaged from its first line on, and was left as it is. Start a new session.",
        { path },
      );
    }
    if (problem !== null) {
      const aside = `${path}.damaged-${ports.clock.now()}-${randomUUID().slice(0, 8)}`;
      try {
        await writeAtomically(aside, bytes.subarray(goodBytes)); // on disk before the log lets go of it
        await truncate(path, (after?.bytes ?? 0) + goodBytes);
      } catch (cause) {
        throw unwritable(path, cause);
      }
      damage = `${problem}; ${bytes.length - goodBytes} bytes were moved to ${basename(aside)}`;
    }
    const file = await open(path, "a", FILE_MODE).catch((cause) => Promise.reject(unwritable(path, cause)));
    return { log: new SessionLog(path, file, ports, endOf(after, bytes, read)), events, after, damage };
  }

  /** How far the log has come; null where nothing is in it. */
  get end(): Point | null {
    return this.#end;
  }

  /**
   * Appends one event. It survives the process; `sync` makes it survive the machine. What could not be read back is
   * never written: one such line would close the session for good.
   */
  append(event: SessionEvent): Promise<Logged> {
    const { success, error } = SessionEvent.safeParse(event);
    if (!success) return Promise.reject(unwritable(this.#path, error));
    return this.#enqueue(async () => {
      const { events: n, bytes, sum: before } = this.#end ?? { events: 0, bytes: 0, sum: CHAIN_START };
      const logged: Logged = { n, at: this.#clock.now(), origin: this.#origin, ...event };
      const { line, sum } = lineOf(logged, before, this.#seal);
      const written = Buffer.from(`${line}\n`, "utf8");
      await this.#file.appendFile(written);
      this.#end = { events: n + 1, bytes: bytes + written.length, lastLineBytes: written.length, sum };
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
