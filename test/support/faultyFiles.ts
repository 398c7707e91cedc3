// test/support: Node's own file operations, with a place for a fault before each. Import it before the store, in a process
// of its own: it stays for good. Whatever the store is made of, every operation that reaches the disk passes here.
import { AsyncLocalStorage } from "node:async_hooks";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { FileStep, Watch } from "./fileFaults";

const watches = new AsyncLocalStorage<Watch>();

/** Everything that `work` does to files, also later, passes `watch`. */
export const watched = <T>(watch: Watch, work: () => Promise<T>): Promise<T> => watches.run(watch, work);

/** What the store does now is not under watch. */
export const unwatched = <T>(work: () => Promise<T>): Promise<T> => watches.exit(work);

/** What stopped is kept as it stands, with its open files, until the process ends. */
const suspended: unknown[] = [];

type Operation = (...args: never[]) => Promise<unknown>;

async function passed<T>(step: FileStep, whole: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
  const watch = watches.getStore();
  const kind = watch?.next(step) ?? null;
  if (watch === undefined || kind === null) return whole();
  if (kind === "half" || kind === "SHORT") await half?.();
  if (kind === "stop" || kind === "half") {
    watch.stop();
    return new Promise<never>((_, reject) => suspended.push(reject));
  }
  const code = kind === "SHORT" ? "ENOSPC" : kind;
  throw Object.assign(new Error(`${code}: made by the test`), { code });
}

function replace(target: object, name: string, stepOf: (args: readonly unknown[]) => FileStep): void {
  const owner = target as Record<string, Operation>;
  const real = owner[name] as Operation;
  owner[name] = function (this: unknown, ...args: never[]) {
    const step = stepOf(args);
    const isHandle = this !== owner && this !== undefined; // a path stands before the data, and says where
    const halved = () => {
      const data = Buffer.from(args[isHandle ? 0 : 1] as unknown as string | Uint8Array);
      const half = data.subarray(0, data.length >> 1) as never;
      return isHandle ? real.call(this, half) : real.apply(this, args.with(1, half));
    };
    return passed(step, () => real.apply(this, args), step === "write" ? halved : undefined);
  };
}

const isWritten = (flags: unknown) => typeof flags === "string" && /[wa+]/.test(flags);

for (const name of ["mkdir", "rename", "rm", "truncate"] as const) replace(fs, name, () => name);
replace(fs, "open", ([, flags]) => (isWritten(flags) ? "create" : "open"));
const opening = fs.open;
fs.open = async (...args) => {
  const file = await opening(...args);
  const open = watches.getStore()?.open;
  open?.add(file);
  const close = file.close.bind(file);
  file.close = () => {
    open?.delete(file);
    return close();
  };
  return file;
};
for (const name of ["writeFile", "appendFile"]) replace(fs, name, () => "write");
for (const name of ["readFile", "readdir", "stat"]) replace(fs, name, () => "read");

const file = await fs.open(process.execPath, "r");
const prototype = Object.getPrototypeOf(file) as object;
await file.close();
for (const name of ["appendFile", "writeFile", "write"]) replace(prototype, name, () => "write");
for (const name of ["sync", "datasync"]) replace(prototype, name, () => "sync");
for (const name of ["read", "readFile"]) replace(prototype, name, () => "read");
syncBuiltinESMExports();
