/** `cloakroom replay` and `cloakroom scorecard`: reads logs, prints what the folds over them say. Nothing is written. */
import { readFile } from "node:fs/promises";
import { recordedQuestion } from "../agent/question";
import { counterfactualReport, replayReport } from "../inspector/replayReport";
import { scorecardReport } from "../inspector/scorecardReport";
import type { Hash } from "../schema/claim";
import type { Logged } from "../schema/event";
import { counterfactualOf } from "../thimble/counterfactual";
import { loadPolicy, type Problem } from "../thimble/load";
import { metricsFrom } from "../thimble/metrics";
import { replayFrom } from "../thimble/replay";
import { scorecardOf } from "../thimble/scorecard";

/** Sessions on disk, as far as they are read here. */
export type LogStore = {
  list(): Promise<readonly { readonly session: string }[]>;
  evidence(session: string): Promise<{ events: readonly Logged[]; problem: string | null }>;
};

/** `lines` go to standard output, `problems` to standard error. Codes: 0 identical, 1 not, 2 wrong words or policy. */
export type Judged = {
  readonly code: 0 | 1 | 2;
  readonly lines: readonly string[];
  readonly problems: readonly string[];
};

const wrong = (...problems: string[]): Judged => ({ code: 2, lines: [], problems });

/** Decides a session's calls again; with a policy file, also as that policy would have. */
export async function replay(
  store: LogStore,
  session: string | undefined,
  policyFile: string | undefined,
  hash: Hash,
): Promise<Judged> {
  if (session === undefined) return wrong("Name the session: replay SESSION.");
  const text = policyFile === undefined ? null : await readText(policyFile);
  if (text === undefined) return wrong(`${policyFile} cannot be read. Name a policy file: --policy FILE.`);
  const loading = text === null ? null : loadPolicy(text, hash);
  if (loading?.kind === "problems")
    return wrong(...loading.problems.map((problem) => placed(policyFile ?? "", text ?? "", problem)));

  const ports = { hash, questionOf: recordedQuestion };
  const { events, problem } = await store.evidence(session);
  const again = replayFrom(events, ports, problem);
  const lines = replayReport(again);
  if (loading) lines.push("", ...counterfactualReport(counterfactualOf(events, loading.policy, ports)));
  return { code: again.outcome === "identical" ? 0 : 1, lines, problems: [] };
}

export type ScorecardWords = {
  readonly sessions: readonly string[];
  readonly all: boolean;
  readonly control: string | undefined;
  readonly candidate: string | undefined;
  readonly json: boolean;
};

/** Sessions whose log does not follow from its beginning are left out, and named. */
export async function scorecard(
  store: LogStore,
  { sessions, all, control, candidate, json }: ScorecardWords,
  hash: Hash,
): Promise<Judged> {
  if ((control === undefined) !== (candidate === undefined))
    return wrong("Name both: --control SESSION --candidate SESSION. They are not guessed.");
  const paired = control !== undefined && candidate !== undefined ? [control, candidate] : [];
  const listed = all ? (await store.list()).map(({ session }) => session) : [];
  const names = [...new Set([...sessions, ...listed, ...paired])];
  if (names.length === 0) return wrong("Name sessions: scorecard SESSION... or --workspace-sessions.");
  const problems: string[] = [];
  const metrics = new Map<string, ReturnType<typeof metricsFrom>>();
  for (const name of names) {
    const { events, problem } = await store.evidence(name);
    if (problem === null) metrics.set(name, metricsFrom(events, hash));
    else problems.push(`${name} is left out: its log is damaged (${problem}).`);
  }
  const [before, after] = paired.map((name) => metrics.get(name));
  const view = scorecardOf([...metrics.values()], before && after ? [[before, after]] : []);
  const lines = json ? [JSON.stringify(view)] : scorecardReport(view);
  return { code: problems.length > 0 ? 1 : 0, lines, problems };
}

/** Undefined where there is no such file; anything else that the disk says is told as it is. */
async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "EISDIR" || code === "EACCES") return undefined;
    throw cause;
  }
}

/** `FILE:LINE:COLUMN: message`, both from 1; columns in UTF-16 code units, as editors count them. */
function placed(file: string, text: string, { offset, message }: Problem): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `${file}:${before.length}:${(before.at(-1) ?? "").length + 1}: ${message}`;
}
