/** Where a person's acts go: to the run of the session, where it runs here; else to the session itself. */
import type { SessionAct } from "../schema/act";
import { ActQueue } from "./actQueue";

type Run = { readonly acts: ActQueue; readonly ended: Promise<void> };

export class SessionActs {
  readonly #runs = new Map<string, Run>(); // by session

  /** Runs `work` with a queue for what the person does meanwhile. `started`: from now on acts on that session go there. */
  async run<T>(work: (acts: ActQueue, started: (session: string) => void) => Promise<T>): Promise<T> {
    const acts = new ActQueue();
    const names = new Set<string>();
    let isOver = () => {};
    const ended = new Promise<void>((resolve) => {
      isOver = resolve;
    });
    try {
      return await work(acts, (session) => {
        names.add(session);
        this.#runs.set(session, { acts, ended });
      });
    } finally {
      acts.end();
      for (const name of names) if (this.#runs.get(name)?.acts === acts) this.#runs.delete(name);
      isOver();
    }
  }

  /** `idle` does it where no run of the session takes it any more; its log is closed by then. */
  async act(session: string, act: SessionAct, idle: () => Promise<void>): Promise<void> {
    const run = this.#runs.get(session);
    if (run) {
      if ((await run.acts.add(act)) === "done") return;
      await run.ended;
    }
    await idle();
  }
}
