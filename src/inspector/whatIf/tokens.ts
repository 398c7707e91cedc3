/** What if: the one counter of all figures, each text counted once. */
import type { TokenCounter } from "../../schema/tokens";

/** `counter`: what it asks for a text that it does not know. */
export type CountedOnce = TokenCounter & {
  readonly counter: TokenCounter;
  readonly known: ReadonlyMap<string, number>;
};

const NOTHING: ReadonlyMap<string, number> = new Map();

/** `before`: what another one counted already; nothing is added to that. */
export function countedOnce(counter: TokenCounter, before = NOTHING): CountedOnce {
  const known = new Map<string, number>();
  return {
    name: counter.name,
    counter,
    known,
    count: (text) => {
      const found = before.get(text) ?? known.get(text);
      if (found !== undefined) return found;
      const tokens = counter.count(text);
      known.set(text, tokens);
      return tokens;
    },
  };
}
