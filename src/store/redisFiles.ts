/**
 * Stored results beyond one machine: blobs as values of a Redis, the same bytes as in a file. For each session one hash
 * says which there are and when each was written; it and they change together or not at all.
 */
import type { Digest } from "../schema/claim";
import { Failure } from "../schema/failure";
import { BLOB_NAME, type BlobFiles, cleared, type Listed, missing } from "./blobFiles";
import type { Redis } from "./redisClient";

/** Removes a value where it was not written since: reading and removing are one step there. */
const REMOVE = `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return -1 end
local bytes = redis.call('STRLEN', KEYS[2])
redis.call('DEL', KEYS[2])
redis.call('HDEL', KEYS[1], ARGV[1])
return bytes`;

/** The servers that the settings named so far. */
export class RedisServers {
  readonly #password: () => Promise<string | null>;
  readonly #known = new Map<string, RedisContents>();

  constructor(password: () => Promise<string | null>) {
    this.#password = password;
  }

  at(url: string): RedisContents {
    const known = this.#known.get(url) ?? new RedisContents(url, this.#password);
    this.#known.set(url, known);
    return known;
  }

  dispose(): void {
    for (const contents of this.#known.values()) void contents.close();
    this.#known.clear();
  }
}

/** One Redis, connected when it is first needed. `password` null: none. */
export class RedisContents {
  readonly #url: string;
  readonly #password: () => Promise<string | null>;
  #connection: Promise<Redis> | null = null;

  constructor(url: string, password: () => Promise<string | null>) {
    this.#url = url;
    this.#password = password;
  }

  /** The blobs of one session. */
  filesOf({ tenant, session }: { readonly tenant: string; readonly session: string }): BlobFiles {
    return redisFiles((args) => this.#send(args), `cloakroom:{${tenant}/${session}}`);
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => null);
    this.#connection = null;
    connection?.close();
  }

  async #send(args: readonly (string | Buffer)[]): Promise<unknown> {
    try {
      return await (await this.#connected()).send(args);
    } catch (cause) {
      if (isRefused(cause)) await this.close(); // the next who asks comes with the password that is set then
      throw unreachable(cause, String(args[0]));
    }
  }

  async #connected(): Promise<Redis> {
    const known = this.#connection;
    const kept = await known?.catch(() => null);
    if (kept?.isOpen) return kept;
    if (this.#connection === known || this.#connection === null) this.#connection = this.#connect(); // once, for all who wait
    return this.#connection;
  }

  async #connect(): Promise<Redis> {
    const { connect } = await import("./redisClient"); // from its own bundle
    return connect(this.#url, await this.#password());
  }
}

type Send = (args: readonly (string | Buffer)[]) => Promise<unknown>;

function redisFiles(send: Send, prefix: string): BlobFiles {
  const keyOf = (name: string) => `${prefix}:${name}`;
  const bytesOf = async (name: string) => Number(await send(["STRLEN", keyOf(name)]));
  const list = async (): Promise<readonly Listed[]> => {
    const fields = ((await send(["HGETALL", prefix])) as readonly unknown[]).map(String);
    const listed: Listed[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const name = fields[at] as string;
      const row = { name, where: keyOf(name), bytes: await bytesOf(name), changedAt: Number(fields[at + 1]) };
      listed.push(
        BLOB_NAME.test(name) ? { ...row, kind: "blob", digest: name as Digest } : { ...row, kind: "stray" },
      );
    }
    return listed;
  };
  return {
    write: async (name, write) => {
      const parts: Buffer[] = [];
      const result = await write(async (bytes) => void parts.push(Buffer.from(bytes))); // a copy: they are lent
      // One script, so that no other reader sees a value that no list has, or the other way round.
      const put = `redis.call('SET', KEYS[2], ARGV[2]) local t = redis.call('TIME') redis.call('HSET', KEYS[1], ARGV[1], t[1] .. string.format('%03d', math.floor(t[2] / 1000)))`;
      await send(["EVAL", put, "2", prefix, keyOf(name), name, Buffer.concat(parts)]);
      return result;
    },
    open: async (name, use) => {
      if ((await bytesOf(name)) === 0) throw missing(name);
      return use({
        read: async (position, length) =>
          length === 0
            ? Buffer.alloc(0)
            : ((await send(["GETRANGE", keyOf(name), `${position}`, `${position + length - 1}`])) as Buffer),
        all: async () => ((await send(["GET", keyOf(name)])) as Buffer | null) ?? Buffer.alloc(0),
      });
    },
    list,
    remove: async ({ name, changedAt }) => {
      const freed = Number(await send(["EVAL", REMOVE, "2", prefix, keyOf(name), name, `${changedAt}`]));
      return freed < 0 ? null : freed;
    },
    clear: async () => {
      const listed = await list();
      await send(["DEL", prefix, ...listed.map(({ where }) => where)]);
      for await (const keys of keysLike(send, keyOf("*"))) await send(["DEL", ...keys]); // a server that evicts may have lost the list
      return cleared(listed);
    },
  };
}

async function* keysLike(send: Send, pattern: string): AsyncGenerator<readonly Buffer[]> {
  let cursor = "0";
  do {
    const found = await send(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"]);
    const [next, keys] = found as [Buffer, Buffer[]];
    if (keys.length > 0) yield keys;
    cursor = String(next);
  } while (cursor !== "0");
}

/** Whether the server wants a password, or another one. */
const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && /^(NOAUTH|WRONGPASS|ERR AUTH)\b/.test(cause.message);

function unreachable(cause: unknown, command: string): Failure {
  return isRefused(cause)
    ? new Failure(
        "contents-unreachable",
        "The stored results are kept in Redis, and it does not take the password, or wants one. Use the command Cloakroom: Set Redis Password, then try again.",
        { command, needs: "redisPassword" },
        { cause },
      )
    : new Failure(
        "contents-unreachable",
        `The stored results are kept in Redis, and it did not answer (${whyOf(cause)}). Check the setting cloakroom.store.redisUrl and the server, then try again.`,
        { command, field: "store.redisUrl" },
        { cause },
      );
}

const whyOf = (cause: unknown): string =>
  (cause as { code?: string }).code ?? (cause instanceof Error ? cause.message.split("\n", 1)[0] : "") ?? "";
