// test/support: a real disk whose operation number N of a kind fails, or writes short, as a full or dying one does.
import type { FileHandle } from "node:fs/promises";
import { type Disk, nodeDisk } from "../../src/store/disk";

export type DiskStep = "mkdir" | "open" | "append" | "sync" | "close" | "rename" | "rm";

const failure = (code: string) => Object.assign(new Error(`${code}: made by the test`), { code });

/** The `at`th `step` (from 1) fails with `code`; "SHORT" writes half, and nothing after it. `steps` is what happened. */
export function failingDisk(step: DiskStep, at: number, code: string): Disk & { readonly steps: DiskStep[] } {
  const steps: DiskStep[] = [];
  const fails = (now: DiskStep) => {
    steps.push(now);
    return now === step && steps.filter((one) => one === now).length === at;
  };
  const guard = <A extends readonly unknown[], R>(now: DiskStep, work: (...args: A) => R) =>
    ((...args: A) => (fails(now) ? Promise.reject(failure(code)) : work(...args))) as (...args: A) => R;
  return {
    steps,
    mkdir: guard("mkdir", nodeDisk.mkdir) as Disk["mkdir"],
    rename: guard("rename", nodeDisk.rename) as Disk["rename"],
    rm: guard("rm", nodeDisk.rm) as Disk["rm"],
    open: (async (...args: Parameters<Disk["open"]>) => {
      if (fails("open")) throw failure(code);
      return watched(await nodeDisk.open(...args), fails, code);
    }) as Disk["open"],
  };
}

function watched(file: FileHandle, fails: (step: DiskStep) => boolean, code: string): FileHandle {
  const write = file.write.bind(file) as (
    bytes: Uint8Array,
    offset?: number,
    length?: number,
  ) => ReturnType<FileHandle["write"]>;
  const sync = file.sync.bind(file);
  const close = file.close.bind(file);
  let isFull = false;
  file.write = (async (bytes: Uint8Array, offset = 0) => {
    if (isFull) throw failure("ENOSPC");
    if (!fails("append")) return write(bytes, offset);
    if (code !== "SHORT") throw failure(code);
    isFull = true;
    return write(bytes, offset, (bytes.length - offset) >> 1);
  }) as FileHandle["write"];
  file.sync = async () => {
    if (fails("sync")) throw failure(code);
    return sync();
  };
  file.close = async () => {
    await close(); // the descriptor goes either way
    if (fails("close")) throw failure(code);
  };
  return file;
}
