/**
 * Taking sessions back from an archive, which anybody may have made: names are digests only, sizes are bounded before
 * anything is unpacked, every content and the log's chain are proved, and what is refused leaves nothing behind.
 */
import { stat } from "node:fs/promises";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import type * as z from "zod";
import { isMedia } from "../claims/claim";
import type { Claim, Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { charLength } from "../schema/text";
import {
  contentName,
  folderName,
  LOG_NAME,
  MANIFEST_NAME,
  Manifest,
  WORKSPACE_NAME,
  WorkspaceManifest,
} from "./archive";
import { plainNameOf } from "./blobs";
import { buildSession } from "./build";
import { readChain } from "./chain";
import { noStep, type OnStep, type Place, placeOf, type Root, SESSION_ID } from "./layout";
import type { Clock } from "./log";
import { contentsOf } from "./marks";
import { removeSession } from "./remove";
import type { Room } from "./room";
import { lockFolder } from "./sessionFolder";

const MEGABYTE = 1024 * 1024;
export const MAXIMUM_RATIO = 200; // unpacked over packed, of the whole archive
const FREE_BYTES = 16 * MEGABYTE; // so little does no harm, however well it packs
const MAXIMUM_LOG_BYTES = 512 * MEGABYTE;
const MAXIMUM_MANIFEST_BYTES = 64 * MEGABYTE;
const MAXIMUM_ENTRIES = 100_000;
const CONTENT = /^contents\/[0-9a-f]{64}$/;
const WORDS = /^(sessions\/[0-9a-z-]{1,64}\/)?(?:manifest\.json|log\.jsonl)$|^workspace\.json$/;

export type Imported = {
  readonly session: string;
  readonly title: string;
  readonly results: number;
  readonly missing: number;
  /** What is to be told of a transcript; absent: it was an archive. */
  readonly notes?: readonly string[];
};

export type ImportPorts = {
  readonly clock: Clock;
  readonly room: Room;
  readonly maximumEntryBytes: number;
  readonly onStep?: OnStep | undefined;
};

/** A session of the archive, found whole. */
type Found = {
  readonly manifest: Manifest;
  readonly events: readonly Logged[];
  readonly contents: readonly Claim[];
  readonly missing: readonly Digest[];
};

/**
 * Restores what the archive holds as sessions of `tenant`, read-only until they are forked: all of them or none. Throws
 * `import-unreadable`, `store-full`, or `store-too-new` for the log of a later version. Named steps: open → check, then
 * for each session copy → log → name.
 */
export async function importArchive(
  root: Root,
  tenant: string,
  file: string,
  { clock, room, maximumEntryBytes, onStep = noStep }: ImportPorts,
): Promise<readonly Imported[]> {
  await onStep("open");
  const archive = await reading(file, () => Archive.open(file, maximumEntryBytes));
  const made: Imported[] = [];
  try {
    await onStep("check");
    const folders = await reading(file, () => checkedFolders(archive));
    const read = (claim: Claim) => reading(file, () => readContent(archive, claim));
    const from = { kind: "import", origin: "import" } as const;
    for (const folder of folders) {
      const { manifest, events, contents, missing } = await reading(file, () => findSession(archive, folder));
      const copy = { events, contents, missing, read, isSealed: root.vault.sealsNew };
      const built = await buildSession({ root, tenant, ...from, ...copy, room, clock, onStep });
      made.push({ ...built, title: manifest.title });
    }
    return made;
  } catch (cause) {
    for (const { session } of made) await discard(placeOf(root, tenant, session), clock);
    throw cause;
  } finally {
    archive.close();
  }
}

/** One that came before what could not be taken. Whoever opened it meanwhile keeps it. */
export async function discard(place: Place, clock: Clock): Promise<void> {
  const lock = await lockFolder(place, clock);
  if (lock === "in-use" || lock === "gone") return;
  try {
    await removeSession(place, noStep);
  } finally {
    await lock.release();
  }
}

/** Where its sessions stand, every one found whole. Each is read again when it is built: one is in memory at a time. */
async function checkedFolders(archive: Archive): Promise<readonly string[]> {
  const folders = await foldersIn(archive);
  const unnamed = new Set(archive.contents);
  for (const folder of folders)
    for (const { sha256 } of (await findSession(archive, folder)).contents)
      unnamed.delete(contentName(sha256));
  if (unnamed.size > 0) throw refused("it has content that its log does not name");
  return folders;
}

/** One session, its words read and proved; its contents are all there, or listed as missing. */
async function findSession(archive: Archive, folder: string): Promise<Found> {
  const { manifest, events } = await readWords(archive, folder);
  const lost = new Set(manifest.missing.map(({ sha256 }) => sha256));
  const contents = [...contentsOf(events).values()].filter(({ sha256 }) => !lost.has(sha256));
  const absent = contents.filter(({ sha256 }) => !archive.has(contentName(sha256))).length;
  if (absent > 0) throw refused(`${absent} stored results are missing that it should have`);
  return { manifest, events, contents, missing: [...lost] };
}

/** Where its sessions stand: at the top, or in the folders that the workspace's manifest lists. */
async function foldersIn(archive: Archive): Promise<readonly string[]> {
  if (!archive.has(WORKSPACE_NAME)) {
    if (archive.folders.length > 0) throw refused("its manifest is none");
    return [""];
  }
  const { sessions } = parsedManifest(WorkspaceManifest, textOf(await archive.read(WORKSPACE_NAME)));
  const listed = new Set(sessions.map(folderName));
  if (
    archive.has(MANIFEST_NAME) ||
    archive.has(LOG_NAME) ||
    archive.folders.some((folder) => !listed.has(folder))
  )
    throw refused("it has a session that its manifest does not list");
  return [...listed];
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
        if (!CONTENT.test(name) && !WORDS.test(name))
          throw refused("it has a file that is none of a session's");
        if (entries.has(name)) throw refused("it has the same file twice");
        if (entry.isEncrypted()) throw refused("it is encrypted");
        if (entries.size >= MAXIMUM_ENTRIES) throw refused("it has too many files");
        if (entry.uncompressedSize > mostBytesOf(name, maximumEntryBytes))
          throw refused("a file in it is too large");
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

  /** Of sessions: "sessions/…/". */
  get folders(): readonly string[] {
    const names = [...this.#entries.keys()].flatMap((name) => WORDS.exec(name)?.[1] ?? []);
    return [...new Set(names)];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
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

function mostBytesOf(name: string, maximumEntryBytes: number): number {
  if (CONTENT.test(name)) return maximumEntryBytes;
  return name.endsWith(LOG_NAME) ? MAXIMUM_LOG_BYTES : MAXIMUM_MANIFEST_BYTES;
}

async function readWords(
  archive: Archive,
  folder: string,
): Promise<{ manifest: Manifest; events: readonly Logged[] }> {
  const manifest = parsedManifest(Manifest, textOf(await archive.read(folder + MANIFEST_NAME)));
  const { events, sum, problem } = readChain(await archive.read(folder + LOG_NAME));
  if (problem !== null) throw refused(`its log is damaged: ${problem}`);
  if (sum !== manifest.log.sum || events.length !== manifest.log.events)
    throw refused("its log is not the one that its manifest tells of");
  const first = events[0];
  if (first?.type !== "session_started" || !SESSION_ID.test(first.session))
    throw refused("its log has no beginning");
  if (events.slice(1).some(({ type }) => type === "session_started"))
    throw refused("its log has two beginnings");
  if (!events.every(isWellFormed)) throw refused("its log has text that is none");
  return { manifest, events };
}

function parsedManifest<T>(schema: z.ZodType<T>, text: string): T {
  const value: unknown = JSON.parse(text);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { format } = (value ?? {}) as { format?: unknown };
  throw typeof format === "number" && format > 1
    ? refused("it was made by a later version of Cloakroom; update Cloakroom")
    : refused("its manifest is none");
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
