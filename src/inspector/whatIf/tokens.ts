/** What if: the one counter of all figures, each text counted once. */
import type { TokenCounter } from "../../schema/tokens";

export function countedOnce(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  return {
    name: counter.name,
    count: (text) => {
      const found = known.get(text);
      if (found !== undefined) return found;
      const tokens = counter.count(text);
      known.set(text, tokens);
      return tokens;
    },
  };
}
