/**
 * The sweep, at start and hourly: sessions that nobody used for long go, and what crashes left behind. Named steps:
 * list → mark → lock → expire → collect → reclaim → measure. Doubt keeps: a session in use, a log that cannot be read, a clock that went
 * back. Safe beside other windows: whatever is deleted of a session is deleted under its lock, after looking again.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { finishErasures } from "./erase";
import {
  BLOBS,
  INDEX,
  KEEPING,
  LOCK,
  LOG,
  listPlaces,
  listTenants,
  type Neighbours,
  noStep,
  type OnStep,
  type Place,
  type Root,
  SNAPSHOTS,
  statOf,
  tenantFolder,
} from "./layout";
import type { Lock } from "./lock";
import type { Clock } from "./log";
import { contentsIn, contentsOf } from "./marks";
import { reclaim } from "./reclaim";
import { removeGone, removeSession } from "./remove";
import { measure } from "./room";
import {
  type FolderState,
  lastUsedAt,
  listContents,
  listDrafts,
  lockFolder,
  readFolder,
} from "./sessionFolder";
import { GRACE_MS, savedIndex } from "./verify";

export type SweepPorts = {
  readonly clock: Clock;
  /** Sessions unused for longer go; null keeps them all. */
  readonly keepMs: number | null;
  readonly onStep?: OnStep | undefined;
};

export type Swept = {
  readonly expired: readonly {
    readonly session: string;
    readonly title: string;
    readonly lastUsedAt: number;
  }[];
  readonly orphans: number; // contents that no event names
  readonly reclaimed: number; // contents that were allowed to go, and past their time
  readonly drafts: number; // half-written files, half-built and half-deleted sessions, sessions that never began
  readonly erasures: number; // interrupted deletions that were finished
  readonly unreadableErasures: number; // lines of their journal that are torn or altered: what they say is not done
  /** What could not be read, or not be deleted, and was left alone. */
  readonly pinned: readonly { readonly folder: string; readonly why: string }[];
  readonly storedBytes: number; // what is left
};

type Report = {
  expired: Swept["expired"][number][];
  orphans: number;
  reclaimed: number;
  drafts: number;
  erasures: number;
  unreadableErasures: number;
  pinned: Swept["pinned"][number][];
};

export async function sweep(root: Root, ports: SweepPorts): Promise<Swept> {
  const { onStep = noStep } = ports;
  const report: Report = {
    expired: [],
    orphans: 0,
    reclaimed: 0,
    drafts: 0,
    erasures: 0,
    unreadableErasures: 0,
    pinned: [],
  };
  await onStep("list");
  const { finished, lines } = await finishErasures(root, ports);
  report.erasures = finished;
  report.unreadableErasures = lines;
  for (const tenant of await listTenants(root)) {
    const places = await listPlaces(root, tenant);
    const before = report.expired.length;
    for (const place of places.sessions)
      await guarded(place, report, () => sweepSession(place, ports, report, onStep));
    if (report.expired.length > before)
      await guarded({ folder: tenantFolder(root, tenant) }, report, () =>
        root.vault.shred(root, tenant, ports.clock),
      );
    await collectRests(places, ports, report, onStep);
  }
  await onStep("reclaim");
  report.reclaimed = (await reclaim(root, null, ports.clock)).contents;
  await onStep("measure");
  return { ...report, storedBytes: await measure(root) };
}

/** The disk's own refusals pin one folder, not the sweep. */
async function guarded(
  place: Pick<Place, "folder">,
  report: Report,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined) throw cause;
    if (code === "ENOENT") return; // another window was faster
    report.pinned.push({ folder: place.folder, why: code });
  }
}

async function sweepSession(place: Place, ports: SweepPorts, report: Report, onStep: OnStep): Promise<void> {
  const { clock } = ports;
  await onStep("mark");
  if (await isQuiet(place, ports)) return;
  const state = await readFolder(place);
  if (state.kind === "gone") return;
  if (state.kind === "unreadable") {
    report.pinned.push({ folder: place.folder, why: state.why });
    return;
  }
  const isExpiring = await isExpired(place, state, ports);
  const due = isExpiring || (await restsIn(place, state, clock)).length > 0;
  if (!due) return;
  await onStep("lock");
  const lock = await lockFolder(place, clock);
  if (lock === "in-use" || lock === "gone") return;
  try {
    const now = await readFolder(place); // it may have been used, or deleted, before we had it
    if (now.kind === "gone" || now.kind === "unreadable") return;
    const isStill = now.kind === "empty" ? isExpiring : await isExpired(place, now, ports); // our lock made an empty one look new
    if (isStill) {
      const used = await lastUsedAt(place, now.kind === "begun" ? now.events : []);
      await onStep("expire");
      await removeSession(place, onStep);
      const first = now.kind === "begun" ? now.events[0] : undefined;
      if (first?.type === "session_started")
        report.expired.push({ session: place.session, title: titleOf(now, first.title), lastUsedAt: used });
      else report.drafts++;
      return;
    }
    await onStep("collect");
    for (const { remove, kind } of await restsIn(place, now, clock)) {
      if ((await remove()) === null) continue; // written since
      if (kind === "orphan") report.orphans++;
      else report.drafts++;
    }
  } finally {
    await lock.release();
  }
}

