/** Proves what is stored: every content that a log names is hashed again, every ticket that was shown resolves. Changes nothing. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Claim } from "../schema/claim";
import type { Logged } from "../schema/event";
import { Failure } from "../schema/failure";
import type { Listed } from "./blobFiles";
import type { Blobs } from "./blobs";
import { Checkpoint, indexIn } from "./claimIndex";
import { INDEX, listPlaces, type Place, type Root, statOf } from "./layout";
import type { Clock } from "./log";
import { claimsOf, contentsOf, reclaimableIn, ticketsOf } from "./marks";
import { type BlobState, blobState, isInUse, listContents, listDrafts, readFolder } from "./sessionFolder";

/** What a crash leaves is not a fault before a running write could long be over. */
export const GRACE_MS = 3_600_000;

/** `problem`: something is gone, altered or left behind. `note`: worth knowing; the next open or sweep mends it. */
export type Finding = {
  readonly weight: "problem" | "note";
  readonly session: string;
  readonly what: string;
};

export type Verified = {
  readonly sessions: number;
  readonly events: number;
  readonly contents: number; // named by a log and proved
  readonly bytes: number; // of those, as their claims say
  readonly tickets: number; // shown and resolved
  readonly findings: readonly Finding[];
};

type Tally = { -readonly [K in keyof Verified]: Verified[K] } & { findings: Finding[] };

/** All sessions of some workspaces, or one of them. `session` undefined: all. */
export async function verify(
  root: Root,
  which: { tenants: readonly string[]; session?: string | undefined },
  clock: Clock,
): Promise<Verified> {
  const tally: Tally = { sessions: 0, events: 0, contents: 0, bytes: 0, tickets: 0, findings: [] };
  for (const tenant of which.tenants) {
    const { sessions, drafts, gone, strays } = await listPlaces(root, tenant);
    for (const place of sessions)
      if (which.session === undefined || place.session === which.session)
        await verifyGuarded(place, clock, tally);
    if (which.session !== undefined) continue;
    for (const place of [...drafts, ...gone]) {
      const changedAt = (await statOf(place.folder))?.mtimeMs ?? clock.now();
      tell(
        tally,
        place,
        isOld(changedAt, clock) ? "problem" : "note",
        "is a session half built or half deleted",
      );
    }
    for (const place of strays) tell(tally, place, "note", "is not a session, and was left alone");
  }
  return tally;
}

/** What the disk refuses is told of that session; the others are proved all the same. */
async function verifyGuarded(place: Place, clock: Clock, tally: Tally): Promise<void> {
  const { sessions } = tally;
  try {
    await verifySession(place, clock, tally);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || cause instanceof Failure) throw cause;
    tally.sessions = sessions + 1;
    tell(tally, place, "problem", `cannot be read: the disk answers ${code}`);
  }
}

/** What is on disk is listed before the log is read: whatever a running session adds in between is named by its log. */
async function verifySession(place: Place, clock: Clock, tally: Tally): Promise<void> {
  const files = await listed(place, tally);
  const drafts = await listDrafts(place.folder);
  const saved = await savedIndex(place);
  const state = await readFolder(place);
  if (state.kind === "gone") return; // deleted meanwhile
  tally.sessions++;
  if (state.kind === "unreadable") return tell(tally, place, "problem", `cannot be read: ${state.why}`);
  for (const { path, changedAt } of drafts)
    if (isOld(changedAt, clock)) tell(tally, place, "problem", `a half-written file was left: ${path}`);
  if (state.kind === "empty") {
    const changedAt = (await statOf(place.folder))?.mtimeMs ?? clock.now();
    return tell(tally, place, isOld(changedAt, clock) ? "problem" : "note", "never began");
  }
  const { events } = state;
  const inUse = await isInUse(place, clock);
  tally.events += events.length;
  if (state.isTorn && !inUse)
    tell(tally, place, "note", "the log's last line was cut short by a crash; opening the session mends it");
  if (state.lostLines) tell(tally, place, "note", "part of the log was damaged once and moved aside");
  const lost = await verifyContents(place, state.blobs, events, tally);
  verifyTickets(place, events, lost, tally);
  const indexTold = indexFinding(saved, events, inUse);
  if (indexTold) tell(tally, place, indexTold.weight, indexTold.what);
  if (inUse || state.isTorn || state.lostLines) return; // which content it names is not known to the end
  verifyOrphans(place, files, events, clock, tally);
}

/** What lies there, as far as it can be told. */
async function listed(place: Place, tally: Tally): Promise<readonly Listed[]> {
  try {
    return await listContents(place);
  } catch (cause) {
    if (!(cause instanceof Failure)) throw cause;
    tell(tally, place, "problem", `its stored results cannot be listed: ${cause.message}`);
    return [];
  }
}

