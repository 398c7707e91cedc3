/** `cloakroom analyze`: what filled the window of recorded sessions, and what Cloakroom would have sent. Nothing is written. */
import { type AnalysedSession, analysisReport, totalLine, totalOf } from "../inspector/analysisReport";
import { columns } from "../inspector/columns";
import {
  type AnalysedTranscript,
  analyseTranscript,
  type ReadRecorded,
} from "../inspector/whatIf/analyseTranscript";
import { PROFILES } from "../inspector/whatIf/profiles";
import { Failure } from "../schema/failure";
import type { TokenCounter } from "../schema/tokens";

export type AnalyzeWords = {
  readonly sources: readonly string[];
  readonly profile: string | undefined;
  readonly json: boolean;
};

/** Where lines and problems go, as they come: a file at a time is held, not all. */
export type Told = { line(text: string): void; problem(text: string): void };

/** Resolves with the exit code: 0 all were read, 1 some were not, 2 wrong words. */
export async function analyze(
  { sources, profile: named, json }: AnalyzeWords,
  read: ReadRecorded,
  tokens: TokenCounter,
  told: Told,
): Promise<0 | 1 | 2> {
  const profile = PROFILES.find(({ name }) => name === named);
  if (named !== undefined && profile === undefined) {
    told.problem(`--profile takes ${PROFILES.map(({ name }) => name).join(", ")}.`);
    return 2;
  }
  const sessions: AnalysedSession[] = [];
  let problems = 0;
  for (const source of sources) {
    const analysed = await readOr(source, () => analyseTranscript(source, read, { tokens, profile }));
    if (typeof analysed === "string") {
      problems++;
      told.problem(analysed);
      continue;
    }
    for (const { analysis } of analysed) {
      if (!json) told.line([...(sessions.length > 0 ? [""] : []), ...analysisReport(analysis)].join("\n"));
      sessions.push(analysis);
    }
  }
  if (json) told.line(JSON.stringify({ sessions, total: totalOf(sessions) }, null, 2));
  else if (sessions.length > 1) told.line(`\n${totalLine(sessions)}`);
  return problems > 0 ? 1 : 0;
}

const NEXT =
  "Name a session file as its agent wrote it; an archive of Cloakroom is imported first, and analysed with --workspace.";

/** A session file of another agent, as it is found. */
export type Found = {
  readonly file: string;
  readonly agent: string;
  readonly title: string | null;
  readonly changedAt: number; // Unix milliseconds
  readonly bytes: number;
};

/** One line each, newest first: what `analyze` can be given. */
export function foundLines(found: readonly Found[], now: number, json: boolean): readonly string[] {
  if (json) return [JSON.stringify(found, null, 2)];
  return columns(
    found.map(({ file, agent, title, changedAt, bytes }) => [
      ...[agent, ageOf(now - changedAt), sizeOf(bytes), file],
      title ?? "",
    ]),
  );
}

function ageOf(elapsedMs: number): string {
  const hours = Math.max(0, Math.floor(elapsedMs / 3_600_000));
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** The problem as a sentence, where it is one of this file and not ours. */
async function readOr(
  source: string,
  read: () => Promise<readonly AnalysedTranscript[]>,
): Promise<readonly AnalysedTranscript[] | string> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof Failure) {
      if (cause.code !== "import-unreadable") return `${source} is left out: ${cause.message}`;
      return `${source} is left out: ${cause.facts.why}. ${NEXT}`;
    }
    const { code } = cause as NodeJS.ErrnoException;
    if (typeof code !== "string" || !/^E[A-Z]+$/.test(code)) throw cause;
    return `${source} is left out: it cannot be read (${code}). Check that it is there and that you may read it.`;
  }
}
