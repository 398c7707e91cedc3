/** What if: work that is done a piece at a time, at once or with pauses. */

export type Running<T> = Generator<undefined, T, undefined>;

/** Who waits for it: `shouldStop` is asked and `pause` awaited between pieces, so that others have their turn. */
export type Pauses = { shouldStop(): boolean; pause(): Promise<void> };

export function finished<T>(running: Running<T>): T {
  for (;;) {
    const step = running.next();
    if (step.done) return step.value;
  }
}

/** Pauses before the first piece and after every so many. Resolves with null where it was told to stop. */
export async function finishedWith<T>(
  running: Running<T>,
  { shouldStop, pause }: Pauses,
  every: number,
): Promise<T | null> {
  for (let pieces = 0; ; pieces++) {
    if (pieces % every === 0) {
      await pause();
      if (shouldStop()) return null;
    }
    const step = running.next();
    if (step.done) return step.value;
  }
}
