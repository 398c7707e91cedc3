/**
 * What is to be deleted, and what was: written before the first file goes, and after the last. Each line proves itself:
 * an altered one must not delete a session that nobody meant.
 */
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { Failure } from "../schema/failure";
import { FILE_MODE, syncFolder } from "./atomic";
import { sha256 } from "./digest";
import { type Root, statOf } from "./layout";

const JOURNAL = "erasures.jsonl";
const NEWLINE = 10;

/** Names become paths: digests and ids of ours only. */
const Tenant = z.string().regex(/^[0-9a-f]{32}$/);

/** What is to be forgotten. `tenant` names a workspace. */
export const Scope = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("session"), tenant: Tenant, session: z.string() }),
  z.object({ kind: z.literal("workspace"), tenant: Tenant }),
  z.object({ kind: z.literal("everything") }),
]);
export type Scope = z.infer<typeof Scope>;

const Target = z.object({
  tenant: Tenant,
  session: z.string().regex(/^(\.draft-)?[0-9a-z-]{1,64}$/),
});
const Entry = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("intended"),
    id: z.uuid(),
    at: z.int(),
    scope: Scope,
    targets: z.array(Target),
  }),
  z.object({
    type: z.literal("completed"),
    id: z.uuid(),
    at: z.int(),
    sessions: z.int(),
    results: z.int(),
    bytes: z.int(),
    wasInterrupted: z.boolean(),
  }),
]);
export type Entry = z.infer<typeof Entry>;
export type Intended = Extract<Entry, { type: "intended" }>;

export async function appendErasure(root: Root, entry: Entry): Promise<void> {
  const path = join(root.path, JOURNAL);
  try {
    const file = await open(path, "a+", FILE_MODE);
    try {
      const { size } = await file.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await file.read(last, 0, 1, size - 1);
      const start = size > 0 && last[0] !== NEWLINE ? "\n" : ""; // a crash tore the line before
      await file.appendFile(`${start}${erasureLine(entry)}\n`, "utf8");
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(root.path);
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw new Failure(
      "store-unwritable",
      `The deletion could not be recorded in ${path} (${code}). Check its permissions and free space, then try again.`,
      { code, path },
      { cause },
    );
  }
}

/** `lines`: that are no entries. */
export async function readErasures(root: Root): Promise<{ entries: readonly Entry[]; lines: number }> {
  const path = join(root.path, JOURNAL);
  if (!(await statOf(path))) return { entries: [], lines: 0 };
  const entries: Entry[] = [];
  let lines = 0;
  for (const line of (await readFile(path, "utf8")).split("\n")) {
    if (line === "") continue;
    const entry = entryIn(line);
    if (entry) entries.push(entry);
    else lines++; // torn while it was written: what it intended never began; or altered since
  }
  return { entries, lines };
}

/** The entry as it stands in the journal, with its checksum. */
export function erasureLine(entry: Entry): string {
  const body = JSON.stringify(entry);
  return `${body.slice(0, -1)},"sum":"${sumOf(body)}"}`;
}

const SUM = /,"sum":"([0-9a-f]{16})"\}$/;
const sumOf = (body: string): string => sha256(body).slice(0, 16);

function entryIn(line: string): Entry | null {
  const match = SUM.exec(line);
  const body = match ? `${line.slice(0, match.index)}}` : "";
  if (match?.[1] !== sumOf(body)) return null;
  try {
    const parsed = Entry.safeParse(JSON.parse(body));
    return parsed.success ? parsed.data : null;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}
