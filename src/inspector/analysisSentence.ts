/** What was found in a recorded session: a sentence, and what its figures have that the session's own do not. */
import type { Analysis } from "./whatIf/analyse";
import type { Window } from "./whatIf/fills";

const number = (value: number) => value.toLocaleString("en");

export function analysisSentence({ everything, cloakroom, requests, counter }: Analysis): string {
  const percent = everything.cost === 0 ? 0 : (100 * (cloakroom.cost - everything.cost)) / everything.cost;
  const cost = `${percent <= 0 ? "−" : "+"}${Math.abs(percent).toFixed(0)} %`;
  const readBack = cloakroom.readBack.requests;
  return (
    `${number(requests)} request${requests === 1 ? "" : "s"}, the largest of ${number(everything.peakTokens)} tokens. ` +
    `Cloakroom would have sent at most ${number(cloakroom.peakTokens)}, at a cost of ${cost}, ` +
    `with ${number(readBack)} ${readBack === 1 ? "request" : "requests"} to read something back.${assumedSentence(everything.last, counter)}`
  );
}

/** Of what the file does have the page's other figures are. */
function assumedSentence(last: Window | null, counter: string): string {
  const fills = last?.fills ?? [];
  const tokens = fills.reduce((sum, fill) => sum + (fill.kind === "assumed" ? fill.tokens : 0), 0);
  if (tokens === 0) return "";
  const what = fills.some(({ kind }) => kind === "system") ? "tools" : "system prompt and tools";
  return ` Counted with ${counter}, and with ${number(tokens)} tokens that are assumed for the agent’s ${what}, which its file does not have; the figures of the overview are without them.`;
}
