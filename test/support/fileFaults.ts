// test/support: which file operation fails, and how; without the operations themselves (`faultyFiles.ts`).

/** `read` changes nothing. A `write` may also go half way. */
export type FileStep = "mkdir" | "create" | "open" | "write" | "sync" | "rename" | "rm" | "truncate" | "read";
export const CHANGES: readonly FileStep[] = ["mkdir", "create", "write", "sync", "rename", "rm", "truncate"];

/**
 * What happens at operation number `at` (from 0). `stop`: the process does nothing more, as if killed before it; `half`:
 * as if killed in the middle of a write; `SHORT`: a full disk after half a write; else the operation fails with that code.
 * `lasts`: every later operation that the same disk would refuse fails too.
 */
export type FileFault = {
  readonly at: number;
  readonly kind: "stop" | "half" | "SHORT" | "ENOSPC" | "EACCES" | "EIO";
  readonly lasts?: boolean;
};

/** One stretch of work under watch: what it did to the disk, and where the fault struck (-1: nowhere). */
export class Watch {
  readonly steps: FileStep[] = [];
  struck = -1;
  /** Files that were opened and not closed again. */
  readonly open = new Set<object>();
  /** Resolves when the work has come to where it stops for ever. */
  readonly stopped: Promise<"stopped">;
  readonly #fault: FileFault | null;
  #isStopped = false;
  #stop: () => void = () => undefined;

  constructor(fault: FileFault | null) {
    this.#fault = fault;
    this.stopped = new Promise((resolve) => {
      this.#stop = () => resolve("stopped");
    });
  }

  /** Null: nothing happens to this operation. */
  next(step: FileStep): FileFault["kind"] | null {
    if (this.#isStopped) return "stop";
    const at = this.steps.push(step) - 1;
    const fault = this.#fault;
    if (fault === null || at < fault.at) return null;
    const again = fault.lasts && this.struck >= 0 && canFail(step, fault.kind);
    if (at !== fault.at && !again) return null;
    this.struck = this.struck < 0 ? at : this.struck;
    return fault.kind;
  }

  stop(): void {
    this.#isStopped = true;
    this.#stop();
  }
}

/** Whether a disk would answer so: a full one is still read and emptied, a forbidden one still synced. */
export function canFail(step: FileStep, kind: FileFault["kind"]): boolean {
  if (kind === "stop") return CHANGES.includes(step);
  if (kind === "half" || kind === "SHORT") return step === "write";
  if (kind === "ENOSPC") return ["mkdir", "create", "write", "sync", "rename"].includes(step);
  if (kind === "EACCES") return step !== "sync" && step !== "write";
  return true;
}

/** Pieces of a store's work that can be done under a fault (`faultyStore.ts`). */
export const WORKS = [
  "begin",
  "go on",
  "mend",
  "sweep",
  "forget",
  "forget result",
  "fork",
  "export",
  "import",
  "verify",
] as const;
export type Work = (typeof WORKS)[number];
