/**
 * Taking a session back from an archive, which anybody may have made: names are digests only, sizes are bounded before
 * anything is unpacked, every content and the log's chain are proved, and what is refused leaves nothing behind.
 */
import { stat } from "node:fs/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { isMedia } from "../claims/claim";
import type { Claim, Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { charLength } from "../schema/text";
import { contentName, LOG_NAME, MANIFEST_NAME, Manifest } from "./archive";
import { plainNameOf } from "./blobs";
import { buildSession } from "./build";
import { readChain } from "./chain";
import { noStep, type OnStep, type Root } from "./layout";
import type { Clock } from "./log";
import { contentsOf } from "./marks";
import type { Room } from "./room";

const MEGABYTE = 1024 * 1024;
export const MAXIMUM_RATIO = 200; // unpacked over packed, of the whole archive
const FREE_BYTES = 16 * MEGABYTE; // so little does no harm, however well it packs
const MAXIMUM_LOG_BYTES = 512 * MEGABYTE;
const MAXIMUM_MANIFEST_BYTES = 64 * MEGABYTE;
const MAXIMUM_ENTRIES = 100_000;
const CONTENT = /^contents\/[0-9a-f]{64}$/;

export type Imported = {
  readonly session: string;
  readonly title: string;
  readonly results: number;
  readonly missing: number;
};

export type ImportPorts = {
  readonly clock: Clock;
  readonly room: Room;
  readonly maximumEntryBytes: number;
  readonly onStep?: OnStep | undefined;
};

/**
 * Restores the archive as a session of `tenant`, read-only until it is forked. Throws `import-unreadable`,
 * `store-full`, or `store-too-new` for the log of a later version. Named steps: open → check → copy → log → name.
 */
export async function importSession(
  root: Root,
  tenant: string,
  file: string,
  { clock, room, maximumEntryBytes, onStep = noStep }: ImportPorts,
): Promise<Imported> {
  await onStep("open");
  const archive = await reading(file, () => Archive.open(file, maximumEntryBytes));
  try {
    await onStep("check");
    const { manifest, events } = await reading(file, () => readWords(archive));
    const contents = [...contentsOf(events).values()];
    const missing = new Set(manifest.missing.map(({ sha256: digest }) => digest));
    await reading(file, () => assertComplete(archive, contents, missing));
    const here = contents.filter((claim) => !missing.has(claim.sha256));
    const read = (claim: Claim) => reading(file, () => readContent(archive, claim));
    const copy = { events, contents: here, missing: [...missing], read, isSealed: root.vault.sealsNew };
    const from = { kind: "import", origin: "import" } as const;
    const made = await buildSession({ root, tenant, ...from, ...copy, room, clock, onStep });
    return { ...made, title: manifest.title };
  } finally {
    archive.close();
  }
}

/** The archive's table of contents, found harmless: known names, once each, and no more bytes than it may unpack to. */
class Archive {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
  }

  static async open(file: string, maximumEntryBytes: number): Promise<Archive> {
    const packedBytes = (await stat(file)).size;
    const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true };
    const zip = await openPromise(file, options);
    try {
      const entries = new Map<string, Entry>();
      let unpackedBytes = 0;
      for await (const entry of zip.eachEntry()) {
        const name = entry.fileName;
        if (!CONTENT.test(name) && name !== MANIFEST_NAME && name !== LOG_NAME)
          throw refused("it has a file that is none of a session's");
        if (entries.has(name)) throw refused("it has the same file twice");
        if (entry.isEncrypted()) throw refused("it is encrypted");
        if (entries.size >= MAXIMUM_ENTRIES) throw refused("it has too many files");
        const most =
          name === MANIFEST_NAME
            ? MAXIMUM_MANIFEST_BYTES
            : name === LOG_NAME
              ? MAXIMUM_LOG_BYTES
              : maximumEntryBytes;
        if (entry.uncompressedSize > most) throw refused("a file in it is too large");
        unpackedBytes += entry.uncompressedSize;
        entries.set(name, entry);
      }
      if (unpackedBytes > FREE_BYTES && unpackedBytes > packedBytes * MAXIMUM_RATIO)
        throw refused("it would unpack to far more than it is");
      return new Archive(zip, entries);
    } catch (cause) {
      zip.close();
      throw cause;
    }
  }

  get contents(): readonly string[] {
    return [...this.#entries.keys()].filter((name) => CONTENT.test(name));
  }

  /** Never more bytes than the entry says it has. */
  async read(name: string): Promise<Buffer> {
    const entry = this.#entries.get(name);
    if (!entry) throw refused(`it has no ${name}`);
    const stream = await this.#zip.openReadStreamPromise(entry);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  close(): void {
    this.#zip.close();
  }
}

