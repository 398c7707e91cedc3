/** Writing a session for other programs: a document is made of the log and its contents by whoever knows its form, and streamed to disk. */
import { open } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import type { Claim, Digest, Handle } from "../schema/claim";
import type { ExportedContent, ExportedSession, WriteDocument } from "../schema/export";
import { FILE_MODE } from "./atomic";
import type { Blobs } from "./blobs";
import { sha256 as hash } from "./digest";
import type { Exported } from "./exportArchive";
import { begun } from "./fork";
import { noStep, type OnStep, type Place } from "./layout";
import { claimsOf, forgottenIn, renamed } from "./marks";
import { type Proven, provenContents } from "./provenContents";
import { type FolderState, readFolder } from "./sessionFolder";
import { writeWhole } from "./wholeFile";

type Begun = FolderState & { readonly kind: "begun" };
type Form = {
  readonly write: WriteDocument;
  readonly withContents: boolean;
  readonly onStep?: OnStep | undefined;
};

const UNPROVEN: Proven = { contents: [], missing: [], names: new Map() };

/**
 * Writes `file` whole or not at all, plain also where the session is sealed. Contents are read where they are wanted, and
 * where only they say what a sealed session calls them outside. Named steps: read → prove → write → name.
 */
export async function exportDocument(
  source: Place,
  file: string,
  { write, withContents, onStep = noStep }: Form,
): Promise<Exported> {
  await onStep("read");
  const state = begun(source, await readFolder(source));
  await onStep("prove");
  const isProven = withContents || state.keeping.seal !== null;
  const proven = isProven ? await provenContents(state) : UNPROVEN;
  const session = sessionOf(state, proven);
  const text = write(session, withContents, { hash, timeOf });
  await writeWhole(file, "The session", onStep, (draft) => writeText(draft, text));
  const contents = session.contents.filter(({ why }) => why === null).length;
  return { file, events: session.events.length, contents, missing: proven.missing };
}

function sessionOf(state: Begun, { names, missing }: Proven): ExportedSession {
  const events = names.size === 0 ? state.events : state.events.map((event) => renamed(event, names));
  const kept = new Map([...names].map(([name, { sha256 }]) => [sha256, name]));
  return {
    events,
    contents: contentsIn(events, new Map(missing.map(({ sha256, why }) => [sha256, why]))),
    pieces: ({ sha256, mediaType }) =>
      piecesOf(state.blobs, kept.get(sha256) ?? sha256, mediaType === undefined ? "utf8" : "base64"),
  };
}

/** One entry for every content, with all handles that name it. */
function contentsIn(
  events: ExportedSession["events"],
  lost: ReadonlyMap<Digest, NonNullable<ExportedContent["why"]>>,
): readonly ExportedContent[] {
  const found = new Map<Digest, Claim & { handles: Handle[] }>();
  const claims = claimsOf(events);
  const deleted = forgottenIn(claims.values());
  for (const claim of claims.values()) {
    const known = found.get(claim.sha256);
    if (known) known.handles.push(claim.handle);
    else found.set(claim.sha256, { ...claim, handles: [claim.handle] });
  }
  const whyOf = (digest: Digest) => lost.get(digest) ?? (deleted.has(digest) ? ("missing" as const) : null);
  return [...found.values()].map((content) => ({ ...content, why: whyOf(content.sha256) }));
}

const PIECE_BYTES = 64 * 1024;

/** The content is in memory once, as it is on disk; of what is made of it, a piece at a time. */
async function* piecesOf(blobs: Blobs, name: Digest, encoding: "utf8" | "base64"): AsyncGenerator<string> {
  const bytes = await blobs.readBytes(name);
  const decoder = new StringDecoder(encoding); // no character and no group of base64 is torn
  for (let at = 0; at < bytes.length; at += PIECE_BYTES)
    yield decoder.write(bytes.subarray(at, at + PIECE_BYTES));
  yield decoder.end();
}

async function writeText(path: string, text: ReturnType<WriteDocument>): Promise<void> {
  const file = await open(path, "wx", FILE_MODE);
  try {
    for await (const stretch of stretches(text)) await file.appendFile(stretch, "utf8");
    await file.sync();
  } finally {
    await file.close();
  }
}

const STRETCH_CHARS = 256 * 1024;

/** Small pieces are written together. */
async function* stretches(text: ReturnType<WriteDocument>): AsyncGenerator<string> {
  let held = "";
  for await (const piece of text) {
    held += piece;
    if (held.length < STRETCH_CHARS) continue;
    yield held;
    held = "";
  }
  yield held;
}

/** "2026-11-30 06:48:02 UTC"; the number itself where no calendar has it. */
function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime())
    ? String(at)
    : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
