/** bench traces: the one counter of all figures. */
import type { TokenCounter } from "../../src/schema/tokens";

const SLICE_UNITS = 4096; // counting is not linear in the length of a word, so that no word is longer

/** OpenAI's o200k_base. Special tokens are plain text. */
export async function openTokenizer(): Promise<TokenCounter> {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  const plain = { disallowedSpecial: new Set<string>() };
  return {
    name: "o200k_base (gpt-tokenizer)",
    count: (text) => {
      let tokens = 0;
      for (let from = 0; from < text.length; ) {
        const to = sliceEnd(text, from);
        tokens += countTokens(text.slice(from, to), plain);
        from = to;
      }
      return tokens;
    },
  };
}

/** Never between the halves of a pair. */
function sliceEnd(text: string, from: number): number {
  const to = from + SLICE_UNITS;
  if (to >= text.length) return text.length;
  const isHigh = (text.charCodeAt(to - 1) & 0xfc00) === 0xd800;
  return isHigh ? to - 1 : to;
}

/** Counts each text once. */
export function cached(counter: TokenCounter): TokenCounter {
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
