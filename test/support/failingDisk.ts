// test/support: a real disk whose operation number N of a kind fails, or writes short, as a full or dying one does.
import type { FileHandle } from "node:fs/promises";
import { type Disk, nodeDisk } from "../../src/store/disk";

export type DiskStep = "mkdir" | "open" | "append" | "sync" | "close" | "rename" | "rm";

const failure = (code: string) => Object.assign(new Error(`${code}: made by the test`), { code });

/** The `at`th `step` (from 1) fails with `code`; "SHORT" writes half and then fails with ENOSPC. `steps` is what happened. */
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
  const append = file.appendFile.bind(file);
  const sync = file.sync.bind(file);
  const close = file.close.bind(file);
  file.appendFile = async (data, options) => {
    if (!fails("append")) return append(data, options);
    if (code !== "SHORT") throw failure(code);
    await append(Buffer.from(data as Uint8Array).subarray(0, (data as Uint8Array).length >> 1));
    throw failure("ENOSPC");
  };
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
