/**
 * Erasure: a session, a workspace's sessions, everything (CONFORMANCE §1, C10). Named steps: plan → lock → check → intend
 * → delete → shred → complete. Nothing is deleted before the intent is on disk, and nothing at all where a log cannot be read
 * or a session is in use. What a crash interrupts is finished at the next start.
 */
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { Failure } from "../schema/failure";
import { appendErasure, type Intended, readErasures, type Scope } from "./erasureJournal";
import {
  listPlaces,
  listTenants,
  noStep,
  type OnStep,
  type Place,
  placeOf,
  type Root,
  sessionMissing,
} from "./layout";
import type { Lock } from "./lock";
import type { Clock } from "./log";
import { contentsOf } from "./marks";
import { removeGone, removeSession } from "./remove";
import { forgetUsage } from "./room";
import { firstEventOf, listContents, lockFolder, readFolder } from "./sessionFolder";

/** `bytes` on disk. `copies`: sessions that were forked from a deleted one and keep what they copied. */
export type Erased = {
  readonly sessions: number;
  readonly results: number;
  readonly bytes: number;
  readonly copies: readonly string[];
};

type Ports = { readonly clock: Clock; readonly onStep?: OnStep | undefined };

/** Throws `session-missing`, `session-in-use`, `erase-refused` before anything is deleted. */
export async function erase(root: Root, scope: Scope, { clock, onStep = noStep }: Ports): Promise<Erased> {
  await onStep("plan");
  const targets = await targetsOf(root, scope);
  const locks: Lock[] = [];
  try {
    await onStep("lock");
    const held: Place[] = [];
    for (const place of targets) {
      const lock = await lockFolder(place, clock).catch((cause: NodeJS.ErrnoException) => {
        throw cause.code === undefined ? cause : refused(place, `it cannot be locked, ${cause.code}`, cause);
      });
      if (lock === "in-use") throw inUse(place);
      if (lock === "gone") continue;
      locks.push(lock);
      held.push(place);
    }
    await onStep("check");
    let results = 0;
    for (const place of held) await assertReachable(place);
    for (const place of held) results += await resultsIn(place);
    const copies = await copiesOf(root, held);
    const id = randomUUID();
    const names = held.map(({ tenant, session }) => ({ tenant, session }));
    await onStep("intend");
    await appendErasure(root, { type: "intended", id, at: clock.now(), scope, targets: names });
    await onStep("delete");
    let bytes = 0;
    for (const place of held) bytes += await removeSession(place, onStep);
    await clearRests(root, scope);
    await onStep("shred");
    await shredKeys(root, scope, clock);
    await onStep("complete");
    const counts = { sessions: held.length, results, bytes };
    await appendErasure(root, { type: "completed", id, at: clock.now(), ...counts, wasInterrupted: false });
    await forgetUsage(root);
    return { ...counts, copies };
  } finally {
    for (const lock of locks) await lock.release();
  }
}

/**
 * Finishes erasures that a crash interrupted. One whose session somebody uses again, or that another window is at work
 * on, is left for the next time. `lines`: of the journal that are no entries.
 */
export async function finishErasures(
  root: Root,
  { clock, onStep = noStep }: Ports,
): Promise<{ finished: number; sessions: number; pending: number; lines: number }> {
  const { entries, lines } = await readErasures(root);
  const done = new Set(entries.flatMap((entry) => (entry.type === "completed" ? [entry.id] : [])));
  let finished = 0;
  let sessions = 0;
  let pending = 0;
  for (const entry of entries) {
    if (entry.type !== "intended" || done.has(entry.id)) continue;
    const removed = await finish(root, entry, clock, onStep);
    if (removed === null) {
      pending++;
      continue;
    }
    finished++;
    sessions += removed;
  }
  if (finished > 0) await forgetUsage(root);
  return { finished, sessions, pending, lines };
}

/** How many sessions were still there; null where one is in use. */
async function finish(root: Root, intent: Intended, clock: Clock, onStep: OnStep): Promise<number | null> {
  let bytes = 0;
  let sessions = 0;
  let isPending = false;
  for (const { tenant, session } of intent.targets) {
    const place = placeOf(root, tenant, session);
    const lock = await lockFolder(place, clock);
    if (lock === "gone") continue;
    if (lock === "in-use") {
      isPending = true;
      continue;
    }
    try {
      bytes += await removeSession(place, onStep);
      sessions++;
    } catch (cause) {
      if (!isAway(cause)) throw cause;
      isPending = true;
    } finally {
      await lock.release();
    }
  }
  if (isPending) return null;
  await clearRests(root, intent.scope);
  await shredKeys(root, intent.scope, clock);
  const counts = { sessions, results: 0, bytes }; // how many results there were, nobody knows any more
  await appendErasure(root, {
    type: "completed",
    id: intent.id,
    at: clock.now(),
    ...counts,
    wasInterrupted: true,
  });
  return sessions;
}

