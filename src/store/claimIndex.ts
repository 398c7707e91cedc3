/** The session's claim index: which handles it issued. A checkpoint of the log, rebuilt whenever it is behind. */
import { isDeepStrictEqual } from "node:util";
import { type Adapter, Low } from "lowdb";
import { DataFile } from "lowdb/node";
import * as z from "zod";
import { Claim, type Handle } from "../schema/claim";
import type { Logged } from "../schema/event";
import { writeAtomically } from "./atomic";
import { INDEX } from "./layout";
import { takeIn } from "./marks";
import type { Seal } from "./seal";

export const Checkpoint = z.object({
  format: z.literal(1),
  events: z.int().nonnegative(), // how many events of the log it covers
  claims: z.array(Claim),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** lowdb's own file is readable by others and not flushed; this one is like every file of the store. */
function privateFile(path: string, seal: Seal | null): Adapter<unknown> {
  const stringify = (data: unknown) => {
    const text = JSON.stringify(data, null, 2);
    return seal ? seal.sealText(INDEX, text) : text;
  };
  const file = new DataFile<unknown>(path, { parse: (text) => indexIn(text, seal), stringify });
  return { read: () => file.read(), write: (data) => writeAtomically(path, stringify(data)) };
}

/** What the file says. Throws `SyntaxError` where it was altered. */
export function indexIn(text: string, seal: Seal | null): unknown {
  const plain = seal ? seal.openText(INDEX, text) : text;
  if (plain === null) throw new SyntaxError("a sealed index was altered");
  return JSON.parse(plain);
}

/** Claims of the first so many events. */
export type IndexState = Pick<Checkpoint, "events" | "claims">;
const EMPTY: IndexState = { events: 0, claims: [] };

export class ClaimIndex {
  readonly #db: Low<unknown>;
  readonly #claims = new Map<Handle, Claim>();
  #events = 0;
  #isDirty = false;

  private constructor(path: string, seal: Seal | null) {
    this.#db = new Low<unknown>(privateFile(path, seal), null);
  }

  /** Loads the checkpoint and proves it against the log: `events`, and what stood `before` them. `repair` says why it had to be rebuilt, null where it had not. */
  static async open(
    path: string,
    events: readonly Logged[],
    seal: Seal | null = null,
    before: IndexState = EMPTY,
  ): Promise<{ index: ClaimIndex; repair: string | null }> {
    const index = new ClaimIndex(path, seal);
    const saved = await index.#load();
    for (const claim of before.claims) index.#claims.set(claim.handle, claim);
    index.#events = before.events;
    for (const event of events) index.observe(event);
    const repair = index.#repairOf(saved);
    index.#isDirty = repair !== null;
    return { index, repair };
  }

  /** Takes in one event of the log, in order. */
  observe(event: Logged): void {
    this.#events = event.n + 1;
    if (takeIn(this.#claims, event)) this.#isDirty = true;
  }

  /** What a snapshot of the log keeps of it. */
  get state(): IndexState {
    return { events: this.#events, claims: [...this.#claims.values()] };
  }

  find(handle: Handle): Claim | undefined {
    return this.#claims.get(handle);
  }

  /**
   * Writes the checkpoint where something was added. Called at the end of a turn, never per put. A disk that does not
   * take it ends nothing: the log has it all, the next checkpoint tries again, and the next open tells and rebuilds.
   */
  async checkpoint(): Promise<void> {
    if (!this.#isDirty) return;
    const checkpoint: Checkpoint = { format: 1, events: this.#events, claims: [...this.#claims.values()] };
    this.#db.data = checkpoint;
    this.#isDirty = false;
    try {
      await this.#db.write();
    } catch (cause) {
      this.#isDirty = true;
      if ((cause as NodeJS.ErrnoException).code === undefined) throw cause;
    }
  }

  async #load(): Promise<Checkpoint | "missing" | "damaged"> {
    try {
      await this.#db.read();
    } catch (cause) {
      const isDisk = (cause as NodeJS.ErrnoException).code !== undefined; // the log has it all: a checkpoint closes no session
      if (isDisk || cause instanceof SyntaxError || cause instanceof RangeError) return "damaged";
      throw cause;
    }
    if (this.#db.data === null) return "missing";
    const parsed = Checkpoint.safeParse(this.#db.data);
    return parsed.success ? parsed.data : "damaged";
  }

  #repairOf(saved: Checkpoint | "missing" | "damaged"): string | null {
    const stored = this.#claims.size;
    if (saved === "missing")
      return stored === 0 ? null : `it was missing; ${stored} stored results were found in the log`;
    if (typeof saved !== "string" && saved.events > this.#events)
      return `it had seen ${saved.events} events, the log has ${this.#events}: the last ones are lost`;
    if (saved === "damaged") return `it was damaged; ${stored} stored results were found in the log`;
    const same =
      saved.claims.length === stored &&
      saved.claims.every((claim) => isDeepStrictEqual(claim, this.#claims.get(claim.handle)));
    return same ? null : `it had ${saved.claims.length} stored results, the log has ${stored}`;
  }
}
