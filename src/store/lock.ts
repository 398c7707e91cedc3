/** One writer to a session: the window that runs it. A lock left by a dead process or an earlier boot is taken over. */
import { open, readFile, rm } from "node:fs/promises";
import { hostname, uptime } from "node:os";
import * as z from "zod";
import { Failure } from "../schema/failure";
import { FILE_MODE } from "./atomic";

const Owner = z.object({ pid: z.int(), host: z.string(), bootedAt: z.number(), token: z.string() });
type Owner = z.infer<typeof Owner>;

const BOOT_TOLERANCE_MS = 10_000;

export type Lock = { release(): Promise<void> };

/** Throws `session-in-use` where another live process has the session. `token` is unique to this attempt. */
export async function takeLock(path: string, nowMs: number, token: string): Promise<Lock> {
  const mine: Owner = { pid: process.pid, host: hostname(), bootedAt: nowMs - uptime() * 1000, token };
  for (let attempt = 0; attempt < 3; attempt++) {
    if (await create(path, mine)) return { release: () => release(path, mine) };
    const owner = await read(path);
    if (owner && isAlive(owner, mine)) break;
    await rm(path, { force: true });
  }
  throw new Failure(
    "session-in-use",
    "Another window is running this session. Stop it there, then try again.",
    { pid: (await read(path))?.pid ?? 0 },
  );
}

async function create(path: string, owner: Owner): Promise<boolean> {
  try {
    const file = await open(path, "wx", FILE_MODE);
    try {
      await file.writeFile(JSON.stringify(owner));
    } finally {
      await file.close();
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

/** Null where there is no lock, or one whose writer died before it was whole. */
async function read(path: string): Promise<Owner | null> {
  try {
    return Owner.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (cause) {
    if (cause instanceof SyntaxError || cause instanceof z.ZodError) return null;
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
}

function isAlive(owner: Owner, mine: Owner): boolean {
  if (owner.host !== mine.host) return true; // a shared folder: the other machine cannot be asked
  if (Math.abs(owner.bootedAt - mine.bootedAt) > BOOT_TOLERANCE_MS) return false;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

async function release(path: string, mine: Owner): Promise<void> {
  const owner = await read(path);
  if (owner?.token === mine.token) await rm(path, { force: true });
}
