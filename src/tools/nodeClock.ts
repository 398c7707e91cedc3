/** The clock of this machine, behind the house's port. */
import { setTimeout as sleep } from "node:timers/promises";

export const nodeClock = {
  now: () => Date.now(),
  /** Resolves early when the signal aborts; then no timer is left behind. */
  sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
    try {
      await sleep(ms, undefined, signal && { signal });
    } catch (cause) {
      if (!signal?.aborted) throw cause; // a sleep that is cut short has ended
    }
  },
};
