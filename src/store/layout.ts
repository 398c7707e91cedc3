/** Where things stand in the store's folder. Names are ids and digests of ours, never what a model or a tool wrote. */
import { randomBytes } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../schema/failure";
import { sha256 } from "./digest";
import type { Clock } from "./log";
import type { Vault } from "./vault";

export const SESSION_ID = /^[0-9a-z-]{1,64}$/;
export const LOG = "log.jsonl";
export const INDEX = "claims.json";
export const BLOBS = "blobs";
export const SNAPSHOTS = "snapshots";
export const LOCK = "owner.lock";
/** How the session's content is kept; absent where it is plain (`vault.ts`). */
export const KEEPING = "keeping.json";

/** A session that is being built: it gets its name when it is whole. */
export const DRAFT = ".draft-";
/** A session that is being deleted: nobody finds it under its name any more. */
export const GONE = ".gone-";
/** A file that is being written (`atomic.ts`, `lock.ts`). */
export const isDraftFile = (name: string): boolean => name.endsWith(".tmp");

const TENANT = /^[0-9a-f]{32}$/;

/** Called before each named step of an operation; a test ends the process there. */
export type OnStep = (step: string) => void | Promise<void>;
export const noStep: OnStep = () => undefined;

/** A store: its folder, and what opens the sealed sessions in it. */
export type Root = { readonly path: string; readonly vault: Vault };

/** One session's folder. `session` is the folder's name. */
export type Place = {
  readonly root: Root;
  readonly tenant: string;
  readonly session: string;
  readonly folder: string;
};

/** The workspace's name in the store: a digest of its addresses, which are never written. */
export const tenantOf = (workspaceIdentity: string): string => sha256(workspaceIdentity).slice(0, 32);

export const tenantFolder = (root: Root, tenant: string): string => join(root.path, "tenants", tenant);

export const sessionsFolder = (root: Root, tenant: string): string =>
  join(tenantFolder(root, tenant), "sessions");

export const placeOf = (root: Root, tenant: string, session: string): Place => ({
  root,
  tenant,
  session,
  folder: join(sessionsFolder(root, tenant), session),
});

/** "20261129-204812-1f2e3d4c". */
export function newSessionId(clock: Clock): string {
  const stamp = new Date(clock.now())
    .toISOString()
    .replace(/[-:]|\..*/g, "")
    .replace("T", "-");
  return `${stamp}-${randomBytes(4).toString("hex")}`;
}

export async function listTenants(root: Root): Promise<readonly string[]> {
  return (await namesIn(join(root.path, "tenants"))).filter((name) => TENANT.test(name));
}

/** What stands among a workspace's sessions: theirs, unfinished ones, half-deleted ones, and what is not ours. */
export type Neighbours = {
  readonly sessions: readonly Place[];
  readonly drafts: readonly Place[];
  readonly gone: readonly Place[];
  readonly strays: readonly Place[];
};

export async function listPlaces(root: Root, tenant: string): Promise<Neighbours> {
  const sessions: Place[] = [];
  const drafts: Place[] = [];
  const gone: Place[] = [];
  const strays: Place[] = [];
  for (const entry of await entriesIn(sessionsFolder(root, tenant))) {
    const place = placeOf(root, tenant, entry.name);
    if (!entry.isDirectory()) strays.push(place);
    else if (SESSION_ID.test(entry.name)) sessions.push(place);
    else if (entry.name.startsWith(DRAFT)) drafts.push(place);
    else if (entry.name.startsWith(GONE)) gone.push(place);
    else strays.push(place);
  }
  return { sessions, drafts, gone, strays };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder)).map(({ name }) => name);
}

/** Empty where there is no such folder. */
export async function entriesIn(folder: string) {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw cause;
  });
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Undefined where it is gone: another window deletes too. */
export async function statOf(path: string) {
  return stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined;
    throw cause;
  });
}

export const sessionMissing = (session: string): Failure =>
  new Failure(
    "session-missing",
    "There is no such session in this workspace, or it is no longer on disk. Pick another one.",
    { session: session.slice(0, 64) },
  );
