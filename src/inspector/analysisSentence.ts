/** What was found in a recorded session, in one sentence. */
import type { Analysis } from "./whatIf/analyse";

export function analysisSentence({ everything, cloakroom, requests }: Analysis): string {
  const number = (value: number) => value.toLocaleString("en");
  const percent = everything.cost === 0 ? 0 : (100 * (cloakroom.cost - everything.cost)) / everything.cost;
  const cost = `${percent <= 0 ? "−" : "+"}${Math.abs(percent).toFixed(0)} %`;
  const readBack = cloakroom.readBack.requests;
  return (
    `${number(requests)} request${requests === 1 ? "" : "s"}, the largest of ${number(everything.peakTokens)} tokens. ` +
    `Cloakroom would have sent at most ${number(cloakroom.peakTokens)}, at a cost of ${cost}, ` +
    `with ${number(readBack)} ${readBack === 1 ? "request" : "requests"} to read something back.`
  );
}
