/** Counting tokens where no tokenizer is at hand. */
import { charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";

/** Measured on real transcripts: 3.3 characters a token on average (CONFORMANCE §0.10). */
export const CHARS_PER_TOKEN = 3.3;

export const estimatedTokens: TokenCounter = {
  name: "chars/3.3",
  count: (text) => Math.ceil(charLength(text) / CHARS_PER_TOKEN),
};
