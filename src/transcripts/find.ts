/** Sessions of other agents on this machine, found by where those keep them. Nothing but their beginnings is read. */
import { lstat, opendir } from "node:fs/promises";
import path from "node:path";
import { type Agent, type Environment, placesOf } from "./places";
import { titleOf } from "./title";

export type FoundTranscript = {
  readonly file: string;
  readonly agent: Agent;
  readonly title: string | null; // of the session, or the first words of the person
  readonly changedAt: number; // Unix milliseconds
  readonly bytes: number;
};

export const MOST_FOUND = 200;

/** Of one place: a folder may have any number. */
const MOST_ENTRIES = 20_000;

/**
 * Newest first, at most `MOST_FOUND`. Contract: never rejects because of what is in a folder: what may not be read is left
 * out. A link is not followed, below the folder that an agent has for its own.
 */
export async function findTranscripts(
  home: string,
  platform: string,
  env: Environment,
  mostEntries = MOST_ENTRIES,
): Promise<readonly FoundTranscript[]> {
  const found = new Map<string, Omit<FoundTranscript, "title">>();
  for (const place of placesOf(home, platform, env))
    for (const file of await filesIn(place.folder, place.names, { left: mostEntries })) {
      const facts = await lstat(file).catch(() => null);
      if (!facts?.isFile() || facts.size === 0) continue;
      const { agent } = place;
      found.set(file, { file, agent, changedAt: Math.round(facts.mtimeMs), bytes: facts.size });
    }
  const newest = [...found.values()]
    .filter(({ file }) => !hasSuccessor(file, found))
    .sort((a, b) => b.changedAt - a.changedAt)
    .slice(0, MOST_FOUND);
  const titled: FoundTranscript[] = [];
  for (const one of newest) titled.push({ ...one, title: await titleOf(one.file, one.agent) });
  return titled;
}

/** An agent that went from one value to lines leaves the old file; what is unpacked to go on with may still lie there packed. */
const hasSuccessor = (file: string, found: ReadonlyMap<string, unknown>): boolean =>
  (file.endsWith(".json") && found.has(`${file}l`)) ||
  (file.endsWith(".zst") && found.has(file.slice(0, -".zst".length)));

/** Folders that are named by dates come with the newest first: where there are too many entries, old ones are missing. */
async function filesIn(
  folder: string,
  [name, ...below]: readonly RegExp[],
  entries: { left: number },
): Promise<readonly string[]> {
  if (name === undefined) return [];
  const isLast = below.length === 0;
  const fitting = await entriesOf(folder, name, isLast, entries);
  if (isLast) return fitting;
  const files: string[] = [];
  for (const inner of fitting) for (const file of await filesIn(inner, below, entries)) files.push(file);
  return files;
}

async function entriesOf(
  folder: string,
  name: RegExp,
  isLast: boolean,
  entries: { left: number },
): Promise<string[]> {
  const fitting: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (entries.left-- <= 0) break;
      const isKind = isLast ? entry.isFile() : entry.isDirectory(); // a link is neither
      if (isKind && name.test(entry.name)) fitting.push(path.join(folder, entry.name));
    }
  } catch (cause) {
    if (typeof (cause as NodeJS.ErrnoException).code !== "string") throw cause; // absent, or not ours to read
  }
  return fitting.sort().reverse();
}