async function readWords(archive: Archive): Promise<{ manifest: Manifest; events: readonly Logged[] }> {
  const manifest = manifestIn(textOf(await archive.read(MANIFEST_NAME)));
  const { events, sum, problem } = readChain(await archive.read(LOG_NAME), null);
  if (problem !== null) throw refused(`its log is damaged: ${problem}`);
  if (sum !== manifest.log.sum || events.length !== manifest.log.events)
    throw refused("its log is not the one that its manifest tells of");
  if (events.findIndex(({ type }) => type === "session_started") !== 0)
    throw refused("its log has no beginning");
  if (events.slice(1).some(({ type }) => type === "session_started"))
    throw refused("its log has two beginnings");
  if (!events.every(isWellFormed)) throw refused("its log has text that is none");
  return { manifest, events };
}

function manifestIn(text: string): Manifest {
  const value: unknown = JSON.parse(text);
  const parsed = Manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  const { format } = (value ?? {}) as { format?: unknown };
  throw typeof format === "number" && format > 1
    ? refused("it was made by a later version of Cloakroom; update Cloakroom")
    : refused("its manifest is none");
}

/** What the log names is there or listed as missing, and nothing else is there. */
function assertComplete(archive: Archive, contents: readonly Claim[], missing: ReadonlySet<Digest>): void {
  const expected = new Set(
    contents.filter((claim) => !missing.has(claim.sha256)).map((claim) => contentName(claim.sha256)),
  );
  for (const name of archive.contents)
    if (!expected.delete(name)) throw refused("it has content that its log does not name");
  if (expected.size > 0) throw refused(`${expected.size} stored results are missing that it should have`);
}

/** What its claim says of it is so. It was safe where it was stored; whoever made the archive may have written anything. */
async function readContent(archive: Archive, claim: Claim): Promise<Buffer> {
  const content = await archive.read(contentName(claim.sha256));
  const name = plainNameOf(content);
  if (name.sha256 !== claim.sha256) throw refused("a stored result in it was altered");
  const chars = isMedia(claim) ? 0 : charLength(textOf(content));
  if (content.length !== claim.bytes || chars !== claim.chars)
    throw refused("its log gives a stored result another size than it has");
  if (name.frames !== claim.frames)
    throw refused("its log proves a stored result by other frames than it has");
  return content;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** No lone surrogate in any text of it: such text cannot be sent to a model. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, item]) => key.isWellFormed() && isWellFormed(item));
}

/** Whatever goes wrong while the archive is read is the archive's fault, said in one way. */
async function reading<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Failure && cause.code === "store-too-new") throw cause;
    const { code } = cause as NodeJS.ErrnoException;
    const why =
      cause instanceof Refused
        ? cause.message
        : code === "ENOENT"
          ? "there is no such file"
          : "it is no archive of a session, or a damaged one";
    throw new Failure(
      "import-unreadable",
      `${file} cannot be imported: ${why}. Nothing was added.`,
      { file, why },
      { cause },
    );
  }
}

class Refused extends Error {}
const refused = (why: string): Refused => new Refused(why);