/** The digests that do not prove. */
async function verifyContents(
  place: Place,
  blobs: Blobs,
  events: readonly Logged[],
  tally: Tally,
): Promise<ReadonlyMap<string, BlobState>> {
  const lost = new Map<string, BlobState>();
  const reclaimable = reclaimableIn(events);
  const adoptedWithout = new Set(events.flatMap((event) => (event.type === "adopted" ? event.missing : [])));
  for (const [digest, claim] of contentsOf(events)) {
    const state = await blobState(blobs, digest);
    if (state === "whole") {
      tally.contents++;
      tally.bytes += claim.bytes;
      continue;
    }
    lost.set(digest, state);
    const known = adoptedWithout.has(digest) && state === "missing";
    const words = `stored result ${claim.handle} of ${claim.tool} is ${state}`;
    if (state === "missing" && reclaimable.has(digest))
      tell(tally, place, "note", `${words}: it was allowed to go`);
    else if (known) tell(tally, place, "note", `${words}, as it was where it was copied from`);
    else tell(tally, place, "problem", words);
  }
  return lost;
}

function verifyTickets(
  place: Place,
  events: readonly Logged[],
  lost: ReadonlyMap<string, BlobState>,
  tally: Tally,
): void {
  const claims = claimsOf(events);
  for (const handle of ticketsOf(events)) {
    const claim = claims.get(handle);
    if (!claim) tell(tally, place, "problem", `ticket ${handle} was shown, but nothing was stored under it`);
    else if (!lost.has(claim.sha256) && !claim.forgotten) tally.tickets++; // what is lost was told as content
  }
}

function verifyOrphans(
  place: Place,
  files: readonly Listed[],
  events: readonly Logged[],
  clock: Clock,
  tally: Tally,
): void {
  const named = contentsOf(events);
  for (const file of files) {
    if (file.kind === "blob" && named.has(file.digest)) continue;
    if (!isOld(file.changedAt, clock)) continue;
    const what =
      file.kind === "blob" ? "no event names" : file.kind === "draft" ? "half-written content" : "not ours";
    tell(tally, place, file.kind === "stray" ? "note" : "problem", `${what}: ${file.where}`);
  }
}

export type Saved = { readonly checkpoint: Checkpoint } | "missing" | "damaged" | "unreadable";

/** The claim index as it stands on disk. */
export async function savedIndex(place: Place): Promise<Saved> {
  try {
    const { seal } = await place.root.vault.of(place);
    const parsed = Checkpoint.safeParse(indexIn(await readFile(join(place.folder, INDEX), "utf8"), seal));
    return parsed.success ? { checkpoint: parsed.data } : "damaged";
  } catch (cause) {
    if (cause instanceof SyntaxError) return "damaged";
    if (cause instanceof Failure) return "unreadable"; // its key is missing: the log says the same
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    return code === "ENOENT" ? "missing" : "unreadable";
  }
}

/** The index is a checkpoint: it may be behind its log, and may not contradict it. */
function indexFinding(
  saved: Saved,
  events: readonly Logged[],
  inUse: boolean,
): Pick<Finding, "weight" | "what"> | null {
  const claims = claimsOf(events);
  if (saved === "damaged" || saved === "unreadable")
    return { weight: "problem", what: `the index of stored results is ${saved}; the log has ${claims.size}` };
  const indexed = saved === "missing" ? [] : saved.checkpoint.claims;
  const seen = saved === "missing" ? 0 : saved.checkpoint.events;
  if (seen > events.length)
    return {
      weight: "problem",
      what: `the index of stored results has seen ${seen} events, the log has ${events.length}: the last ones are lost`,
    };
  const then = claimsOf(events.slice(0, seen));
  const contradicts = indexed.some((claim) => !isSame(claim, then.get(claim.handle)));
  if (contradicts) return { weight: "problem", what: "the index of stored results says other than the log" };
  if (inUse) return null;
  const behind = (what: string) => ({
    weight: "note" as const,
    what: `${what}; opening the session mends it`,
  });
  if (indexed.length < claims.size)
    return behind(`the index of stored results has ${indexed.length} of ${claims.size}`);
  const isBehind = indexed.some((claim) => !isSame(claim, claims.get(claim.handle)));
  return isBehind ? behind("the index of stored results is behind the log") : null;
}

function isSame(a: Claim, b: Claim | undefined): boolean {
  if (b === undefined) return false;
  const keys = Object.keys({ ...a, ...b }) as (keyof Claim)[];
  return keys.every((key) => a[key] === b[key]);
}

function isOld(changedAt: number, clock: Clock): boolean {
  return clock.now() - changedAt > GRACE_MS;
}

function tell(tally: Tally, place: Place, weight: Finding["weight"], what: string): void {
  tally.findings.push({ weight, session: place.session, what });
}
