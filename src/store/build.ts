/** A session made out of another's events: a fork, or an import. It is built under a name that nobody looks for, then takes its own. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Claim, Digest } from "../schema/claim";
import type { Logged, Origin, SessionEvent } from "../schema/event";
import { Failure } from "../schema/failure";
import { indexOfChar } from "../schema/text";
import { FILE_MODE, FOLDER_MODE, makeFolder, syncFolder } from "./atomic";
import type { BlobName, Blobs } from "./blobs";
import { CHAIN_START, lineOf } from "./chain";
import { ClaimIndex } from "./claimIndex";
import { fileBytesOf } from "./frames";
import {
  DRAFT,
  INDEX,
  LOCK,
  LOG,
  newSessionId,
  noStep,
  type OnStep,
  type Place,
  placeOf,
  type Root,
} from "./layout";
import { takeLock } from "./lock";
import type { Clock } from "./log";
import { claimsOf, type Names, renamed } from "./marks";
import type { Room } from "./room";
import { type Seal, sealedBytesOf } from "./seal";
import { blobsOf } from "./vault";

export const TITLE_CHARS = 200;
const BATCH_CHARS = 1 << 20;

export type Plan = {
  readonly root: Root;
  readonly tenant: string; // of the new session
  readonly kind: "fork" | "import";
  readonly events: readonly Logged[]; // of the other session, its first event first
  readonly origin?: Origin | undefined; // what the events become; undefined keeps what they say
  readonly isSealed: boolean; // the new session
  readonly contents: readonly Claim[]; // to copy: one claim for each
  readonly missing: readonly Digest[]; // known not to be there
  readonly read: (content: Claim) => Promise<Buffer | null>; // null: it is not there after all
  readonly room: Room;
  readonly clock: Clock;
  readonly onStep?: OnStep | undefined;
};

/** Resolves with the new session's id. Where it fails, nothing is left behind. */
export async function buildSession(
  plan: Plan,
): Promise<{ session: string; results: number; missing: number }> {
  const { root, tenant, clock, onStep = noStep } = plan;
  const session = newSessionId(clock);
  const place = placeOf(root, tenant, session);
  const { folder } = place;
  const draft = join(dirname(folder), `${DRAFT}${session}`);
  await makeFolder(dirname(folder));
  await mkdir(draft, { mode: FOLDER_MODE });
  try {
    const lock = await takeLock(join(draft, LOCK), clock.now(), randomUUID());
    try {
      await onStep("copy");
      const drafted = { ...place, folder: draft };
      const keeping = await root.vault.begin(drafted, clock, plan.isSealed);
      const claims = [...claimsOf(plan.events).values()];
      const { names, missing } = await fill(plan, blobsOf(keeping), keeping.isRemote);
      await onStep("log");
      const events = eventsOf(plan, session, claims, missing).map((event) => renamed(event, names));
      await writeLog(join(draft, LOG), events, keeping.seal);
      const { index } = await ClaimIndex.open(join(draft, INDEX), events, keeping.seal);
      await index.checkpoint();
      await onStep("name");
      await rm(join(draft, LOCK), { recursive: true, force: true }); // its name is about to change
      await rename(draft, folder);
      await syncFolder(dirname(folder));
      return {
        session,
        results: claims.filter(({ forgotten }) => !forgotten).length,
        missing: missing.length,
      };
    } finally {
      await lock.release();
    }
  } catch (cause) {
    await clearContents({ ...place, folder: draft });
    await rm(draft, { recursive: true, force: true });
    throw cause;
  }
}

/** Copies the contents; resolves with what each is called now, and what was not there. */
async function fill(
  { contents, missing, read, room }: Plan,
  blobs: Blobs,
  isRemote: boolean,
): Promise<{ names: Names; missing: readonly Digest[] }> {
  const fileBytes = ({ bytes }: Claim) => sealedBytesOf(fileBytesOf(bytes));
  if (!isRemote) await room.admitCopies(contents.reduce((sum, claim) => sum + fileBytes(claim), 0));
  const names = new Map<Digest, BlobName>();
  const lost = [...missing];
  for (const content of contents) {
    const bytes = await read(content);
    if (bytes === null) {
      lost.push(content.sha256);
      continue;
    }
    names.set(content.sha256, await blobs.putBytes(bytes));
    if (!isRemote) await room.note(fileBytes(content));
  }
  await room.flush();
  return { names, missing: lost };
}

/** What lies elsewhere of a session that did not come to be. What cannot be reached there is left, and nobody names it. */
async function clearContents(drafted: Place): Promise<void> {
  try {
    const { isRemote, files } = await drafted.root.vault.whereOf(drafted);
    if (isRemote) await files.clear();
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
  }
}

/** The other session's conversation under a beginning of its own: another salt, and the handles it takes over. */
function eventsOf(
  { events, tenant, kind, origin, clock }: Plan,
  session: string,
  claims: readonly Claim[],
  missing: readonly Digest[],
): readonly Logged[] {
  const first = events[0];
  if (first?.type !== "session_started") throw new Error("a session without a beginning was to be copied");
  const copied = events.slice(1).filter(({ type }) => type !== "adopted"); // ours says all of it
  const title = `${first.title} (${kind === "fork" ? "fork" : "imported"})`;
  const own: SessionEvent[] = [
    {
      type: "session_started",
      format: 1,
      session,
      tenant,
      workspace: first.workspace.slice(0, indexOfChar(first.workspace, TITLE_CHARS)),
      title: title.slice(0, indexOfChar(title, TITLE_CHARS)),
      salt: randomBytes(16).toString("hex"),
      from: {
        kind,
        session: first.session,
        ...(kind === "import" && first.from?.transcript && { transcript: first.from.transcript }),
      },
    },
    {
      type: "adopted",
      from: first.session,
      claims: [...claims],
      missing: [...missing],
      copied: copied.length,
    },
  ];
  const at = clock.now();
  return [
    ...own.map((event, n): Logged => ({ n, at, origin: "loop", ...event })),
    ...copied.map(
      (event, n): Logged => ({
        ...event,
        n: n + own.length,
        at: Math.min(event.at, at), // a time to come would keep the session for ever
        origin: origin ?? event.origin,
      }),
    ),
  ];
}

async function writeLog(path: string, events: readonly Logged[], seal: Seal | null): Promise<void> {
  const file = await open(path, "wx", FILE_MODE);
  try {
    let sum = CHAIN_START;
    let batch = "";
    for (const event of events) {
      const next = lineOf(event, sum, seal);
      sum = next.sum;
      batch += `${next.line}\n`;
      if (batch.length < BATCH_CHARS) continue;
      await file.appendFile(batch, "utf8");
      batch = "";
    }
    await file.appendFile(batch, "utf8");
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(dirname(path));
}
