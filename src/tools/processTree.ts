/** Ends a command with everything it started. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "./errorCode";

const POLL_MS = 50;
const AFTER_KILL_MS = 1000;

/**
 * Ends the process `pid`, which leads its own group, and all below it: asks first, kills after `graceMs`. Resolves when they
 * are gone or cannot be helped. Processes that had left both the group and the tree before are not found.
 */
export async function endProcessTree(pid: number, graceMs: number): Promise<void> {
  if (process.platform === "win32") return taskkill(pid);
  const groups = new Set([pid, ...(await groupsBelow(pid))]);
  signalGroups(groups, "SIGTERM");
  if (await areGone(groups, graceMs)) return;
  for (const group of await groupsBelow(pid)) groups.add(group); // started while they were asked to end
  signalGroups(groups, "SIGKILL");
  await areGone(groups, AFTER_KILL_MS);
}

type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly isZombie: boolean;
};

/** Groups that descendants have made for themselves, as browsers and servers do. */
async function groupsBelow(pid: number): Promise<readonly number[]> {
  const rows = await processTable();
  const below = new Set([pid]);
  const groups = new Set<number>();
  for (let before = 0; before !== below.size; ) {
    before = below.size;
    for (const row of rows) {
      if (!below.has(row.parent) && !below.has(row.pid)) continue;
      below.add(row.pid);
      if (row.group > 1) groups.add(row.group);
    }
  }
  return [...groups];
}

async function areGone(groups: ReadonlySet<number>, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = [...groups].filter(hasMembers);
    if (left.length === 0) return true;
    const rows = await processTable();
    // Where nobody collects orphans, dead ones keep their group's number alive.
    if (rows.length > 0 && !rows.some((row) => left.includes(row.group) && !row.isZombie)) return true;
    if (performance.now() >= until) return false;
    await delay(POLL_MS);
  }
}

function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (cause) {
    return errorCode(cause) !== "ESRCH";
  }
}

function signalGroups(groups: ReadonlySet<number>, signal: NodeJS.Signals): void {
  for (const group of groups) {
    try {
      process.kill(-group, signal);
    } catch (cause) {
      const code = errorCode(cause);
      if (code !== "ESRCH" && code !== "EPERM") throw cause; // gone already, or not ours to end
    }
  }
}

/** All processes; empty where there is no `ps`, so that only the command's own group is known. */
async function processTable(): Promise<readonly ProcessRow[]> {
  const table = await output("ps", ["-A", "-o", "pid=,ppid=,pgid=,stat="]);
  return table.split("\n").flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (state === undefined) return [];
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), isZombie: state.startsWith("Z") },
    ];
  });
}

async function taskkill(pid: number): Promise<void> {
  const tool = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
  await output(tool, ["/PID", `${pid}`, "/T", "/F"]);
}

/** What a program prints; what it printed before it failed, if it did. */
function output(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, args, { windowsHide: true, maxBuffer: 16 * 1024 * 1024 }, (_failed, stdout) =>
      resolve(stdout),
    );
  });
}
