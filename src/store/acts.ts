/** What people may do to stored sessions, each with its outcome in words. The editor and the command line show the same. */
import type { DocumentFormat, ExportOptions } from "../schema/export";

import type { StoreCare } from "./care";
import type { Erased } from "./erase";
import type { Exported } from "./exportArchive";
import type { Verified } from "./verify";

/** `summary` is one sentence to show; `lines` are for the log. `ok` false: something is wrong, or was left undone. */
export type Told = { readonly ok: boolean; readonly summary: string; readonly lines: readonly string[] };
/** The outcome of something that made sessions; `session`: the one to look at. */
export type Made = Told & { readonly session: string | null };

const FINDINGS_SHOWN = 500;

export class StoreActs {
  readonly #open: () => Promise<StoreCare>;

  /** The store is opened anew for each act, as its settings are then. */
  constructor(open: () => Promise<StoreCare>) {
    this.#open = open;
  }

  async verify(which?: { session?: string | undefined; everywhere?: boolean }): Promise<Told> {
    return verifiedWords(await (await this.#open()).verify(which));
  }

  /** Null where there is nothing to tell. */
  async sweep(keepSessionsDays: number): Promise<Told | null> {
    const swept = await (await this.#open()).sweep();
    const { expired, orphans, reclaimed, drafts, erasures, unreadableErasures, pinned, storedBytes } = swept;
    const said: string[] = [];
    if (expired.length > 0)
      said.push(
        `Removed ${count(expired.length, "session")} not used for ${count(keepSessionsDays, "day")}.`,
      );
    if (erasures > 0) said.push(`Finished ${count(erasures, "deletion")} that had been interrupted.`);
    const lines = [
      ...expired.map((row) => `removed: ${row.session} "${row.title}", last used ${dateOf(row.lastUsedAt)}`),
      ...pinned.map(({ folder, why }) => `left alone: ${folder}: ${why}`),
    ];
    if (orphans + drafts > 0) lines.push(`removed: ${count(orphans + drafts, "leftover")} of crashes`);
    if (reclaimed > 0) lines.push(`removed: ${count(reclaimed, "stored result")} of reclaimable tools`);
    if (unreadableErasures > 0)
      lines.push(`not done: ${count(unreadableErasures, "deletion")} whose record cannot be read`);
    if (said.length === 0 && lines.length === 0) return null;
    lines.push(`stored results take ${megabytes(storedBytes)}`);
    return { ok: pinned.length === 0, summary: said.join(" "), lines };
  }

  async forgetSession(session: string): Promise<Told> {
    return erasedWords(await (await this.#open()).forgetSession(session));
  }

  async forgetWorkspace(): Promise<Told> {
    return erasedWords(await (await this.#open()).forgetWorkspace());
  }

  async forgetEverything(): Promise<Told> {
    return erasedWords(await (await this.#open()).forgetEverything());
  }

  /** `throughTurn`: the last turn that the fork has; by default all of them. */
  async fork(session: string, throughTurn?: number): Promise<Made> {
    const made = await (await this.#open()).fork(session, { throughTurn });
    const part = throughTurn === undefined ? "" : ` through turn ${throughTurn}`;
    const summary = `Forked the session${part} with its ${count(made.results, "stored result")}.${missingWords(made.missing)}`;
    return {
      ok: made.missing === 0,
      summary,
      lines: [`${session} was forked${part} as ${made.session}`],
      session: made.session,
    };
  }

  async export(session: string, file: string, options?: ExportOptions): Promise<Told> {
    const exported = await (await this.#open()).export(session, file, options);
    const { events, contents, missing } = exported;
    const withContents = options === undefined || (options.withContents && options.format !== "otlp");
    return {
      ok: missing.length === 0,
      summary: `${exportedWords(exported, options)}${missingWords(missing.length)}`,
      lines: [
        `${session}: ${count(events, "event")}${withContents ? ` and ${count(contents, "content")}` : ""} in ${file}`,
        ...missing.map(({ handle, tool, why }) => `not exported: ${handle} of ${tool} is ${why}`),
      ],
    };
  }

  async exportWorkspace(file: string): Promise<Told> {
    const { sessions, contents, missing, unreadable } = await (await this.#open()).exportWorkspace(file);
    const left =
      unreadable.length === 0
        ? ""
        : ` ${count(unreadable.length, "session")} could not be read and ${unreadable.length === 1 ? "is" : "are"} not in it.`;
    return {
      ok: missing.length + unreadable.length === 0,
      summary: `Exported ${count(sessions, "session")} with ${count(contents, "stored result")}.${missingWords(missing.length)}${left}`,
      lines: [
        ...missing.map(({ handle, tool, why }) => `not exported: ${handle} of ${tool} is ${why}`),
        ...unreadable.map(({ session, why }) => `not exported: ${session}: ${why}`),
      ],
    };
  }

  async import(file: string): Promise<Made> {
    const made = await (await this.#open()).import(file);
    const results = made.reduce((sum, one) => sum + one.results, 0);
    const missing = made.reduce((sum, one) => sum + one.missing, 0);
    const [first] = made;
    const what =
      made.length === 1 && first
        ? `“${first.title}” with its ${count(results, "stored result")}. Going on with it forks it.`
        : `${count(made.length, "session")} with ${count(results, "stored result")}. Going on with one forks it.`;
    return {
      ok: missing === 0,
      summary: `Imported ${what}${missingWords(missing)}`,
      lines: made.flatMap(({ session, title, notes = [] }) => [
        `imported as ${session}: "${title}"`,
        ...notes.map((note) => `${session}: ${note}`),
      ]),
      session: made.at(-1)?.session ?? null,
    };
  }
}

const DOCUMENTS: Readonly<Record<DocumentFormat, string>> = {
  json: "JSON",
  otlp: "OpenTelemetry traces",
  html: "an HTML report",
};

function exportedWords({ contents }: Exported, options?: ExportOptions): string {
  const results = count(contents, "stored result");
  const { format = "archive", withContents = true } = options ?? {};
  if (format === "archive") return `Exported the session with its ${results}.`;
  const as = `Exported the session as ${DOCUMENTS[format]}`;
  if (format === "json" && withContents) return `${as} with its ${results}.`;
  if (format === "otlp") return withContents ? `${as} with its messages.` : `${as} without messages.`;
  return contents === 0 ? `${as}.` : `${as}. ${results} ${contents === 1 ? "is" : "are"} named, not in it.`;
}

function verifiedWords({ sessions, events, contents, bytes, tickets, findings }: Verified): Told {
  const problems = findings.filter(({ weight }) => weight === "problem").length;
  const counts = `${count(sessions, "session")}, ${count(events, "event")}, ${count(contents, "stored result")} (${megabytes(bytes)}), ${count(tickets, "ticket")}`;
  const lines = findings
    .slice(0, FINDINGS_SHOWN)
    .map(({ weight, session, what }) => `${weight}: ${session}: ${what}`);
  if (findings.length > lines.length) lines.push(`… and ${findings.length - lines.length} more`);
  return {
    ok: problems === 0,
    summary:
      problems === 0
        ? `Everything stored is in order: ${counts}.`
        : `${count(problems, "problem")} found in what is stored: ${counts} are in order.`,
    lines,
  };
}

function erasedWords({ sessions, results, bytes, copies }: Erased): Told {
  const forks =
    copies.length === 0
      ? ""
      : ` ${count(copies.length, "session")} copied from what was deleted ${copies.length === 1 ? "keeps its" : "keep their"} copies.`;
  const summary = `Deleted ${count(sessions, "session")} with ${count(results, "stored result")} (${megabytes(bytes)}).${forks}`;
  return { ok: true, summary, lines: copies.map((session) => `keeps its copies: ${session}`) };
}

const missingWords = (missing: number): string =>
  missing === 0 ? "" : ` ${count(missing, "stored result")} ${missing === 1 ? "was" : "were"} missing.`;

const count = (n: number, noun: string): string => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
