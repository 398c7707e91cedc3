/** What an event says, in a sentence, where it has no row of its own. */
import type { EventOf, Logged } from "../schema/event";

export function mended({ what, detail }: EventOf<"recovered">): string {
  return what === "log_tail"
    ? `The session log was mended: ${detail}.`
    : `The index of stored results was rebuilt: ${detail}.`;
}

export function adoptedNotice({ from, claims, missing }: EventOf<"adopted">): string {
  const deleted = claims.filter(({ forgotten }) => forgotten).length;
  const gone = deleted === 0 ? "" : ` Deleted there, so not here: ${deleted}.`;
  const lost = missing.length === 0 ? "" : ` Missing there, so missing here: ${missing.length}.`;
  return `Begun as a copy of session ${from}, with its stored results (${claims.length - deleted}).${gone}${lost}`;
}

export function gatedNotice({ verdict, unread }: EventOf<"gated">): string {
  const lists = unread.map(({ tool, inspected, total }) => `${tool}: ${inspected} of ${total} records read`);
  return verdict === "say"
    ? `The model was told what it had not read (${lists.join("; ")}).`
    : `The answer is incomplete: not everything was read (${lists.join("; ")}).`;
}

export const prunedNotice = ({ messages }: EventOf<"pruned">): string =>
  `From here on the model is not sent the first ${messages} messages: the request did not fit. The log keeps them.`;

/** `how`: taken over into the store, or only looked at where it is. */
export function transcriptNotices(
  { from }: EventOf<"session_started">,
  how: "Imported" | "Read" = "Imported",
): string[] {
  if (!from?.transcript) return [];
  const { format, notes } = from.transcript;
  return [
    `${how} from a transcript of ${format}. What another program wrote is shown as it says it.`,
    ...notes.map((text) => `Of the transcript: ${text}.`),
  ];
}

/** What a later configuration changed of the one before; empty: nothing that is told. */
export function changesOf(
  before: {
    readonly model: string;
    readonly mode: string;
    readonly intent: string | null;
    readonly policySha256: string;
  },
  { model, settings, intent, policyIdentity }: Logged & EventOf<"configured">,
): string {
  const parts = [
    before.model === model.name ? "" : `model ${model.name}`,
    before.mode === settings.limits.mode ? "" : `result limits ${settings.limits.mode}`,
    before.intent === intent ? "" : `intent ${(intent ?? "none").replaceAll("_", " ")}`,
    before.policySha256 === policyIdentity.sha256
      ? ""
      : `policy ${policyIdentity.name} ${policyIdentity.version}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "Settings or tools changed." : `Changed: ${parts.join(", ")}.`;
}
