/** A stop never waits for a tool, a preview or an answer that ignores it. */
import type { Clock } from "./ports";

/** What does not come back this long after a stop is left behind. */
const STOP_GRACE_MS = 5000;

/** Resolves as `running` does; rejects with the signal's reason where it does not come back after a stop. */
export async function orLeftBehind<T>(running: Promise<T>, signal: AbortSignal, clock: Clock): Promise<T> {
  const finished = new AbortController();
  try {
    return await Promise.race([running, leftBehind(signal, clock, finished.signal)]);
  } finally {
    finished.abort();
  }
}

function leftBehind(signal: AbortSignal, clock: Clock, finished: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => void clock.sleep(STOP_GRACE_MS).then(() => reject(signal.reason));
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp, { once: true, signal: finished });
  });
}
