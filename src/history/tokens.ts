/** Tokens without a tokenizer: where its bundle could not be loaded, and where a test needs no table. */
import { charLength } from "../schema/text";
import type { TokenCounter } from "../schema/tokens";

const CHARS_PER_TOKEN = 3.3; // measured over tool results (CONFORMANCE §0.10)

/** Contract: as every counter; its name says that it estimates. */
export const estimatedTokens: TokenCounter = {
  name: "chars/3.3",
  count: (text) => Math.ceil(charLength(text) / CHARS_PER_TOKEN),
};
