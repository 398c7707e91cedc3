/** Transcripts of other agents become sessions of ours: the format is told by what is in the file, never by its name. */
import { randomBytes } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { type DraftedSession, type SafeTexts, TranscriptDraft, type TranscriptPorts } from "./draft";
import type { DocumentFormat, LineFormat } from "./format";
import { DOCUMENT_FORMATS, LINE_FORMATS } from "./formats";
import { fusedObjects, isRecord, type Json, parseJson } from "./json";
import { linesOf } from "./lines";
import { isPacked, MAXIMUM_LINES_BYTES } from "./packed";
import { refused } from "./refused";

/** What stands as one JSON value is read whole, so it may not be larger; lines may make up more. */
export const MAXIMUM_DOCUMENT_BYTES = 64 * 1024 * 1024;
const SAMPLE_RECORDS = 40;
const SAMPLE_LINES = 400;

export type ReadTranscript = { readonly format: string; readonly sessions: readonly DraftedSession[] };

/** What the house lends. `safe`: for the session with that salt. */
export type ReaderPorts = Omit<TranscriptPorts, "salt" | "safe"> & { safe(salt: string): SafeTexts };

/** Throws `import-unreadable`. What could not be read of a transcript is counted in its sessions. */
export async function readTranscript(file: string, lent: ReaderPorts): Promise<ReadTranscript> {
  const salt = randomBytes(16).toString("hex");
  const ports = { ...lent, salt, safe: lent.safe(salt) };
  const { size, isFile } = await lookAt(file);
  if (!isFile) throw refused(file, "it is no file");
  if (size === 0) throw refused(file, "it is empty");
  const lines = await lineFormatOf(file);
  if (lines) {
    if (size > MAXIMUM_LINES_BYTES) throw refused(file, "it is larger than 512 MB");
    return readLines(file, lines, ports);
  }
  if (await isPacked(file))
    throw refused(file, "it is compressed, and not a record per line of a format that is known");
  if (size > MAXIMUM_DOCUMENT_BYTES)
    throw refused(file, "it is larger than 64 MB, and not a record per line of a format that is known");
  const value = parseJson(new TextDecoder("utf-8").decode(await readFile(file)));
  const format = value === undefined ? undefined : DOCUMENT_FORMATS.find((one) => one.isOne(value));
  if (!format) {
    const isJson = value !== undefined;
    throw refused(
      file,
      isJson ? "it is JSON of no format that is known" : "it is no JSON, or nested too deep",
    );
  }
  return readDocument(file, format, value, ports);
}

async function lookAt(file: string): Promise<{ size: number; isFile: boolean }> {
  try {
    const found = await stat(file);
    return { size: found.size, isFile: found.isFile() };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT")
      throw refused(file, "there is no such file", cause);
    throw cause;
  }
}

async function lineFormatOf(file: string): Promise<LineFormat | undefined> {
  const sample: Json[] = [];
  let lines = 0;
  for await (const line of linesOf(file)) {
    const value = line === null ? undefined : parseJson(line);
    if (isRecord(value)) sample.push(value);
    else if (line !== null && value === undefined && line.startsWith("{"))
      sample.push(...fusedObjects(line).objects.slice(0, SAMPLE_RECORDS));
    if (++lines >= SAMPLE_LINES || sample.length >= SAMPLE_RECORDS) break;
  }
  return LINE_FORMATS.find((format) => format.isOne(sample));
}

async function readLines(file: string, format: LineFormat, ports: TranscriptPorts): Promise<ReadTranscript> {
  const draft = new TranscriptDraft(format.name, ports);
  const reader = format.open(draft);
  let longLines = 0;
  for await (const line of linesOf(file)) {
    if (line === null) longLines++;
    else for (const record of recordsIn(line, draft)) reader.line(record, line.length);
  }
  draft.session.note("line(s) were longer than 32 MB, and not read", longLines);
  reader.end?.();
  return finished(file, format.name, draft, longLines > 0 ? ": lines of more than 32 MB are not read" : "");
}

/** The records of a line: one; or several that a torn write fused. What else is there is counted. */
function recordsIn(line: string, draft: TranscriptDraft): readonly Json[] {
  const value = parseJson(line);
  if (isRecord(value)) return [value];
  if (value !== undefined) {
    draft.session.note("line(s) were JSON, but no record");
    return [];
  }
  const { objects, isRest } = fusedObjects(line);
  if (objects.length > 0 && !isRest)
    draft.session.note("line(s) had several records in one, which were read");
  else if (objects.length > 0) draft.session.note("line(s) were torn: what is whole in them was read");
  else draft.session.note("line(s) were no JSON, and not read");
  return objects;
}

function readDocument(
  file: string,
  format: DocumentFormat,
  value: unknown,
  ports: TranscriptPorts,
): ReadTranscript {
  const draft = new TranscriptDraft(format.name, ports);
  format.read(value, draft);
  return finished(file, format.name, draft);
}

function finished(file: string, format: string, draft: TranscriptDraft, why = ""): ReadTranscript {
  const sessions = draft.finish();
  if (sessions.length === 0)
    throw refused(file, `it is a transcript (${format}) without a conversation${why}`);
  return { format, sessions };
}