async function targetsOf(root: Root, scope: Scope): Promise<readonly Place[]> {
  if (scope.kind === "session") {
    const { sessions } = await listPlaces(root, scope.tenant);
    const place = sessions.find(({ session }) => session === scope.session);
    if (!place) throw sessionMissing(scope.session);
    return [place];
  }
  const targets: Place[] = [];
  for (const tenant of await tenantsOf(root, scope)) {
    const { sessions, drafts } = await listPlaces(root, tenant);
    for (const place of sessions) if ((await readFolder(place)).kind !== "empty") targets.push(place); // one that is just being begun
    targets.push(...drafts);
  }
  return targets;
}

/** What lies elsewhere cannot be deleted now. */
const isAway = (cause: unknown): boolean => cause instanceof Failure && cause.code === "contents-unreachable";

/** Contents that lie elsewhere must be within reach before anything is intended. */
async function assertReachable(place: Place): Promise<void> {
  try {
    const { isRemote, files } = await place.root.vault.whereOf(place);
    if (isRemote) await files.list();
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    throw refused(place, cause.message, cause);
  }
}

/** How many stored results the session has. Throws where its log cannot be read: then nobody knows what would be lost. */
async function resultsIn(place: Place): Promise<number> {
  if (place.session.startsWith(".")) return 0; // half built: nobody was ever shown anything of it
  const state = await readFolder(place);
  if (state.kind === "unreadable" && !state.isLocked) throw refused(place, state.why);
  if (state.kind === "unreadable") return (await listContents(place)).length; // nobody can read it: nothing more is lost
  return state.kind === "begun" ? contentsOf(state.events).size : 0;
}

/** Sessions outside of those that were forked from one of them. They have copies of their own (ARCHITECTURE, Storage). */
async function copiesOf(root: Root, erased: readonly Place[]): Promise<readonly string[]> {
  const ids = new Set(erased.map(({ session }) => session));
  const folders = new Set(erased.map(({ folder }) => folder));
  const copies: string[] = [];
  for (const tenant of await listTenants(root)) {
    for (const place of (await listPlaces(root, tenant)).sessions) {
      if (folders.has(place.folder)) continue;
      const first = await firstEvent(place);
      if (first?.type === "session_started" && first.from && ids.has(first.from.session))
        copies.push(place.session);
    }
  }
  return copies;
}

/** Null where it cannot be read: a session that is not to be deleted does not keep others from it. */
async function firstEvent(place: Place) {
  try {
    return await firstEventOf(place);
  } catch (cause) {
    if (cause instanceof Failure || (cause as NodeJS.ErrnoException).code !== undefined) return null;
    throw cause;
  }
}

/** A workspace that has no sealed session left needs its key no more. */
async function shredKeys(root: Root, scope: Scope, clock: Clock): Promise<void> {
  for (const tenant of await tenantsOf(root, scope)) await root.vault.shred(root, tenant, clock);
}

const tenantsOf = async (root: Root, scope: Scope): Promise<readonly string[]> =>
  scope.kind === "everything" ? listTenants(root) : [scope.tenant];

/** What earlier deletions left half done; where everything goes, also what is not ours among the sessions. */
async function clearRests(root: Root, scope: Scope): Promise<void> {
  if (scope.kind === "session") return;
  for (const tenant of await tenantsOf(root, scope)) {
    const { gone, strays } = await listPlaces(root, tenant);
    for (const { folder } of gone) await removeGone(folder);
    if (scope.kind === "everything")
      for (const { folder } of strays) await rm(folder, { recursive: true, force: true });
  }
}

function refused({ folder }: Place, why: string, cause?: unknown): Failure {
  return new Failure(
    "erase-refused",
    `Nothing was deleted: the session in ${folder} cannot be read (${why}). Move that folder away or delete it yourself, then try again.`,
    { folder, why },
    { cause },
  );
}

function inUse({ session }: Place): Failure {
  return new Failure(
    "session-in-use",
    "Nothing was deleted: a session is running. Stop it, in whichever window it runs, then try again.",
    { session },
  );
}