/** What is told of an expired session stands in the editor's log: a sealed one keeps its title to itself. */
const titleOf = (state: FolderState, title: string): string =>
  state.kind === "begun" && state.keeping.seal ? "Sealed session" : title;

/**
 * Whether a look at the folder is enough: used lately, nothing half-written, and the index knows all old content. The
 * index may be behind its log: that only costs reading the log.
 */
async function isQuiet(place: Place, { clock, keepMs }: SweepPorts): Promise<boolean> {
  const log = await statOf(join(place.folder, LOG));
  if (!log || (keepMs !== null && clock.now() - log.mtimeMs > keepMs)) return false;
  if ((await listDrafts(place.folder)).length > 0) return false;
  const saved = await savedIndex(place);
  if (typeof saved === "string") return false;
  const known = contentsIn(saved.checkpoint.claims);
  return (await listContents(place)).every(
    (file) => (file.kind === "blob" && known.has(file.digest)) || clock.now() - file.changedAt <= GRACE_MS,
  );
}

/** A session by inactivity; one that never began, after the grace. */
async function isExpired(place: Place, state: FolderState, ports: SweepPorts): Promise<boolean> {
  const now = ports.clock.now();
  if (state.kind === "begun")
    return ports.keepMs !== null && now - (await lastUsedAt(place, state.events)) > ports.keepMs;
  if (state.kind !== "empty") return false;
  const ours = new Set([LOG, INDEX, LOCK, KEEPING, BLOBS, SNAPSHOTS]);
  if ((await readdir(place.folder)).some((name) => !ours.has(name))) return false; // somebody put something there
  return now - ((await statOf(place.folder))?.mtimeMs ?? now) > GRACE_MS;
}

/** `remove` resolves with null where it was written since, and so is there still. */
type Rest = { readonly kind: "orphan" | "draft"; readonly remove: () => Promise<unknown> };

/** What is old and belongs to nothing. Where the log lost lines, content that it does not name may be theirs. */
async function restsIn(place: Place, state: FolderState, clock: Clock): Promise<readonly Rest[]> {
  if (state.kind !== "begun") return [];
  const isOld = (changedAt: number) => clock.now() - changedAt > GRACE_MS;
  const drafts = (await listDrafts(place.folder)).filter(({ changedAt }) => isOld(changedAt));
  const rests: Rest[] = drafts.map(({ path }) => ({
    kind: "draft",
    remove: () => rm(path, { force: true }),
  }));
  const { files } = state.keeping;
  const named = contentsOf(state.events);
  const knowsAll = !state.isTorn && !state.lostLines;
  for (const file of await files.list()) {
    if (!isOld(file.changedAt) || file.kind === "stray") continue;
    const remove = () => files.remove(file); // wherever it lies
    if (file.kind === "draft") rests.push({ kind: "draft", remove });
    else if (file.kind === "blob" && knowsAll && !named.has(file.digest))
      rests.push({ kind: "orphan", remove });
  }
  return rests;
}

/** Sessions half deleted go at once; sessions half built once nobody can be building them any more. */
async function collectRests(
  { drafts, gone }: Neighbours,
  { clock }: SweepPorts,
  report: Report,
  onStep: OnStep,
): Promise<void> {
  for (const place of gone) {
    await guarded(place, report, async () => {
      await removeGone(place.folder);
      report.drafts++;
    });
  }
  for (const place of drafts) {
    await guarded(place, report, async () => {
      const changedAt = await newestIn(place);
      if (clock.now() - changedAt <= GRACE_MS) return;
      const lock: Lock | "in-use" | "gone" = await lockFolder(place, clock);
      if (lock === "in-use" || lock === "gone") return;
      try {
        await removeSession(place, onStep);
        report.drafts++;
      } finally {
        await lock.release();
      }
    });
  }
}

async function newestIn(place: Place): Promise<number> {
  const own = (await statOf(place.folder))?.mtimeMs ?? Number.POSITIVE_INFINITY;
  return (await listContents(place)).reduce((newest, { changedAt }) => Math.max(newest, changedAt), own);
}
