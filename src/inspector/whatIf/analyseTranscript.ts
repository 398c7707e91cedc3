/** What if: a file of another agent, read into memory and analysed. Nothing is imported. */
import type { TokenCounter } from "../../schema/tokens";
import type { AnalysedSession } from "../analysisReport";
import { analyse } from "./analyse";
import { countedOnce } from "./tokens";
import type { Profile } from "./types";
import type { RecordedSession } from "./wholes";

/** `source`: a file or a session as it was named. Throws where it cannot be read. */
export type ReadRecorded = (source: string, tokens: TokenCounter) => Promise<readonly RecordedSession[]>;

/** `recorded` is what the inspector's view of it is projected from, and what can be replayed under other settings. */
export type AnalysedTranscript = { readonly analysis: AnalysedSession; readonly recorded: RecordedSession };

export type TranscriptChoices = {
  readonly tokens: TokenCounter;
  readonly profile?: Profile | undefined; // not given: by each model's name
};

/** Each session of it. Throws what `read` throws, as it is. */
export async function analyseTranscript(
  source: string,
  read: ReadRecorded,
  { tokens, profile }: TranscriptChoices,
): Promise<readonly AnalysedTranscript[]> {
  const counter = countedOnce(tokens); // of this file only: it remembers what it counted
  const sessions = await read(source, counter);
  return sessions.map((recorded, n) => {
    const name = sessions.length === 1 ? source : `${source} (session ${n + 1} of ${sessions.length})`;
    return { analysis: { source: name, ...analyse(recorded, { tokens: counter, profile }) }, recorded };
  });
}
