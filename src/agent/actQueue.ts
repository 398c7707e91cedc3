/** A person's acts on a session that runs here: a log has one writer, so they wait for a place where the run takes them. */
import type { SessionAct } from "../schema/act";
import { perform } from "./acts";
import type { Conversation } from "./conversation";

/** `ended`: the run was over before the act was taken; nothing of it was done. */
export type ActEnd = "done" | "ended";

type Waiting = {
  readonly act: SessionAct;
  readonly resolve: (end: ActEnd) => void;
  readonly reject: (cause: unknown) => void;
};

/** Invariant: acts are done in the order in which they came, and every one is answered. */
export class ActQueue {
  readonly #waiting: Waiting[] = [];
  #undecided: Conversation | null = null; // while nothing decides about the history
  #pinning: Promise<void> = Promise.resolve();
  #isEnded = false;

  /** Throws as `perform` does. */
  add(act: SessionAct): Promise<ActEnd> {
    if (this.#isEnded) return Promise.resolve("ended");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act, resolve, reject });
      this.#pin();
    });
  }

  /** Does all that waits. Contract: never throws; whoever asked for an act hears how it went. */
  async drain(conversation: Conversation): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await done(conversation, next);
  }

  /**
   * While `work` decides nothing about the history, which may take minutes, pins are recorded as they come: what is
   * appended side by side keeps its order. Other acts wait, and pins behind them.
   */
  async during<T>(conversation: Conversation, work: () => Promise<T>): Promise<T> {
    this.#undecided = conversation;
    this.#pin();
    try {
      return await work();
    } finally {
      this.#undecided = null;
      await this.#pinning;
    }
  }

  /** The run is over: what still waits was not done. */
  end(): void {
    this.#isEnded = true;
    for (const { resolve } of this.#waiting.splice(0)) resolve("ended");
  }

  #pin(): void {
    const conversation = this.#undecided;
    while (conversation && this.#waiting[0]?.act.kind === "pin") {
      const next = this.#waiting.shift() as Waiting;
      this.#pinning = this.#pinning.then(() => done(conversation, next));
    }
  }
}

async function done(conversation: Conversation, { act, resolve, reject }: Waiting): Promise<void> {
  try {
    await perform(conversation, act);
    resolve("done");
  } catch (cause) {
    reject(cause);
  }
}
