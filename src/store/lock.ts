/**
 * One writer to a session: the window that runs it. The lock is a folder with one file per attempt, each with a name of
 * its own. Whoever finds a live file beside its own steps back, so two never both stay; only a dead owner's file is
 * ever removed by somebody else, and its name never comes back.
 */
import { readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { Failure } from "../schema/failure";
import { FILE_MODE, makeFolder } from "./atomic";
import { sha256 } from "./digest";

/** `process` tells a process from a later one with the same number, and an earlier boot; null where the system cannot. */
const Owner = z.strictObject({
  pid: z.int(),
  host: z.string(),
  bootedAt: z.number(),
  process: z.string().nullable(),
  sum: z.string().optional(), // of the rest: an altered file is nobody's
});
type Owner = z.infer<typeof Owner>;

const sumOf = ({ pid, host, bootedAt, process }: Owner): string =>
  sha256(JSON.stringify([pid, host, bootedAt, process])).slice(0, 16);

const BOOT_TOLERANCE_MS = 10_000;
const SUFFIX = ".json";
const ATTEMPTS = 3;

export type Lock = { release(): Promise<void> };

/** Throws `session-in-use` where another live process has the session. `token` is unique to this attempt. */
export async function takeLock(folder: string, nowMs: number, token: string): Promise<Lock> {
  const bootedAt = nowMs - uptime() * 1000;
  const mine: Owner = { pid: process.pid, host: hostname(), bootedAt, process: await processOf(process.pid) };
  await makeFolder(folder);
  const name = `${token}${SUFFIX}`;
  const path = join(folder, name);
  let other: Owner | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    await writeFile(`${path}.tmp`, JSON.stringify({ ...mine, sum: sumOf(mine) }), {
      flag: "w",
      mode: FILE_MODE,
    });
    if (!(await isRenamed(`${path}.tmp`, path))) continue; // seen whole or not at all
    other = await liveOwner(folder, name, mine);
    if (other === null) return { release: () => rm(path, { force: true }) };
    await rm(path, { force: true });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * attempt)); // it may be stepping back too
  }
  throw new Failure(
    "session-in-use",
    "Another window is running this session. Stop it there, then try again.",
    { pid: other?.pid ?? 0 },
  );
}

/** False where a sweep whose clock is ahead took the draft for a leftover. */
async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw cause;
  }
}

/** Another attempt that may still be running; the files of dead ones are removed. */
async function liveOwner(folder: string, myName: string, mine: Owner): Promise<Owner | null> {
  for (const name of await readdir(folder)) {
    if (name === myName || !name.endsWith(SUFFIX)) continue;
    const owner = await read(join(folder, name), mine);
    if (owner && (await isAlive(owner, mine))) return owner;
    await rm(join(folder, name), { force: true });
  }
  return null;
}

/**
 * Null where there is no such lock any more, or one that a machine's crash cut short: it is older than this boot. What
 * cannot be read and is younger was altered, and its owner may well be running: it reads as an unknown one that is.
 */
async function read(path: string, mine: Owner): Promise<Owner | null> {
  try {
    const owner = ownerIn(await readFile(path, "utf8"));
    if (owner) return owner;
    const isOlder = (await stat(path)).mtimeMs < mine.bootedAt - BOOT_TOLERANCE_MS;
    return isOlder ? null : { ...mine, pid: 0, host: "" };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}

function ownerIn(text: string): Owner | null {
  try {
    const owner = Owner.parse(JSON.parse(text));
    return owner.sum === undefined || owner.sum === sumOf(owner) ? owner : null;
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return null;
    throw cause;
  }
}

/** Doubt says yes: two writers would cost more than a lock that somebody has to wait for. */
async function isAlive(owner: Owner, mine: Owner): Promise<boolean> {
  if (owner.host !== mine.host) return true; // a shared folder, or an unknown owner: it cannot be asked
  try {
    process.kill(owner.pid, 0);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  if (owner.process !== null && mine.process !== null) return owner.process === (await processOf(owner.pid)); // a container restarts with the same numbers
  return owner.bootedAt >= mine.bootedAt - BOOT_TOLERANCE_MS; // later: the clock went back since
}

/** Boot and start of a process, exact where the kernel tells them (Linux): a clock that jumps changes neither. */
async function processOf(pid: number): Promise<string | null> {
  if (process.platform !== "linux") return null;
  try {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8");
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const started = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]; // field 22; the name before it may hold anything
    return `${boot.trim()} ${started}`;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH" || code === "EACCES") return null;
    throw cause;
  }
}
