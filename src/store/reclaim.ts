/**
 * Content of tools that are listed as reclaimable: it goes `ttlSeconds` after its last use, and sooner where the store is
 * full (CONFORMANCE §0.6). Its handle is then refused like every other that is gone. Never of a session in use.
 */
import type { Digest } from "../schema/claim";
import type { Logged } from "../schema/event";
import type { Listed } from "./blobFiles";
import { listPlaces, listTenants, type Place, type Root } from "./layout";
import type { Clock } from "./log";
import { claimsIn, claimsOf, reclaimableIn, ticketsIn } from "./marks";
import { listContents, lockFolder, readFolder } from "./sessionFolder";
import { savedIndex } from "./verify";

type Candidate = {
  readonly place: Place;
  readonly file: Listed;
  readonly digest: Digest;
  readonly usedAt: number;
};

/** `needBytes` null: what is past its time. Else as much as is needed, whatever its time, longest unused first. */
export async function reclaim(
  root: Root,
  needBytes: number | null,
  clock: Clock,
): Promise<{ contents: number; bytes: number }> {
  const candidates: Candidate[] = [];
  for (const tenant of await listTenants(root))
    for (const place of (await listPlaces(root, tenant)).sessions)
      candidates.push(
        ...((await candidatesIn(place, needBytes === null ? clock.now() : null).catch(keepIt)) ?? []),
      );
  candidates.sort((a, b) => a.usedAt - b.usedAt);
  let contents = 0;
  let bytes = 0;
  for (const candidate of candidates) {
    if (needBytes !== null && bytes >= needBytes) break;
    const freed = await drop(candidate, clock).catch(keepIt);
    if (freed === null) continue;
    contents++;
    bytes += freed;
  }
  return { contents, bytes };
}

/** A session whose files the disk refuses keeps them, and does not keep the others'. */
function keepIt(cause: NodeJS.ErrnoException): null {
  if (cause.code === undefined) throw cause;
  return null;
}

/** `now` null: also what is not past its time. */
async function candidatesIn(place: Place, now: number | null): Promise<readonly Candidate[]> {
  const saved = await savedIndex(place);
  if (typeof saved !== "string" && !saved.checkpoint.claims.some((claim) => claim.reclaimable)) return [];
  const state = await readFolder(place);
  if (state.kind !== "begun" || state.lostLines) return []; // lost lines may have used it
  if (now === null && state.keeping.isRemote) return []; // it would make no room here
  const ttlMs = ttlMsOf(state.events);
  const candidates: Candidate[] = [];
  const uses = lastUses(state.events);
  for (const file of await listContents(place)) {
    const usedAt = file.kind === "blob" ? uses.get(file.digest) : undefined;
    if (file.kind !== "blob" || usedAt === undefined) continue;
    const used = Math.max(usedAt, file.changedAt);
    if (now === null || now - used > ttlMs)
      candidates.push({ place, file, digest: file.digest, usedAt: used });
  }
  return candidates;
}

/** The bytes that were freed; null where somebody has the session, or used the content since. */
async function drop({ place, file, digest, usedAt }: Candidate, clock: Clock): Promise<number | null> {
  const lock = await lockFolder(place, clock);
  if (lock === "in-use" || lock === "gone") return null;
  try {
    const state = await readFolder(place);
    if (state.kind !== "begun") return null;
    const now = lastUses(state.events).get(digest);
    if (now === undefined || now > usedAt) return null;
    return await (await place.root.vault.whereOf(place)).files.remove(file);
  } finally {
    await lock.release();
  }
}

/** When each content that may go was last stored, shown or read back. */
function lastUses(events: readonly Logged[]): ReadonlyMap<Digest, number> {
  const claims = claimsOf(events);
  const uses = new Map<Digest, number>();
  const reclaimable = reclaimableIn(events);
  for (const event of events) {
    const handles = [...ticketsIn(event), ...claimsIn(event).map(({ handle }) => handle)];
    for (const handle of handles) {
      const digest = claims.get(handle)?.sha256;
      if (digest === undefined || !reclaimable.has(digest)) continue;
      uses.set(digest, Math.max(uses.get(digest) ?? 0, event.at));
    }
  }
  return uses;
}

/** As the session was last configured; without that, nothing is past its time. */
function ttlMsOf(events: readonly Logged[]): number {
  const last = events.findLast((event) => event.type === "configured");
  return last ? last.settings.claimCheck.ttlSeconds * 1000 : Number.POSITIVE_INFINITY;
}
