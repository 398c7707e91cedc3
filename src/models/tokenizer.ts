/** The tokenizer that figures in tokens come from, loaded when a session is about to run: its table is 2 MB. */
import type { TokenCounter } from "../schema/tokens";

/** Contract: throws where the bundle is missing or damaged; who asked goes on with `estimatedTokens`, by its own name. */
export async function openTokenizer(): Promise<TokenCounter> {
  const { o200kBase } = await import("./o200kBase"); // from its own bundle
  return o200kBase;
}
