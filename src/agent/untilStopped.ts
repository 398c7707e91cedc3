/** A model that ignores the signal is left behind: a stop never waits for the network. */

/** The parts as they come, until they end or the signal aborts. */
export async function* untilStopped<T>(parts: AsyncIterable<T>, signal: AbortSignal): AsyncIterable<T> {
  const iterator = parts[Symbol.asyncIterator]();
  const finished = new AbortController();
  const stopped = new Promise<IteratorResult<T>>((resolve) => {
    const stop = () => resolve({ done: true, value: undefined });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true, signal: finished.signal });
  });
  try {
    for (;;) {
      const result = await Promise.race([stopped, iterator.next()]);
      if (result.done) return;
      yield result.value;
    }
  } finally {
    finished.abort();
    iterator.return?.().catch(() => undefined); // lets go of the connection; what it still has to say is not waited for
  }
}
