/** How full the model's window is, in the few words that a status bar has room for. */
import type { InspectorFold } from "./draft";
import { turnAt } from "./turnPages";

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 0 });

/** Null before the first request. */
export function fillWords({
  head,
  turns,
}: Pick<InspectorFold, "head" | "turns">): { text: string; tooltip: string } | null {
  if (head === null) return null;
  for (let at = turns.numbers.length - 1; at >= 0; at--) {
    const fill = turnAt(turns, at)?.request?.fill;
    if (!fill) continue;
    const tokens = fill.tokens.reduce((sum, part) => sum + part, 0);
    const { windowTokens } = head;
    const most = windowTokens === null ? "" : ` / ${compact.format(windowTokens)}`;
    const of =
      windowTokens === null
        ? "; the size of the model's window is not known"
        : ` of ${windowTokens.toLocaleString("en")}`;
    const about = fill.isEstimate ? "about " : "";
    return {
      text: `$(dashboard) ${compact.format(tokens)}${most}`,
      tooltip: `Cloakroom: the last request had ${about}${tokens.toLocaleString("en")} tokens${of}`,
    };
  }
  return null;
}
