/**
 * Sessions as one file: a ZIP with a manifest and the log of each, and every content under its digest. Any tool opens it;
 * nothing in it depends on how this store keeps files. A session alone stands at the top of the archive; the sessions of
 * a workspace stand in folders, and share their contents.
 */
import * as z from "zod";
import { Digest, Handle } from "../schema/claim";
import { LOG, SESSION_ID } from "./layout";

export const MANIFEST_NAME = "manifest.json";
export const LOG_NAME = LOG;
export const WORKSPACE_NAME = "workspace.json";
export const contentName = (digest: Digest): string => `contents/${digest}`;
/** Where a session stands in the archive of a workspace. */
export const folderName = (session: string): string => `sessions/${session}/`;

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

/** What the archive of a workspace holds. `unreadable`: sessions that could not be read, and are not in it. */
export const WorkspaceManifest = z.object({
  format: z.literal(1),
  kind: z.literal("cloakroom-workspace"),
  exportedAt: z.int(),
  sessions: z.array(z.string().regex(SESSION_ID)),
  unreadable: z.array(z.object({ session: z.string().max(64), why: z.string() })),
});
export type WorkspaceManifest = z.infer<typeof WorkspaceManifest>;
