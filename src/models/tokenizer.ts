/** The tokenizer that figures in tokens come from, loaded when a session is about to run: its table is 2 MB. */
import { estimatedTokens } from "../history/tokens";
import type { TokenCounter } from "../schema/tokens";

/** Throws where the bundle is missing or damaged. */
export async function openTokenizer(): Promise<TokenCounter> {
  const { o200kBase } = await import("./o200kBase"); // from its own bundle
  return o200kBase;
}

/** For whoever goes on without it, `onProblem` told: the estimate has a name of its own, which every figure carries. */
export async function openTokens(
  onProblem: (sentence: string) => void,
  open = openTokenizer,
): Promise<TokenCounter> {
  try {
    return await open();
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    onProblem(`Tokens are estimated (${estimatedTokens.name}): the tokenizer could not be loaded: ${detail}`);
    return estimatedTokens;
  }
}
