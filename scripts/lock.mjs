// scripts: one process at a time, across processes. Runs before `npm ci`, so it needs nothing but Node.
import { mkdirSync, readFileSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";

const HEARTBEAT_MS = 2_000;
/** A holder that has not touched its lock for this long is gone, whatever its process id says (ids are used again). */
const SILENT_MS = 30_000;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function readLock(file) {
  try {
    return { text: readFileSync(file, "utf8"), touchedMs: statSync(file).mtimeMs };
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function isStale({ text, touchedMs }, now) {
  if (now - touchedMs > SILENT_MS) return true;
  const pid = Number.parseInt(text, 10);
  // An empty file was just created by a holder that has not written its id yet: silence decides.
  return Number.isInteger(pid) && !isAlive(pid);
}

/** Removes a stale lock. Two waiters may find it at once: only the one inside the gate looks again and removes it. */
function breakLock(file) {
  const gate = `${file}.gate`;
  try {
    mkdirSync(gate);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() - (statSync(gate, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > SILENT_MS) {
      rmSync(gate, { recursive: true, force: true });
    }
    return;
  }
  try {
    const lock = readLock(file);
    if (lock && isStale(lock, Date.now())) rmSync(file, { force: true });
  } finally {
    rmdirSync(gate);
  }
}

/**
 * Runs `work` while no other process holds `file`, and waits for it otherwise. `onWait` is called once when waiting
 * begins. A lock left by a dead process is broken.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @param {() => void} [onWait]
 * @returns {Promise<T>}
 */
export async function withLock(file, work, onWait = () => {}) {
  mkdirSync(path.dirname(file), { recursive: true });
  let waited = false;
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const lock = readLock(file);
    if (lock && isStale(lock, Date.now())) {
      breakLock(file);
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(100);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      // The folder was removed under us: there is nothing left to hold.
    }
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    rmSync(file, { force: true });
  }
}
