// test/support: transcripts read as the command line reads them, and what came of them in figures.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { safeTexts } from "../../src/agent/safeTexts";
import { foldHistory } from "../../src/history/fold";
import { estimatedTokens } from "../../src/history/tokens";
import { projectSession } from "../../src/inspector/project";
import { type Logged, SessionEvent } from "../../src/schema/event";
import { plainNameOf } from "../../src/store/blobs";
import { sha256 } from "../../src/store/digest";
import type { DraftedSession } from "../../src/transcripts/draft";
import { type ReaderPorts, type ReadTranscript, readTranscript } from "../../src/transcripts/readTranscript";

export const NOW = 1_800_000_000_000;

export const transcriptPorts: ReaderPorts = {
  hash: sha256,
  now: () => NOW,
  tokens: estimatedTokens,
  nameOf: plainNameOf,
  safe: (salt) => safeTexts(salt, sha256),
};

export type Counts = {
  readonly calls: number;
  readonly uses: number;
  readonly results: number;
  readonly bytes: number;
  readonly empty: number;
  readonly errors: number;
  readonly images: number;
  readonly open: number;
  readonly orphans: number;
};

/** What a log says, counted from its events alone. */
export function countsOf(events: readonly Logged[]): Counts {
  const of = <T extends Logged["type"]>(type: T) =>
    events.filter((event): event is Logged & { type: T } => event.type === type);
  const made = new Set(of("replied").flatMap(({ calls }) => calls.map(({ call }) => call)));
  const remembered = of("remembered");
  const answered = new Set(remembered.map(({ call }) => call));
  return {
    calls: of("replied").length,
    uses: made.size,
    results: remembered.length,
    bytes: of("measured").reduce((sum, { bytes }) => sum + bytes, 0),
    empty: of("measured").filter(({ chars }) => chars === 0).length,
    errors: remembered.filter(({ isError }) => isError).length,
    images: remembered.reduce((sum, { media = [] }) => sum + media.length, 0),
    open: [...made].filter((call) => !answered.has(call)).length,
    orphans: remembered.filter(({ call }) => !made.has(call)).length,
  };
}

/** Every event is one by the schema, in order, well formed and from an import. */
export function assertValid(events: readonly Logged[]): void {
  for (const [n, event] of events.entries()) {
    const parsed = SessionEvent.safeParse(event);
    assert.ok(parsed.success, `${n} ${event.type}: ${parsed.error?.message}`);
    assert.equal(event.n, n);
    assert.equal(event.origin, "import");
    assert.ok(
      !/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(JSON.stringify(event)),
      `${n} ${event.type}: not well formed`,
    );
    if (n > 0) assert.ok(event.at >= (events[n - 1]?.at ?? 0), `${n}: time goes back`);
  }
}

/** Reads texts as a file of its own. */
export async function readText(text: string | Buffer): Promise<ReadTranscript> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "clk-transcript-"));
  try {
    const file = path.join(folder, "a name that says nothing.txt");
    await writeFile(file, text);
    return await readTranscript(file, transcriptPorts);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The only session of such a file, valid, and foldable by every fold. */
export async function readOne(text: string | Buffer, format?: string): Promise<DraftedSession> {
  const read = await readText(text);
  if (format !== undefined) assert.equal(read.format, format);
  const [session, ...others] = read.sessions;
  assert.ok(session);
  assert.deepEqual(others, []);
  assertValid(session.events);
  foldHistory(session.events);
  assert.ok(projectSession(session.events));
  return session;
}

export const linesOf = (...records: readonly unknown[]): string =>
  records.map((record) => (typeof record === "string" ? record : JSON.stringify(record))).join("\n");

/** What of the transcript is told. */
export function notesOf({ events: [first] }: DraftedSession): readonly string[] {
  assert.ok(first?.type === "session_started");
  return first.from?.transcript?.notes ?? [];
}

/** A session in a few words: who said what, call keys, results as they came. */
export function pictureOf({ events }: DraftedSession): string[] {
  return events.flatMap((event) => {
    if (event.type === "asked") return [`u: ${event.text}`];
    if (event.type === "remembered") {
      const marks = [event.isError ? " failed" : "", event.shown === "ticket" ? " stored" : ""].join("");
      const body =
        event.shown === "ticket" || event.text === ""
          ? ""
          : ` ${event.text.split("\n").slice(1, -1).join("\n") || event.text}`;
      return [`t: ${event.call}${marks}${body}${event.media ? ` +${event.media.length}` : ""}`];
    }
    if (event.type !== "replied") return [];
    const calls = event.calls.map(({ call, name, arguments: words }) => `[${call} ${name} ${words}]`);
    return [
      ["a:", event.text, ...calls, event.end === "calls" || event.end === "answered" ? "" : event.end]
        .filter(Boolean)
        .join(" "),
    ];
  });
}
