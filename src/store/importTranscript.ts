/** Taking over what another program wrote: a session for each of a transcript's, read-only like any import. */
import { open } from "node:fs/promises";
import type { Claim, Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import { buildSession } from "./build";
import { discard, type Imported, type ImportPorts } from "./importArchive";
import { noStep, placeOf, type Root } from "./layout";
import { contentsOf } from "./marks";

/** A transcript's session as events of ours, its first event first; `contents` by the names that the events have for them. */
export type Drafted = {
  readonly title: string;
  readonly events: readonly Logged[];
  readonly contents: ReadonlyMap<Digest, Buffer>;
};

/** Throws `import-unreadable`. Who reads transcripts is none of the store's business. */
export type ReadTranscripts = (file: string) => Promise<{ readonly sessions: readonly Drafted[] }>;

const ZIP = Buffer.from("PK\u0003\u0004");
const EMPTY_ZIP = Buffer.from("PK\u0005\u0006");

/** By its first bytes. A file that cannot be read is for the reader of archives to say. */
export async function isArchive(path: string): Promise<boolean> {
  try {
    const file = await open(path, "r");
    try {
      const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
      return buffer.equals(ZIP) || buffer.equals(EMPTY_ZIP);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== undefined) return true;
    throw cause;
  }
}

/** All of a transcript's sessions or none. Throws `import-unreadable`, `store-full`. */
export async function importTranscript(
  root: Root,
  tenant: string,
  file: string,
  read: ReadTranscripts,
  { clock, room, maximumEntryBytes, onStep = noStep }: ImportPorts,
): Promise<readonly Imported[]> {
  await onStep("open");
  const { sessions } = await read(file);
  const made: Imported[] = [];
  try {
    for (const { title, events, contents: bytes } of sessions) {
      const claims = [...contentsOf(events).values()];
      const isKept = (claim: Claim) => claim.bytes <= maximumEntryBytes;
      const built = await buildSession({
        root,
        tenant,
        kind: "import",
        origin: "import",
        events,
        isSealed: root.vault.sealsNew,
        contents: claims.filter(isKept),
        missing: claims.filter((claim) => !isKept(claim)).map(({ sha256 }) => sha256),
        read: async ({ sha256 }) => bytes.get(sha256) ?? null,
        room,
        clock,
        onStep,
      });
      made.push({ ...built, title, notes: notesOf(events) });
    }
    return made;
  } catch (cause) {
    for (const { session } of made) await discard(placeOf(root, tenant, session), clock);
    throw cause;
  }
}

function notesOf([first]: readonly Logged[]): readonly string[] {
  const transcript = first?.type === "session_started" ? first.from?.transcript : undefined;
  return transcript ? [`a transcript of ${transcript.format}`, ...transcript.notes] : [];
}
