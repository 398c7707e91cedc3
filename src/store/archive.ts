/**
 * A session as one file: a ZIP with a manifest, the log as it stands, and every content under its digest. Any tool opens
 * it; nothing in it depends on how this store keeps files. Exporting proves all it writes and lists what it could not.
 */
import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { deflateRawSync } from "node:zlib";
import { ZipFile } from "yazl";
import * as z from "zod";
import { type Claim, Digest, Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import { FILE_MODE, syncFolder } from "./atomic";
import { type Blobs, plainNameOf } from "./blobs";
import { CHAIN_START, lineOf } from "./chain";
import { begun } from "./fork";
import { LOG, noStep, type OnStep, type Place } from "./layout";
import type { Clock } from "./log";
import { contentsOf, type Names, renamed } from "./marks";
import { blobState, readFolder } from "./sessionFolder";

export const MANIFEST_NAME = "manifest.json";
export const LOG_NAME = LOG;
export const contentName = (digest: Digest): string => `contents/${digest}`;

const size = z.int().nonnegative();

/** What an archive says it holds. `log.sum` is the chain's last checksum, so that a shortened log is found. */
export const Manifest = z.object({
  format: z.literal(1),
  kind: z.literal("cloakroom-session"),
  session: z.string().max(64),
  title: z.string().max(1000),
  exportedAt: z.int(),
  log: z.object({ events: size, bytes: size, sum: z.string() }),
  contents: z.array(z.object({ sha256: Digest, bytes: size })),
  missing: z.array(
    z.object({
      sha256: Digest,
      handle: Handle,
      tool: z.string(),
      why: z.enum(["missing", "corrupt", "unreadable"]),
    }),
  ),
});
export type Manifest = z.infer<typeof Manifest>;

export type Exported = {
  readonly file: string;
  readonly events: number;
  readonly contents: number;
  readonly missing: Manifest["missing"];
};

/**
 * Writes `file` whole or not at all; one content is in memory at a time. The session may be running: it is exported as
 * far as its log says now. Named steps: read → prove → write → name.
 */
export async function exportSession(
  source: Place,
  file: string,
  { clock, onStep = noStep }: { clock: Clock; onStep?: OnStep | undefined },
): Promise<Exported> {
  await onStep("read");
  const state = begun(source, await readFolder(source));
  const { events, blobs } = state;
  await onStep("prove");
  const contents: Claim[] = [];
  const missing: Manifest["missing"] = [];
  for (const claim of contentsOf(events).values()) {
    const { sha256, handle, tool } = claim;
    const state = await blobState(blobs, sha256);
    if (state === "whole") contents.push(claim);
    else missing.push({ sha256, handle, tool, why: state });
  }
  const names = state.keeping.seal ? await plainNames(blobs, contents) : new Map();
  const { bytes, sum } = state.keeping.seal ? plainLog(events, names) : state;
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
  const draft = join(dirname(file), `.${randomUUID()}.tmp`);
  try {
    await onStep("write");
    await writeZip(draft, manifest, Buffer.from(bytes), contentsIn(blobs, contents, names));
    await onStep("name");
    await rename(draft, file);
    await syncFolder(dirname(file));
  } catch (cause) {
    await rm(draft, { force: true });
    const { code } = cause as NodeJS.ErrnoException;
    if (cause instanceof Failure || code === undefined) throw cause;
    throw new Failure(
      "export-failed",
      `The session could not be written to ${file} (${code}). Pick another place, then try again.`,
      { code, file },
      { cause },
    );
  }
  return { file, events: events.length, contents: contents.length, missing };
}

/** What a sealed session's contents are called in an archive, which is not sealed: it is for where the key is not. */
async function plainNames(blobs: Blobs, contents: readonly Claim[]): Promise<Names> {
  const names = new Map<Digest, ReturnType<typeof plainNameOf>>();
  for (const { sha256 } of contents) names.set(sha256, plainNameOf(await blobs.readBytes(sha256)));
  return names;
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

async function* contentsIn(blobs: Blobs, contents: readonly Claim[], names: Names) {
  for (const { sha256 } of contents) {
    const bytes = await blobs.readBytes(sha256);
    yield { name: names.get(sha256)?.sha256 ?? sha256, bytes };
  }
}

async function writeZip(
  path: string,
  manifest: Manifest,
  log: Buffer,
  contents: AsyncIterable<{ readonly name: Digest; readonly bytes: Buffer }>,
): Promise<void> {
  const zip = new ZipFile();
  const mtime = new Date(manifest.exportedAt);
  const options = (bytes: Uint8Array) => ({ mtime, mode: 0o100600, compress: isWorthPacking(bytes) });
  zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST_NAME, {
    mtime,
    mode: 0o100600,
  });
  zip.addBuffer(log, LOG_NAME, options(log));
  const output = Readable.from(zip.outputStream);
  zip.on("error", (cause: Error) => output.destroy(cause));
  const writing = pipeline(output, createWriteStream(path, { flags: "wx", mode: FILE_MODE }));
  const adding = (async () => {
    for await (const { name, bytes } of contents)
      await addWhole(zip, bytes, contentName(name), { ...options(bytes), size: bytes.length });
    zip.end();
  })();
  adding.catch((cause: Error) => output.destroy(cause));
  await Promise.all([writing, adding]);
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Resolves once the archive has taken the bytes, so that the next content need not wait in memory. */
function addWhole(zip: ZipFile, bytes: Buffer, name: string, options: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = Readable.from([bytes]);
    stream.once("close", resolve).once("error", reject);
    zip.addReadStream(stream, name, options);
  });
}

const SAMPLE_BYTES = 262_144;
const MOST_PACKED = 50;

/** What packs too well would look like a bomb to whoever imports it (`MAXIMUM_RATIO`): it is stored as it is. */
function isWorthPacking(bytes: Uint8Array): boolean {
  if (bytes.length < 1024) return true;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return sample.length / deflateRawSync(sample, { level: 1 }).length <= MOST_PACKED;
}
