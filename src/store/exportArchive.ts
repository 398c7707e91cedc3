/** Writing archives. Exporting proves all it writes and lists what it could not. An archive is never sealed: it is for where the key is not. */
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { ZipFile } from "yazl";
import type { Claim, Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import {
  contentName,
  folderName,
  LOG_NAME,
  MANIFEST_NAME,
  type Manifest,
  WORKSPACE_NAME,
  type WorkspaceManifest,
} from "./archive";
import { FILE_MODE } from "./atomic";
import type { Blobs } from "./blobs";
import { CHAIN_START, lineOf } from "./chain";
import { begun } from "./fork";
import { noStep, type OnStep, type Place } from "./layout";
import type { Clock } from "./log";
import { type Names, renamed } from "./marks";
import { provenContents } from "./provenContents";
import { type FolderState, readFolder } from "./sessionFolder";
import { writeWhole } from "./wholeFile";

export type Exported = {
  readonly file: string;
  readonly events: number;
  readonly contents: number;
  readonly missing: Manifest["missing"];
};

export type ExportedWorkspace = Exported & {
  readonly sessions: number;
  readonly unreadable: WorkspaceManifest["unreadable"];
};

const NOUN = "The archive";

type Ports = { readonly clock: Clock; readonly onStep?: OnStep | undefined };

/**
 * Writes `file` whole or not at all; one content is in memory at a time. The session may be running: it is exported as
 * far as its log says now. Named steps: read → prove → write → name.
 */
export async function exportSession(
  source: Place,
  file: string,
  { clock, onStep = noStep }: Ports,
): Promise<Exported> {
  await onStep("read");
  const state = begun(source, await readFolder(source));
  await onStep("prove");
  const packed = await pack(source, state, clock);
  await writeWhole(file, NOUN, onStep, (draft) =>
    ArchiveWriter.write(draft, new Date(clock.now()), (archive) => archive.add("", packed)),
  );
  return { file, ...told(packed) };
}

/** The same for sessions of one workspace. Those that cannot be read are listed, and left out. */
export async function exportWorkspace(
  sources: readonly Place[],
  file: string,
  { clock, onStep = noStep }: Ports,
): Promise<ExportedWorkspace> {
  const sum = { sessions: 0, events: 0, contents: 0 };
  const missing: Manifest["missing"] = [];
  const unreadable: WorkspaceManifest["unreadable"] = [];
  const sessions: string[] = [];
  const fill = async (archive: ArchiveWriter) => {
    for (const source of sources) {
      await onStep("read");
      const state = await readFolder(source);
      if (state.kind === "unreadable") unreadable.push({ session: source.session, why: state.why });
      if (state.kind !== "begun") continue;
      await onStep("prove");
      const packed = await pack(source, state, clock).catch((cause: unknown) => {
        if (!(cause instanceof Failure)) throw cause;
        unreadable.push({ session: source.session, why: cause.message });
      });
      if (!packed) continue;
      await archive.add(folderName(source.session), packed);
      const { events, contents, missing: lost } = told(packed);
      sessions.push(source.session);
      missing.push(...lost);
      sum.sessions++;
      sum.events += events;
      sum.contents += contents;
    }
    const manifest: WorkspaceManifest = {
      ...{ format: 1, kind: "cloakroom-workspace", exportedAt: clock.now() },
      ...{ sessions, unreadable },
    };
    await archive.addJson(WORKSPACE_NAME, manifest);
  };
  await writeWhole(file, NOUN, onStep, (draft) => ArchiveWriter.write(draft, new Date(clock.now()), fill));
  return { file, ...sum, missing, unreadable };
}

/** A session, proved: what the archive says of it, and where its contents are read from. */
type Packed = {
  readonly manifest: Manifest;
  readonly log: Buffer;
  readonly contents: readonly Claim[];
  readonly blobs: Blobs;
  readonly names: Names; // of contents that are called otherwise in an archive
};

const told = ({ manifest, contents }: Packed) => ({
  events: manifest.log.events,
  contents: contents.length,
  missing: manifest.missing,
});

async function pack(source: Place, state: FolderState & { kind: "begun" }, clock: Clock): Promise<Packed> {
  const { events, blobs, keeping } = state;
  const { contents, missing, names } = await provenContents(state);
  const { bytes, sum } = keeping.seal ? plainLog(events, names) : state;
  const called = (claim: Claim) => ({ ...claim, ...names.get(claim.sha256) });
  const first = events[0];
  const manifest: Manifest = {
    format: 1,
    kind: "cloakroom-session",
    session: source.session,
    title: first?.type === "session_started" ? first.title : "",
    exportedAt: clock.now(),
    log: { events: events.length, bytes: bytes.length, sum },
    contents: contents.map(called).map(({ sha256, bytes: length }) => ({ sha256, bytes: length })),
    missing,
  };
  return { manifest, log: Buffer.from(bytes), contents, blobs, names };
}

function plainLog(events: readonly Logged[], names: Names): { bytes: Buffer; sum: string } {
  let sum = CHAIN_START;
  const lines = events.map((event) => {
    const next = lineOf(renamed(event, names), sum, null);
    sum = next.sum;
    return `${next.line}\n`;
  });
  return { bytes: Buffer.from(lines.join(""), "utf8"), sum };
}

class ArchiveWriter {
  readonly #zip: ZipFile;
  readonly #mtime: Date;
  readonly #contents = new Set<Digest>();

  private constructor(zip: ZipFile, mtime: Date) {
    this.#zip = zip;
    this.#mtime = mtime;
  }

  /** Resolves once everything that `fill` added is on disk. */
  static async write(
    path: string,
    mtime: Date,
    fill: (archive: ArchiveWriter) => Promise<void>,
  ): Promise<void> {
    const zip = new ZipFile();
    const output = Readable.from(zip.outputStream);
    zip.on("error", (cause: Error) => output.destroy(cause));
    const writing = pipeline(output, createWriteStream(path, { flags: "wx", mode: FILE_MODE }));
    const adding = fill(new ArchiveWriter(zip, mtime)).then(() => zip.end());
    adding.catch((cause: Error) => output.destroy(cause));
    await Promise.all([writing, adding]);
    const file = await open(path, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** A content that another session has too is in the archive once. */
  async add(folder: string, { manifest, log, contents, blobs, names }: Packed): Promise<void> {
    await this.addJson(folder + MANIFEST_NAME, manifest);
    await this.#add(folder + LOG_NAME, log);
    for (const { sha256 } of contents) {
      const name = names.get(sha256)?.sha256 ?? sha256;
      if (this.#contents.has(name)) continue;
      this.#contents.add(name);
      await this.#add(contentName(name), await blobs.readBytes(sha256));
    }
  }

  addJson(name: string, value: unknown): Promise<void> {
    return this.#add(name, Buffer.from(`${JSON.stringify(value, null, 2)}\n`, "utf8"));
  }

  /** Resolves once the archive has taken the bytes, so that the next content need not wait in memory. */
  async #add(name: string, bytes: Buffer): Promise<void> {
    const compress = await isWorthPacking(bytes);
    return new Promise((resolve, reject) => {
      const stream = Readable.from([bytes]);
      stream.once("close", resolve).once("error", reject);
      const options = { mtime: this.#mtime, mode: 0o100600, compress };
      this.#zip.addReadStream(stream, name, { ...options, size: bytes.length });
    });
  }
}

const deflated = promisify(deflateRaw);
const MOST_PACKED = 50;

/** What packs too well would look like a bomb to whoever imports it (`MAXIMUM_RATIO`): it is stored as it is. */
async function isWorthPacking(bytes: Uint8Array): Promise<boolean> {
  return bytes.length < 1024 || bytes.length / (await deflated(bytes)).length <= MOST_PACKED;
}
