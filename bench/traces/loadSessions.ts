/** bench traces: sessions of real transcripts, read once, counted once, with their evidence. Policies share them. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { safeTexts } from "../../src/agent/safeTexts";
import { sessionOf } from "../../src/inspector/whatIf/session";
import type { Session } from "../../src/inspector/whatIf/types";
import type { TokenCounter } from "../../src/schema/tokens";
import { plainNameOf } from "../../src/store/blobs";
import { sha256 } from "../../src/store/digest";
import { readTranscript } from "../../src/transcripts/readTranscript";

const SALT = "0".repeat(32); // the same placeholders of secrets in every run

/** The sessions of all transcripts in the folder of shared data that have a request. */
export async function loadSessions(data: string, tokens: TokenCounter): Promise<readonly Session[]> {
  const folder = path.join(data, "traces");
  const [, ...rows] = (await readFile(path.join(folder, "index.tsv"), "utf8")).trim().split("\n");
  const sessions: Session[] = [];
  for (const row of rows) {
    const [file = ""] = row.split("\t");
    const read = await readTranscript(path.join(folder, file), {
      hash: sha256,
      now: () => 0,
      nameOf: plainNameOf,
      tokens,
      safe: () => safeTexts(SALT, sha256),
    });
    for (const [n, drafted] of read.sessions.entries())
      sessions.push(sessionOf(`${file}#${n + 1}`, drafted, tokens));
  }
  return sessions.filter(({ requests }) => requests.length > 0);
}
