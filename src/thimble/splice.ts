/** The only way that Thimble changes arguments: one number token is replaced, every other byte survives (CONFORMANCE §5 Splice). */
import type { Token } from "./scan";

export type Replacement = { readonly token: Token; readonly value: number };

/** Contract: the tokens were found in `text` and do not overlap. */
export function splice(text: string, replacements: readonly Replacement[]): string {
  const inOrder = replacements.toSorted((a, b) => a.token.start - b.token.start);
  let spliced = "";
  let from = 0;
  for (const { token, value } of inOrder) {
    spliced += text.slice(from, token.start) + value;
    from = token.end;
  }
  return spliced + text.slice(from);
}
